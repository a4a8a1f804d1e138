#!/usr/bin/env bash
# Checks that code in the documentation is the code in Snippets/, which every build compiles.
#
#     Scripts/snippets.sh [top of a package; this one by default]
#
# A Swift block that follows the line <!-- Snippets/X.swift --> in a Markdown file has to stand word for word, but for
# its indentation, in Snippets/X.swift: in a part that is shown, between '// snippet.show' and '// snippet.hide'.
# Prints 'file:line: snippet: text' for each block that does not, and exits with 1 when there is one.
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

    {
        file = substr($0, 3)
        number = began = 0
        snippet = ""
        while ((getline line < file) > 0) {
            number++
            line = trimmed(line)
            if (began && line ~ /^```/) {
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
            } else if (snippet != "" && line != "") {
                fail(marked, "no Swift block follows")
                snippet = ""
            }
        }
        if (snippet != "") fail(marked, "no Swift block follows, or it has no end")
        close(file)
    }

    END { exit failed }
'
