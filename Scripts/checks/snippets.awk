# Compares code in Markdown files with the code in Snippets/, which every build compiles: awk -f snippets.awk. Input: paths.
#
# A Swift block that follows the line <!-- Snippets/X.swift --> has to stand word for word, but for its indentation, in a part
# of Snippets/X.swift that is shown, between '// snippet.show' and '// snippet.hide'. Of a table that follows such a line, the
# last cell of each row has to be one of the lines that are shown, as code: the whole line, or what stands behind its '_ = '.
# Each line that is shown, except comments, has to be in such a table.

function trimmed(text) {
    gsub(/^[ \t]+|[ \t\r]+$/, "", text)
    return text
}

function fail(line, text) {
    print file ":" line ": snippet: " text
    failed = 1
}

# Reads the lines of a snippet that are shown, each between line ends.
function read_snippet(path,   line, number, hidden) {
    if (path in text) return
    text[path] = "\n"
    for (number = 1; (getline line < path) > 0; number++) {
        line = trimmed(line)
        if (line ~ /^\/\/ snippet\.(hide|show)/) hidden = (line ~ /hide/)
        else if (!hidden && line !~ /^\/\/ SPDX/) {
            text[path] = text[path] line "\n"
            if (line != "" && line !~ /^\/\//) row_of[path, line] = number
        }
    }
    close(path)
    if (text[path] == "\n") fail(marked, "there is no " path " that shows anything")
}

# Checks the last cell of a row against the lines that a snippet shows.
function compare(row,   at, code) {
    sub(/[ \t]*\|$/, "", row)
    while ((at = index(row, " | ")) > 0) row = substr(row, at + 3)
    row = trimmed(row)
    code = substr(row, 2, length(row) - 2)
    gsub(/\\\|/, "|", code)
    if (row !~ /^`[^`]+`$/) fail(number, "the last cell is not one line of code")
    else if ((snippet, code) in row_of) used[snippet, code] = 1
    else if ((snippet, "_ = " code) in row_of) used[snippet, "_ = " code] = 1
    else fail(number, "no line that " snippet " shows is this code")
}

{
    file = $0
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
        } else if (began) {
            if (line ~ /^```/) {
                if (!index(text[snippet], block)) fail(began, "this is not what " snippet " shows")
                began = 0
                snippet = ""
            } else block = block line "\n"
        } else if (line ~ /^<!-- Snippets\/[^ ]*\.swift -->$/) {
            snippet = substr(line, 6, length(line) - 9)
            marked = number
            read_snippet(snippet)
        } else if (snippet != "" && line ~ /^```swift/) {
            began = number
            block = "\n"
        } else if (snippet != "" && line ~ /^\|/) {
            rows = tables[snippet] = 1
        } else if (snippet != "" && line != "") {
            fail(marked, "no Swift block and no table follows")
            snippet = ""
        }
    }
    if (snippet != "" && !rows) fail(marked, "no Swift block and no table follows, or the block has no end")
    close(file)
}

END {
    for (key in row_of) {
        split(key, part, SUBSEP)
        file = part[1]
        if (file in tables && !(key in used)) fail(row_of[key], "no table has this line")
    }
    exit failed
}
