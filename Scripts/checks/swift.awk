# What the checks of this folder share: awk -f swift.awk -f check.awk.

function report(file, line, rule, text) {
    sub(/^[ \t]+/, "", text)
    print file ":" line ": " rule ": " text
}

# MARK: Swift without its comments and without the inside of its strings

# Strings nest by interpolation: a stack of what surrounds the present place, its bottom being plain code.
function reset_scanner() {
    top = 0; kind[0] = "code"; parens[0] = 0; block_comments = 0
}

function hashes_at(text, count,   i) {
    for (i = 1; i <= count; i++) if (substr(text, i, 1) != "#") return 0
    return 1
}

function code_of(line,   out, token, here, width) {
    if (top == 0 && !block_comments && line !~ /["\/`]/) return line
    out = ""
    while (line != "") {
        if (block_comments) {
            if (!match(line, /\*\/|\/\*/)) return out
            block_comments += (substr(line, RSTART, 1) == "*") ? -1 : 1
            line = substr(line, RSTART + 2)
        } else if (kind[top] == "string") {
            if (!match(line, /["\\]/)) break
            here = substr(line, RSTART, 1)
            line = substr(line, RSTART + 1)
            if (here == "\\") {
                if (!hashes_at(line, hashes[top])) continue
                line = substr(line, hashes[top] + 1)
                if (substr(line, 1, 1) == "(") { top++; kind[top] = "interpolation"; parens[top] = 0 }
                line = substr(line, 2)
            } else {
                width = multiline[top] ? 2 : 0
                if (width && substr(line, 1, 2) != "\"\"") continue
                if (!hashes_at(substr(line, width + 1), hashes[top])) continue
                line = substr(line, width + hashes[top] + 1)
                top--
                out = out "\""
            }
        } else {
            if (!match(line, /#*"|\/\/|\/\*|`|[()]/)) { out = out line; break }
            token = substr(line, RSTART, RLENGTH)
            out = out substr(line, 1, RSTART - 1)
            line = substr(line, RSTART + RLENGTH)
            if (token == "//") {
                break
            } else if (token == "/*") {
                block_comments = 1
            } else if (token == "`") {
                out = out "`"
                here = index(line, "`")
                if (here) line = substr(line, here + 1)
            } else if (token == "(") {
                parens[top]++
                out = out token
            } else if (token == ")") {
                if (kind[top] == "interpolation" && parens[top] == 0) {
                    top--
                } else {
                    parens[top]--
                    out = out token
                }
            } else {
                out = out "\""
                top++
                kind[top] = "string"
                hashes[top] = length(token) - 1
                multiline[top] = (substr(line, 1, 2) == "\"\"")
                if (multiline[top]) line = substr(line, 3)
            }
        }
    }
    if (kind[top] == "string" && !multiline[top]) top--
    return out
}
