# shellcheck shell=bash
# What the scripts of this folder share. Sourced by them, never run; they set `root`, the top of the package, first.
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

# Where Swift code stands in this package; not every folder has to exist.
swift_paths=(Package.swift Sources Tests Snippets Samples Benchmarks Conformance)

# Sets `existing` to those that do; called at the top of the package.
existing_swift_paths() {
    local path
    existing=()
    for path in "${swift_paths[@]}"; do
        [ ! -e "$path" ] || existing+=("$path")
    done
}
