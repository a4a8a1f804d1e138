# What neither the compiler nor the formatter says of a Swift file: awk -f swift.awk -f sources.awk. Scripts/lint says which
# rules there are. Input: lines of Scripts/floors.txt behind "floors" and a tab, those of Scripts/layers-allow.txt behind
# "allow", paths behind "swift".

BEGIN {
    clock = "(Task(<[^>]*>)?|Thread|(Continuous|Suspending)Clock(\\(\\))?|\\.continuous|\\.suspending)\\.sleep *\\("
    word = "(^|[^a-z.`])(answer|answers|answered|answering|unanswered|anew|untrue)"
}

# True if a path below Sources is in one of the folders, or begins with one in the same folder.
function is_in(path, folders,   folder, n, i) {
    n = split(folders, folder, " ")
    for (i = 1; i <= n; i++) if (path ~ "^" folder[i] "(/|[^/]*\\.swift$)") return 1
    return 0
}

function check_import(code, raw,   testable, module, i) {
    testable = (code ~ /@testable/)
    sub(/^.*import[ \t]+((struct|class|enum|protocol|typealias|actor|func|let|var)[ \t]+)?/, "", code)
    match(code, /^[A-Za-z0-9_]+/)
    module = substr(code, 1, RLENGTH)
    if (area != "Tests" && (testable && (area == "Sources" || module in targets) || module ~ /^(TestSupport|JobGraphsTestSupport)$/))
        report(file, number, "import", "nothing testable outside of tests: " raw)
    if (area == "Tests" && part ~ /^(JobGraphs|RestClientReports)Test/ && module ~ /^(RestClient|RestClientTesting|TestSupport|HTTP.*|NIO.*)$/)
        report(file, number, "import", part " has no word of HTTP: " raw)
    if (area != "Sources") return
    if (module != part && (module in targets) && !index(" " targets[part] " ", " " module " "))
        report(file, number, "import", part " does not stand on " module ", says Scripts/floors.txt: " raw)
    for (i = 1; i <= modules; i++)
        if (module ~ "^(" pattern[i] ")$" && !is_in(substr(file, 9), folders[i]))
            report(file, number, "import", "only " folders[i] " may import " module ": " raw)
}

# A use that Scripts/layers-allow.txt may give a reason for.
function count(rule, raw) {
    sub(/^[ \t]+/, "", raw)
    hits[rule " " file]++
    spots[rule " " file] = spots[rule " " file] file ":" number ": " rule ": " raw "\n"
}

# One accent, as far as a program can hear it.
function hear(raw, code, above,   text) {
    if (code ~ /@Test.*[ \t]func[ \t]/) report(file, number, "test", "the function stands on the next line: " raw)
    text = raw
    # Bytes that go on with a character are no columns; tables and code are as wide as they are.
    if (length(text) > 120 && text ~ /^[ \t]*\/\// && text !~ /\/\/\/ ([|]|    )/ && length(text) - gsub(/[\200-\277]/, "", text) > 120) report(file, number, "column", raw)
    text = tolower(raw)
    if (raw ~ /^[ \t]*\/\/ *MARK:/ && raw !~ /\/\/ MARK: - [^ ]/) report(file, number, "mark", raw)
    if (code ~ /(^|[ \t])guard[ \t].*else[ \t]*\{.*\}$|^[ \t]*else[ \t]*\{.*\}$/) report(file, number, "guard", "the body stands on lines of its own: " raw)
    if (raw ~ /^[ \t]*\/\/\//) {
        if (above !~ /^[ \t]*\/\/\// && raw ~ /\/\/\/ (What|Whether|How|Who|Whose|Which|Why|Where)[^a-z]/ && (area == "Sources" || raw ~ /\/ Wh(at|ether)/)) report(file, number, "question", raw)
        if (text ~ word "([^a-z]|$)") report(file, number, "word", raw)
    } else if (area == "Sources" && raw ~ /"/ && raw !~ /^[ \t]*\/\//) {
        sub(/^[^"]*"/, " ", text)
        gsub(/there (is|are) no /, "", text)
        if (text ~ word "([^a-z(:]|$)" || text ~ /[^a-z](is|are) no [a-z]/) report(file, number, "word", raw)
    }
}

function check_file(   raw, code, above) {
    split(file, folder, "/")
    area = folder[1]
    part = folder[2]
    number = 0
    above = ""
    if (area == "Sources" && !(part in targets) && !said[part]++) report(file, 1, "import", "Sources/" part " is no target of Scripts/floors.txt")
    reset_scanner()
    while ((getline raw < file) > 0) {
        code = code_of(raw)
        if (++number == 1 && file !~ /Package\.swift$/ && raw != "// SPDX-License-Identifier: MIT") report(file, 1, "spdx", "the first line is no licence")
        if (number == 2 && raw != "" && above ~ /SPDX/) report(file, 2, "blank", "an empty line follows the licence")
        if (code ~ /^[^"]*(^|[ \t])import[ \t]/ && file !~ /Package\.swift$/) check_import(code, raw)
        if (code ~ /@unchecked[ \t]+(Swift\.)?Sendable/ && (area == "Sources" || above !~ /^[ \t]*\/\//))
            report(file, number, "unchecked", "none below Sources, and elsewhere below a comment that says what protects it: " raw)
        if (file ~ /^Sources\/RestClient\// && code ~ /\.(isIdempotent|canBeSent)/ && file !~ /Repetition\+Request|Idempotence|Bodies\/RequestBody/)
            report(file, number, "repetition", "Repetition decides what is sent again: " raw)
        if (area == "Sources" && code ~ /\[ *String *: *(any +)?Any *\??\]([^.]|$)|Dictionary< *String *, *(any +)?Any *>/) report(file, number, "any-dictionary", raw)
        if (area == "Sources" || area == "Tests") {
            if (code ~ /nonisolated\(unsafe\)/) count("nonisolated-unsafe", raw)
            if (code ~ /(^|[^A-Za-z0-9])(try|as)!|(^|[^A-Za-z0-9_])fatalError[ \t]*\(/) count("trap", raw)
            if (code ~ clock || code ~ /(^|[^A-Za-z0-9_])(usleep|nanosleep)[ \t]*\(/ || code ~ /(^|[^A-Za-z0-9_.])sleep[ \t]*\([^fu]/ && code !~ /func[ \t]+sleep/) count("sleep", raw)
            hear(raw, code, above)
        }
        above = raw
    }
    close(file)
    limit = (area == "Sources") ? 500 : (area == "Tests") ? 600 : number
    if (number == 0 && file !~ /Package\.swift$/) report(file, 1, "spdx", "the file is empty")
    if (number > limit) report(file, limit + 1, "length", number " lines, at most " limit)
}

{
    source = substr($0, 1, index($0, "\t") - 1)
    item = substr($0, index($0, "\t") + 1)
    n = split(item, field, /[ \t]+/)
    rest = item
    sub(/^[^ \t]+[ \t]+[^ \t]+[ \t]*/, "", rest)
}

source == "floors" && field[1] == "target" { targets[field[2]] = rest }

source == "floors" && field[1] == "module" {
    pattern[++modules] = field[2]
    folders[modules] = rest
}

source == "allow" && item !~ /^(#|$)/ { allowed[field[1] " " field[2]] = rest + 0 }

source == "swift" {
    file = item
    check_file()
}

END {
    for (key in hits) if (hits[key] > allowed[key]) printf "%s", spots[key]
    for (key in allowed)
        if (hits[key] + 0 < allowed[key]) report("Scripts/layers-allow.txt", 1, "allowance", key ": allows " allowed[key] ", found " hits[key] + 0)
}
