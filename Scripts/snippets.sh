#!/usr/bin/env bash
# Checks that code in the documentation is the code in Snippets/, which every build compiles.
#
#     Scripts/snippets.sh [top of a package; this one by default]
#
# A Swift block that follows the line <!-- Snippets/X.swift --> in a Markdown file has to stand word for word, but for
# its indentation, in Snippets/X.swift: in a part that is shown, between '// snippet.show' and '// snippet.hide'.
# Of a table that follows such a line, the last cell of each row has to be one of the lines that are shown, as code: the
# whole line, or what stands behind its '_ = '. Each line that is shown, except comments, has to be in such a table.
# Prints 'file:line: snippet: text' for each fault, and exits with 1 when there is one.
set -euo pipefail

case ${1:-} in
    -h | --help)
        sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
        exit 0
        ;;
esac
export LC_ALL=C
root=${1:-$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/..}
cd "$root"

find . \( -name .build -o -name .git \) -prune -o -type f -name '*.md' -print | sort | awk '
    function trimmed(text) {
        gsub(/^[ \t]+|[ \t\r]+$/, "", text)
        return text
    }

    # The lines of a snippet that are shown, each between line ends.
    function shown(path,   line, hidden, text) {
        hidden = 0
        text = "\n"
        while ((getline line < path) > 0) {
            line = trimmed(line)
            if (line ~ /^\/\/ snippet\.hide/) hidden = 1
            else if (line ~ /^\/\/ snippet\.show/) hidden = 0
            else if (!hidden && line !~ /^\/\/ SPDX/) text = text line "\n"
        }
        close(path)
        return text
    }

    function fail(line, text) {
        print file ":" line ": snippet: " text
        failed = 1
    }

    # The text of the last cell of a row of a table.
    function lastCell(row,   at) {
        sub(/[ \t]*\|$/, "", row)
        while ((at = index(row, " | ")) > 0) row = substr(row, at + 3)
        return trimmed(row)
    }

    # Checks the last cell of a row against the lines that a snippet shows.
    function compare(row,   cell, code) {
        cell = lastCell(row)
        code = substr(cell, 2, length(cell) - 2)
        if (cell !~ /^`[^`]+`$/) {
            fail(number, "the last cell is not one line of code")
            return
        }
        gsub(/\\\|/, "|", code)
        if (index(text, "\n" code "\n")) used[snippet, code] = 1
        else if (index(text, "\n_ = " code "\n")) used[snippet, "_ = " code] = 1
        else fail(number, "no line that " snippet " shows is this code")
    }

    # Reports the lines of a snippet that no table has.
    function reportUnused(path,   line, hidden) {
        file = path
        number = hidden = 0
        while ((getline line < path) > 0) {
            number++
            line = trimmed(line)
            if (line ~ /^\/\/ snippet\.hide/) hidden = 1
            else if (line ~ /^\/\/ snippet\.show/) hidden = 0
            else if (!hidden && line != "" && line !~ /^\/\// && !((path, line) in used))
                fail(number, "no table has this line")
        }
        close(path)
    }

    {
        file = substr($0, 3)
        number = began = rows = 0
        snippet = ""
        while ((getline line < file) > 0) {
            number++
            line = trimmed(line)
            if (rows && line !~ /^\|/) {
                rows = 0
                snippet = ""
            }
            if (rows) {
                # The first two rows are the titles and the line below them.
                if (++rows > 2) compare(line)
            } else if (began && line ~ /^```/) {
                text = shown(snippet)
                if (text == "\n") fail(began, "there is no " snippet " that shows anything")
                else if (!index(text, block)) fail(began, "this is not what " snippet " shows")
                began = 0
                snippet = ""
            } else if (began) {
                block = block line "\n"
            } else if (match(line, /^<!-- Snippets\/[^ ]*\.swift -->$/)) {
                snippet = substr(line, 6, length(line) - 9)
                marked = number
            } else if (snippet != "" && line ~ /^```swift/) {
                began = number
                block = "\n"
            } else if (snippet != "" && line ~ /^\|/) {
                rows = 1
                text = shown(snippet)
                tables[snippet] = 1
                if (text == "\n") fail(number, "there is no " snippet " that shows anything")
            } else if (snippet != "" && line != "") {
                fail(marked, "no Swift block and no table follows")
                snippet = ""
            }
        }
        if (snippet != "" && !rows) fail(marked, "no Swift block and no table follows, or the block has no end")
        close(file)
    }

    END {
        for (path in tables) reportUnused(path)
        exit failed
    }
'
