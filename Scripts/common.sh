# shellcheck shell=bash
# What the scripts of this folder share. Sourced by them, never run; they set `root`, the top of the package, first. It
# also prints their help and ends if that is what their first argument asks for.
: "${root:?}"

# Tells the person at the terminal what is going on. Standard output stays for the programs that are run.
say() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
}

# Ends the script with a message.
die() {
    say "$*"
    exit 1
}

# Prints the comment at the head of the running script: its help text.
usage() {
    sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
}

case ${1:-} in
    -h | --help)
        usage
        exit
        ;;
esac

# Runs a command under a heading and says how long it took, whether it worked or not.
step() {
    local title=$1 began=$SECONDS status=0
    shift
    printf '\n==> %s\n' "$title"
    "$@" || status=$?
    if [ "$status" -eq 0 ]; then
        printf '==> %s: done in %d s\n' "$title" "$((SECONDS - began))"
    else
        printf '==> %s: FAILED (exit code %d) after %d s\n' "$title" "$status" "$((SECONDS - began))"
    fi
    return "$status"
}

# Runs swift; builds take the options in BUILD_OPTIONS besides. Those of one folder of objects have to be the same each
# time, or everything is compiled again.
#
# So has the order of a package's traits, which SwiftPM before 6.4 passes to the compiler in that of a set: hashes are the
# same in each build. Tests and programs must not inherit this, so that scripts build first, and then 'test' and 'run' with
# --skip-build.
#
# This package has no trait by default, and is built with those of the adapters that its own tests are about. The manifests
# of Conformance/ and Samples/ name theirs.
swift() {
    local options=()
    read -ra options <<<"${BUILD_OPTIONS:-}"
    if [[ " $* " == *" --package-path $root "* ]]; then
        options+=(--traits "Logging,Tracing")
    fi
    case ${1:-} in
        build) SWIFT_DETERMINISTIC_HASHING=1 command swift "$1" ${options[@]+"${options[@]}"} "${@:2}" ;;
        test | run) command swift "$1" ${options[@]+"${options[@]}"} "${@:2}" ;;
        *) command swift "$@" ;;
    esac
}

# Where Swift code stands in this package; not every folder has to exist.
swift_paths=(Package.swift Sources Tests Snippets Samples Benchmarks Conformance Scripts)

# Sets `existing` to those that do; called at the top of the package.
existing_swift_paths() {
    local path
    existing=()
    for path in "${swift_paths[@]}"; do
        [ ! -e "$path" ] || existing+=("$path")
    done
}

# Sets `libraries` to the libraries among the products, each after those that it stands on, so that its documentation can
# link to theirs. Those that are empty without their traits come along only when asked for.
#
#     libraries [with-traits]
libraries() {
    local name empty=" RestClientMetrics RestClientXML RestClientCombine "
    [ "${1:-}" != with-traits ] || empty=
    libraries=()
    while read -r name; do
        if [[ $empty != *" $name "* ]] && grep -q "\.library(name: \"$name\"" "$root/Package.swift"; then
            libraries+=("$name")
        fi
    done < <(awk '$1 == "target" { print $2 }' "$root/Scripts/floors.txt")
}

# Sets `products` to the folder with the modules that a build of a package left, and `module_options` to the options with
# which the compiler finds them.
#
#     find_modules PACKAGE
find_modules() {
    local package=$1 map target
    products=$(swift build --package-path "$package" --show-bin-path)
    target=$(swift -print-target-info | sed -n 's/.*"triple": "\(.*\)",.*/\1/p' | head -n 1)
    module_options=(-target "$target" -I "$products/Modules")
    if command -v xcrun >/dev/null; then
        module_options+=(-sdk "$(xcrun --show-sdk-path)")
        module_options+=(-F "$(xcrun --show-sdk-platform-path)/Developer/Library/Frameworks")
    fi
    # The C modules beneath: written by hand, or by the build where there is only a header.
    for map in "$products"/*.build/module.modulemap "$root"/Sources/*/module.modulemap \
        "${products%/*/*}"/checkouts/*/Sources/*/include/module.modulemap; do
        [ ! -f "$map" ] || module_options+=(-Xcc "-fmodule-map-file=$map")
    done
}

# Writes the symbol graphs of libraries into a folder, from the modules that a build of the package or of its samples
# left: nothing is compiled.
#
#     symbol_graphs PACKAGE FOLDER LIBRARY...
symbol_graphs() {
    local package=$1 output=$2 library products module_options
    shift 2
    find_modules "$package"
    mkdir -p "$output"
    for library in "$@"; do
        [ -f "$products/Modules/$library.swiftmodule" ] || die "there is no module $library in $products: is it built?"
        swift symbolgraph-extract "${module_options[@]}" -module-name "$library" -output-dir "$output" \
            -minimum-access-level public -skip-synthesized-members -emit-extension-block-symbols
    done
}
