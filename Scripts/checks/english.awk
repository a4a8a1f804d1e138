# One accent, as far as a program can hear it: awk -f swift.awk -f english.awk. Input: lines of Scripts/english-allow.txt
# behind "kept" and a tab, paths behind "swift". Counts are kept for each rule and folder, since they may only fall.
#
# guard     The body of a guard stands on lines of its own.
# blank     A blank line follows the licence line.
# mark      A section begins with "// MARK: - ".
# column    A comment has at most 120 columns.
# test      "@Test" stands on the line above its function.
# question  The summary of a documentation comment does not begin with "What" or "Whether", and below Sources not with "How",
#           "Who", "Whose", "Which", "Why" or "Where".
# word      Documentation comments and literals of Sources say response, again and invalid, not answer, anew and untrue;
#           literals also say "is not a", not "is no".
#
# With -v listing=1 it prints what Scripts/english-allow.txt would have to keep, with -v table=1 a table of the counts.

BEGIN {
    allowlist = "Scripts/english-allow.txt"
    rules = split("guard blank mark column test question word", rule_at, " ")
}

# The folder whose count a file belongs to: Sources/RestClient/Caching, Tests/TestSupport, Snippets.
function folder_of(path,   part, n) {
    n = split(path, part, "/")
    if (n == 1) return "."
    if (part[1] !~ /^(Sources|Tests)$/ || n == 2) return part[1]
    return part[1] "/" part[2] (n > 3 ? "/" part[3] : "")
}

function hear(rule, number, raw,   key) {
    key = rule " " folder_of(file)
    hits[key]++
    sub(/^[ \t]+/, "", raw)
    spots[key] = spots[key] file ":" number ": english: " rule ": " raw "\n"
}

function columns(text) {
    # Bytes that go on with a character.
    gsub(/[\200-\277]/, "", text)
    return length(text)
}

# True if a literal of a line, which need not end in it, has one of the words that have a better one.
function says_otherwise(raw) {
    raw = tolower(raw)
    sub(/^[^"]*"/, " ", raw)
    gsub(/there (is|are) no /, "", raw)
    return raw ~ /(^|[^a-z.`])(answer|answers|answered|answering|unanswered|anew|untrue)([^a-z(:]|$)/ ||
        raw ~ /[^a-z](is|are) no [a-z]/
}

# True if a line of a documentation comment begins with a word that asks.
function asks(raw) {
    return raw ~ /^[ \t]*\/\/\/ (What|Whether)[^a-z]/ ||
        (file ~ /^Sources\// && raw ~ /^[ \t]*\/\/\/ (How|Who|Whose|Which|Why|Where)[^a-z]/)
}

# True for a type at the top level: the formatter leaves nothing else at a line's beginning.
function is_type(code) {
    while (match(code, /^(@[A-Za-z_.]+(\([^)]*\))?|public|package|internal|final|indirect|nonisolated|open)[ \t]+/))
        code = substr(code, RLENGTH + 1)
    return code ~ /^(struct|class|enum|actor|protocol)[ \t]/
}

function check_file(   raw, code, number, above, in_guard, comment) {
    reset_scanner()
    number = in_guard = 0
    above = ""
    while ((getline raw < file) > 0) {
        number++
        sub(/\r$/, "", raw)
        if (number == 2 && raw != "" && above ~ /SPDX/) hear("blank", number, raw)
        comment = (top == 0 && !block_comments && raw ~ /^[ \t]*\/\//)
        code = code_of(raw)
        if (code ~ /(^|[^A-Za-z0-9_])guard[ \t]/) in_guard = 1
        if (in_guard && match(code, /(^|[^A-Za-z0-9_])else[ \t]*\{/)) {
            if (substr(code, RSTART + RLENGTH) ~ /\}[ \t]*$/) hear("guard", number, raw)
            in_guard = 0
        }
        if (code ~ /^[ \t]*@Test(\([^()]*\))?[ \t]+.*func[ \t]/) hear("test", number, raw)
        if (comment) {
            if (raw ~ /^[ \t]*\/\/ *MARK:/ && raw !~ /\/\/ MARK: - [^ ]/) hear("mark", number, raw)
            if (columns(raw) > 120) hear("column", number, raw)
            if (raw ~ /^[ \t]*\/\/\//) {
                if (above !~ /^[ \t]*\/\/\// && asks(raw)) hear("question", number, raw)
                if (tolower(raw) ~ /(^|[^a-z.`])(answer|answers|answered|answering|unanswered|anew|untrue)([^a-z]|$)/) hear("word", number, raw)
            }
        }
        else if (file ~ /^Sources\// && raw ~ /"/ && says_otherwise(raw)) hear("word", number, raw)
        above = raw
    }
    close(file)
}

# MARK: What comes in

{
    source = substr($0, 1, index($0, "\t") - 1)
    item = substr($0, index($0, "\t") + 1)
}

source == "kept" {
    entry++
    if (item ~ /^[ \t]*(#|$)/) next
    n = split(item, field, /[ \t]+/)
    if (n != 3 || field[3] !~ /^[1-9][0-9]*$/) report(allowlist, entry, "allowance", "not \"rule folder count\": " item)
    else {
        allowed[field[1] " " field[2]] = field[3]
        entry_of[field[1] " " field[2]] = entry
    }
}

source == "swift" {
    file = item
    check_file()
}

END {
    if (table) {
        printf "%-46s", "english"
        for (n = 1; n <= rules; n++) printf "%10s", rule_at[n]
        print ""
        for (key in hits) {
            split(key, field, " ")
            if (field[2] in row) continue
            row[field[2]] = sprintf("%-46s", field[2])
            for (n = 1; n <= rules; n++) {
                row[field[2]] = row[field[2]] sprintf("%10s", hits[rule_at[n] " " field[2]] + 0)
                total[n] += hits[rule_at[n] " " field[2]]
            }
            print row[field[2]]
        }
        printf "%-46s", "~ all"
        for (n = 1; n <= rules; n++) printf "%10d", total[n]
        print ""
        exit
    }
    if (listing) {
        for (key in hits) if (hits[key]) print key, hits[key]
        exit
    }
    for (key in hits) if (hits[key] > allowed[key] + 0) printf "%s", spots[key]
    for (key in entry_of) {
        if (hits[key] + 0 < allowed[key])
            report(allowlist, entry_of[key], "allowance", "allows " allowed[key] " of " key ", found " hits[key] + 0)
    }
}
