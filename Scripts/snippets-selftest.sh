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

# Tables.
rm "$work/page.md"
cat >"$work/Snippets/Lines.swift" <<'SWIFT'
// SPDX-License-Identifier: MIT
// snippet.hide
let hidden = 1
func lines() {
    // snippet.show
    // A comment needs no row.
    _ = one + two
    _ = one || (two | three)

    print(three)
    // snippet.hide
}
SWIFT

table() {
    printf '%s\n' "# Page" "<!-- Snippets/${1:-Lines}.swift -->" "| before | now |" "|---|---|" "${@:2}" "" "Text." \
        >"$work/page.md"
}

either='| `b` | c | `one \|\| (two \| three)` |'
table Lines '| `a` | `one + two` |' "$either" '| the sum, `d` | `print(three)` |'
expect "a table with all lines" ""
table Lines '| `a` | `_ = one + two` |' "$either" '| `d` | `print(three)`|'
expect "a row with the whole line" ""
printf '%s\n' "<!-- Snippets/Lines.swift -->" "| a | b |" "|---|---|" '| `e` | `print(three)` |' >>"$work/page.md"
expect "a line in two tables" ""
table Lines '| `a` | `one + one` |' "$either" '| `d` | `print(three)` |'
expect "other code in a row" "page.md:5
Snippets/Lines.swift:7"
table Lines '| `a` | `one + two` |' "$either"
expect "a row left out" Snippets/Lines.swift:10
table Lines '| `a` | `one` |' '| `a` | `one + two` |' "$either" '| `d` | `print(three)` |'
expect "a part of a line in a row" page.md:5
table Lines '| `a` | `one + two` |' "$either" '| `d` | `print(three)` |' '| `e` | `let hidden = 1` |'
expect "a row with what is hidden" page.md:8
table Lines '| `a` | `one + two` |' "$either" '| `d` | `print(three)` |' '| `e` | see `print(three)` |' '| `f` | text |'
expect "a row with text" "page.md:8
page.md:9"
table Gone '| `a` | `one + two` |'
expect "a table of no such snippet" "page.md:3
page.md:5"
printf '%s\n' "| before | now |" "|---|---|" '| `a` | `one + one` |' >"$work/page.md"
expect "a table that names no snippet" ""

printf 'snippets-selftest: %d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
