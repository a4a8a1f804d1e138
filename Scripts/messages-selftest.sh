#!/usr/bin/env bash
# Proves that the comparison of Scripts/messages.sh notices a missing, another and an unexpected message, and accepts the
# expected ones. Nothing is compiled.
#
#     Scripts/messages-selftest.sh
set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd -P)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# Compares what is found in a file with the messages of a compiler with what is to be found.
#
#     check NAME SOURCE MESSAGES FOUND
check() {
    local found status=0
    printf '%s' "$2" >"$work/a.swift"
    found=$(printf '%s' "$3" | awk -f "$root/Scripts/checks/messages.awk" "$work/a.swift" -) || status=1
    found=${found//"$work/"/}
    if [ "$found" = "$4" ] && [ "$status" -eq "$([ -n "$4" ] && echo 1 || echo 0)" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'messages-selftest: %s: found\n%s\ninstead of\n%s\n' "$1" "$found" "$4"
    fi
}

source=$'import A\n    // expect: write b\n    a()\n// expect: two\n// expect: one\nb()\nc()\n'
first="$work/a.swift:3:5: error: 'a' is unavailable: write b"$'\n'
second="$work/a.swift:6:1: error: one"$'\n'"$work/a.swift:6:1: warning: two"$'\n'
check "all expected" "$source" "$first    a()
    ^
$work/b.swift:1:2: note: 'a' was marked here
$second" ""
check "one is missing" "$source" "$first" $'a.swift:6: message: missing: one\na.swift:6: message: missing: two'
check "another one" "$source" "${first/write b/x}$second" \
    $'a.swift:3: message: unexpected: \'a\' is unavailable: x\na.swift:3: message: missing: write b'
check "an unexpected one" "$source" "$first$second$work/a.swift:7:1: error: three" 'a.swift:7: message: unexpected: three'
check "twice" "$source" "$first$first$second" "a.swift:3: message: unexpected: 'a' is unavailable: write b"
check "elsewhere" "$source" "$first$second/m/A.swift:1:1: error: broken" 'a.swift:0: message: /m/A.swift:1:1: error: broken'
check "no place" "$source" "$first${second}error: no such module" 'a.swift:0: message: error: no such module'
check "nothing expected" $'a()\n' "" 'a.swift:0: message: the file expects no message'
check "nothing below" $'// expect: a\n' "" \
    $'a.swift:0: message: no line stands below the last \'expect\'\na.swift:0: message: the file expects no message'
printf 'messages-selftest: %d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
