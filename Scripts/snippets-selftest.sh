#!/usr/bin/env bash
# Proves that Scripts/snippets.sh finds code in the documentation that is not in Snippets/.
#
#     Scripts/snippets-selftest.sh
set -euo pipefail
snippets=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd -P)/snippets.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

passed=0
failed=0

# Compares where something is found in the page with what is wanted.
expect() {
    local name=$1 wanted=$2 found status=0
    found=$("$snippets" "$work") || status=$?
    found=$(printf '%s\n' "$found" | sed 's/^\([^:]*:[0-9]*\): snippet: .*/\1/')
    if [ "$found" = "$wanted" ] && [ "$status" -eq "$([ -z "$wanted" ] && echo 0 || echo 1)" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s (exit code %s)\n  wanted: %s\n  found:  %s\n' "$name" "$status" "$wanted" "$found"
    fi
}

mkdir "$work/Snippets"
cat >"$work/Snippets/Sum.swift" <<'SWIFT'
// SPDX-License-Identifier: MIT
// snippet.hide
let secret = 1
func sum() {
    // snippet.show
    let three = one + two

    print(three)
    // snippet.hide
}
SWIFT

page() {
    printf '%s\n' "# Page" "<!-- Snippets/$1.swift -->" '```swift' "${@:2}" '```' >"$work/page.md"
}

page Sum "let three = one + two" "" "print(three)"
expect "all of it" ""
page Sum "    print(three)"
expect "a part, indented otherwise" ""
printf '%s\n' '```swift' 'let four = 4' '```' >"$work/page.md"
expect "a block that names no snippet" ""
page Sum "let three = one + one"
expect "other code" page.md:3
page Sum "let three = one + two" "print(three)"
expect "a line left out" page.md:3
page Sum "let three = one"
expect "a part of a line" page.md:3
page Sum "let secret = 1"
expect "what is hidden" page.md:3
page Gone "print(three)"
expect "no such snippet" page.md:3
printf '%s\n' "<!-- Snippets/Sum.swift -->" "Text" >"$work/page.md"
expect "no block follows" page.md:1
printf '%s\n' "<!-- Snippets/Sum.swift -->" '```swift' "print(three)" >"$work/page.md"
expect "a block without an end" page.md:1

printf 'snippets-selftest: %d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
