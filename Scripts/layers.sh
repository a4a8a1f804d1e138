#!/usr/bin/env bash
# Checks what neither the compiler nor the formatter can say about the sources. Prints 'file:line: rule: text' for each
# violation and exits with 1 when there is one.
#
#     Scripts/layers.sh [top of a package; this one by default]
#     Scripts/layers.sh --floors [folder]    every name of a higher floor, kept or not; of a folder as RestClient/HTTP
#     Scripts/layers.sh --english [folder]   the counts of each folder; with a folder, its lines
#     Scripts/layers.sh --update             writes the lists of what is kept, Scripts/{floors,english}-allow.txt
#
# import              Which part may import which: the targets of Scripts/floors.txt. RestClientTesting alone imports Testing,
#                     and each adapter what it is for. Only Sources/SharedStore/SQLite imports CSQLite, only
#                     Sources/SharedStore/Zlib imports CZlib, only Sources/RestClient/Bodies/Decoders CBrotli and CZstd.
#                     JobGraphs, RestClientReports and their tests import nothing of HTTP.
#                     The libraries import RestEssentials, which imports FoundationEssentials, and Foundation only where that
#                     is not to be had: in the '#else' of '#if canImport(FoundationEssentials)' or in '#if canImport(Darwin)'.
#                     Sources/RestClient/Transport/URLSession*.swift may import Foundation and FoundationNetworking
#                     in '#if canImport(Darwin) || URLSessionTransport'. Sources import nothing that is for tests.
# floor               A folder of a library names no type of a floor above it: the floors of Scripts/floors.txt.
#                     What Scripts/floors-allow.txt keeps may pass.
# english             One accent (Scripts/checks/english.awk lists the rules): the count of each rule and folder that
#                     Scripts/english-allow.txt keeps may only fall.
# locks               Docs/concurrency.md lists each lock of Sources, and no other (checked where there is Python).
# length              At most 500 lines below Sources, 600 below Tests.
# unchecked           No '@unchecked Sendable' below Sources; elsewhere each with a comment on the line above.
# nonisolated-unsafe, force-try, force-cast, fatal-error, sleep
#                     None below Tests; below Sources only those that Scripts/layers-allow.txt gives a reason for.
# spdx                The first line of a Swift file is '// SPDX-License-Identifier: MIT' (not that of a manifest).
# any-dictionary      No [String: Any] in a public declaration.
# machine-path        No absolute path of one machine in a file of the repository (tests may speak of the folder tmp).
# tracked             Neither Package.resolved nor anything in .build is in git.
# allowance           Each entry of a list of what is kept is well-formed and still needed.
set -euo pipefail

mode=check
case ${1:-} in
    -h | --help)
        sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
        exit 0
        ;;
    --floors | --english | --update)
        mode=${1#--}
        shift
        ;;
esac
export LC_ALL=C
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
folder=
if [ "$mode" = check ]; then
    cd "${1:-$here/..}"
else
    cd "$here/.."
    folder=${1:-}
fi

# Every Swift file, whether git knows it yet or not.
swift_files() {
    local path
    for path in Package.swift Sources Tests Snippets Samples Benchmarks Conformance Scripts; do
        [ ! -e "$path" ] || find "$path" -name .build -prune -o -type f -name '*.swift' -print
    done
}

# Every file that is in git or would be after 'git add .', each ended by a NUL.
repository_files() {
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git ls-files -z --cached --others --exclude-standard
    else
        find . \( -name .git -o -name .build \) -prune -o -type f -print0
    fi
}

# Lines that name a path of one machine, as file:line:text. The brackets keep this line from naming one itself.
machine_paths() {
    local start='(^|[^A-Za-z0-9_.~/)}>-]|file://)'
    repository_files | xargs -0 grep -nsHIE -e "$start/(work|root|tmp)[/]" -- /dev/null || true
}

tracked_products() {
    git ls-files --cached 2>/dev/null | grep -E '(^|/)(Package\.resolved$|\.build/)' || true
}

# Puts a word and a tab before each line of a file, or before nothing when there is no such file.
lines_of() {
    [ ! -f "$2" ] || awk -v word="$1" '{ print word "\t" $0 }' "$2"
}

# Each check is an awk program beside this script; what it reads is told by the word before the tab.
run() {
    awk "${@:2}" -f "$here/checks/swift.awk" -f "$here/checks/$1.awk"
}

layers() {
    {
        lines_of floors Scripts/floors.txt
        lines_of allow Scripts/layers-allow.txt
        swift_files | awk '{ print "swift\t" $0 }'
        machine_paths | awk '{ sub(/^\.\//, ""); print "path\t" $0 }'
        tracked_products | awk '{ print "tracked\t" $0 }'
    } | run layers
}

# The argument is the list of what is kept; the others go to awk.
floors() {
    {
        lines_of floors Scripts/floors.txt
        lines_of kept "$1"
        swift_files | awk '{ print "swift\t" $0 }'
    } | run floors "${@:2}"
}

english() {
    {
        lines_of kept "$1"
        swift_files | awk '{ print "swift\t" $0 }'
    } | run english "${@:2}"
}

in_order() {
    sort -t: -k1,1 -k2,2n -k3,3
}

# Writes standard input, sorted, to a list of what is kept, below the comment at its head.
keep() {
    local text
    text=$(grep '^#' "$1" || true; sort)
    printf '%s\n' "$text" >"$1"
}

case $mode in
    floors) floors /dev/null | in_order | grep -F "Sources/${folder#Sources/}" || true ;;
    english)
        if [ -n "$folder" ]; then
            english /dev/null | in_order | grep "^$folder" || true
        else
            english /dev/null -v table=1 | sort
        fi
        ;;
    update)
        floors /dev/null -v listing=1 | keep Scripts/floors-allow.txt
        english /dev/null -v listing=1 | keep Scripts/english-allow.txt
        ;;
    check)
        violations=$({
            layers
            # While a list of what is kept is missing, nothing is said of its rule.
            [ ! -f Scripts/floors-allow.txt ] || floors Scripts/floors-allow.txt
            [ ! -f Scripts/english-allow.txt ] || english Scripts/english-allow.txt
            if [ -f Docs/concurrency.md ] && command -v python3 >/dev/null; then
                python3 "$here/checks/locks.py" .
            fi
        } | in_order)
        if [ -n "$violations" ]; then
            printf '%s\n' "$violations"
            exit 1
        fi
        ;;
esac
