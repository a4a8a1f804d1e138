#!/usr/bin/env bash
# Proves that Scripts/bootstrap does the right thing on machines that this one is not.
#
#     Scripts/bootstrap-selftest.sh
#
# Every case makes up a machine in a temporary folder (its headers, and programs that only write down how they were
# called), runs the script there, and looks at its exit code, at what it said and at what it would have installed.
# shellcheck disable=SC2016 # The programs made here expand their own variables.
set -euo pipefail
scripts=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd -P)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

bin=$work/bin
machine=$work/machine
passed=0
failed=0

# Makes a program of the machine from standard input.
program() {
    { echo '#!/bin/sh' && echo "machine='$machine'; log='$work/log'" && cat; } >"$bin/$1"
    chmod +x "$bin/$1"
}

# Debian, root, Swift 6.2 and all there is to have.
new_machine() {
    local tool
    rm -rf "$bin" "$machine" "$work/log"
    mkdir -p "$bin" "$machine/usr/include/c++/12" "$machine/usr/include/brotli" "$machine/usr/lib" "$machine/etc/ssl/certs"
    for tool in bash sh env dirname readlink sed cat mkdir touch; do
        ln -s "$(command -v "$tool")" "$bin/$tool"
    done
    touch "$machine/usr/include/sqlite3.h" "$machine/usr/include/zlib.h" "$machine/usr/lib/libncurses" \
        "$machine/usr/include/brotli/decode.h" "$machine/usr/include/zstd.h" \
        "$machine/etc/ssl/certs/ca-certificates.crt" "$work/log"
    echo 'echo Linux' | program uname
    echo 'echo 0' | program id
    echo 'exit 0' | program ld
    echo 'exit 0' | program pkg-config
    swift_version "Swift version 6.2 (swift-6.2-RELEASE)"
    program apt-get <<'SH'
echo "apt-get $* [$DEBIAN_FRONTEND]" >>"$log"
for argument; do
    case $argument in
        libsqlite3-dev) touch "$machine/usr/include/sqlite3.h" ;;
        zlib1g-dev) touch "$machine/usr/include/zlib.h" ;;
        libbrotli-dev) touch "$machine/usr/include/brotli/decode.h" ;;
        libzstd-dev) touch "$machine/usr/include/zstd.h" ;;
        g++) mkdir -p "$machine/usr/include/c++/12" ;;
        ca-certificates) touch "$machine/etc/ssl/certs/ca-certificates.crt" ;;
        libncurses-dev) touch "$machine/usr/lib/libncurses" ;;
    esac
done
SH
}

swift_version() {
    program swift <<SH
if [ ! -e "\$machine/usr/lib/libncurses" ]; then
    echo "swift: error while loading shared libraries: libncurses.so.6: cannot open shared object file" >&2
    exit 127
fi
echo "$1"
SH
}

mac() {
    echo 'echo Darwin' | program uname
    echo "echo $machine" | program xcrun
    rm "$bin/apt-get"
    swift_version "swift-driver version: 1.127 Apple Swift version 6.2 (swiftlang-6.2.0.19.9 clang-1700.3.19.1)"
}

# Runs the script, and compares its exit code, a part of what it says, and what the installer was asked for.
expect() {
    local name=$1 code=$2 words=$3 installed=$4 output found_code=0 found
    output=$(cd / && env -i PATH="$bin" BOOTSTRAP_ROOT="$machine" ${certificates:+SSL_CERT_FILE="$certificates"} \
        "${start:-$scripts/bootstrap}" 2>&1 </dev/null) || found_code=$?
    found=$(sed -n 's/^apt-get .* install -y --no-install-recommends \(.*\) \[noninteractive\]$/\1/p
        s/^brew install //p' "$work/log")
    case $output in
        *"$words"*) ;;
        *) found="$found (said other words)" ;;
    esac
    if [ -z "$words" ] && [ -z "$installed" ] && [ -n "$output" ]; then
        found="$found (said something)"
    fi
    if [ "$found_code" = "$code" ] && [ "$found" = "$installed" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s\n  exit code %s, wanted %s\n  installed "%s", wanted "%s"\n  wanted the words "%s" in: %s\n' \
            "$name" "$found_code" "$code" "$found" "$installed" "$words" "$output"
    fi
    new_machine
}

new_machine
expect "everything is there" 0 "" ""

# MARK: - Headers and tools

rm "$machine"/usr/include/*.h "$machine/usr/include/brotli/decode.h"
expect "root, all headers are missing" 0 "installing libsqlite3-dev zlib1g-dev libbrotli-dev libzstd-dev" \
    "libsqlite3-dev zlib1g-dev libbrotli-dev libzstd-dev"
rm "$machine/usr/include/zlib.h"
expect "one header is missing" 0 "" "zlib1g-dev"
mkdir -p "$machine/usr/local/include" && mv "$machine/usr/include/zlib.h" "$machine/usr/local/include"
expect "a header from elsewhere" 0 "" ""
rm "$bin/pkg-config"
expect "pkg-config alone is not worth an installation" 0 "" ""
rm "$bin/pkg-config" "$machine/usr/include/zlib.h"
expect "pkg-config comes along" 0 "" "zlib1g-dev pkg-config"
rm -r "$machine/usr/include/c++"
expect "no C++ library" 0 "" "g++"
rm "$machine/etc/ssl/certs/ca-certificates.crt"
expect "no certificates" 0 "" "ca-certificates"
rm "$machine/etc/ssl/certs/ca-certificates.crt"
certificates=/elsewhere.pem expect "certificates from elsewhere" 0 "" ""

# MARK: - Rights

rm "$machine/usr/include/sqlite3.h"
echo 'echo 1000' | program id
expect "no rights, no sudo" 4 "Run: sudo apt-get update && sudo apt-get install -y libsqlite3-dev" ""
rm "$machine/usr/include/sqlite3.h"
echo 'echo 1000' | program id
echo 'echo "sudo: a password is required" >&2; exit 1' | program sudo
expect "sudo would ask for a password" 4 "rights that this user lacks" ""
rm "$machine/usr/include/sqlite3.h"
echo 'echo 1000' | program id
echo '[ "$1" = -n ] || exit 1; shift; [ "$1" != true ] || exit 0; exec "$@"' | program sudo
expect "sudo needs no password" 0 "" "libsqlite3-dev"
echo 'echo 1000' | program id
expect "no rights, and none needed" 0 "" ""

# MARK: - The installer

rm "$machine/usr/include/sqlite3.h"
sed -i.bak 's/^for argument/case "$*" in *update) exit 100 ;; esac; for argument/' "$bin/apt-get"
expect "a package list that cannot be had" 0 "trying with the lists that are there" "libsqlite3-dev"
rm "$machine/usr/include/sqlite3.h"
echo 'echo "E: Unable to locate package" >&2; exit 100' | program apt-get
expect "the installer fails" 5 "could not install libsqlite3-dev" ""
rm "$machine/usr/include/sqlite3.h"
echo 'exit 0' | program apt-get
expect "the installer only says that it works" 5 "this is still missing: libsqlite3-dev" ""
rm "$machine/usr/include/sqlite3.h" "$bin/apt-get"
expect "another Linux" 4 "no apt-get here" ""

# MARK: - Swift

rm "$bin/swift" "$machine/usr/include/sqlite3.h"
expect "no Swift: nothing is installed" 3 "Swift is missing" ""
for version in 5.10 6.0.3 6.1; do
    swift_version "Swift version $version (swift-$version-RELEASE)"
    rm "$machine/usr/include/sqlite3.h"
    expect "Swift $version: nothing is installed" 3 "is too old: this package needs 6.2" ""
done
for version in 6.2.1 6.3-dev 6.10 7.0; do
    swift_version "Swift version $version (swift-$version-RELEASE)"
    expect "Swift $version" 0 "" ""
done
swift_version "Something else entirely"
expect "a program of the same name" 3 "names no version" ""
echo 'echo "cannot execute binary file" >&2; exit 126' | program swift
expect "Swift does not run" 3 "cannot execute binary file" ""
rm "$machine/usr/lib/libncurses"
expect "a toolchain without its libraries" 0 "" "libcurl4-openssl-dev libncurses-dev libxml2-dev"
rm "$machine/usr/lib/libncurses"
echo 'echo "apt-get $* [$DEBIAN_FRONTEND]" >>"$log"' | program apt-get
expect "a toolchain that needs other ones" 3 "does not run" "libcurl4-openssl-dev libncurses-dev libxml2-dev"

# MARK: - Other systems

mac
expect "macOS with its SDK" 0 "" ""
mac
rm "$machine/usr/include/zlib.h"
printf '%s\n' 'echo "brew $*" >>"$log"' '[ "$1" != --prefix ] || echo /nowhere' | program brew
expect "macOS, an SDK without zlib" 0 "installing zlib brotli zstd" "zlib brotli zstd"
mac
rm "$machine/usr/include/zlib.h"
expect "macOS, no brew either" 4 "xcode-select --install" ""
mac
echo 'exit 1' | program xcrun
expect "macOS without an SDK" 4 "xcode-select --install" ""
echo 'echo Plan9' | program uname
expect "another system" 4 "not Plan9" ""

# MARK: - Where it is called from

mkdir -p "$work/links"
ln -s "$scripts/bootstrap" "$work/links/first"
ln -s first "$work/links/second"
start=$work/links/second expect "through symbolic links" 0 "" ""

printf 'bootstrap-selftest: %d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
