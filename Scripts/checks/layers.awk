# What part imports which, lengths, budgets: awk -f swift.awk -f layers.awk. Scripts/layers.sh says what comes in and which
# rules there are.

BEGIN {
    allowlist = "Scripts/layers-allow.txt"
    # Where Foundation may be imported: conditions that hold on Apple platforms only.
    apple = " canImport(Darwin) !canImport(FoundationEssentials) os(macOS) os(iOS) "
    urlsession = apple "URLSessionTransport "
}

# MARK: Conditional compilation

function holds_only(condition, terms,   alternatives, factors, a, f, n, m, found) {
    gsub(/[ \t]/, "", condition)
    n = split(condition, alternatives, /\|\|/)
    if (n == 0) return 0
    for (a = 1; a <= n; a++) {
        m = split(alternatives[a], factors, /&&/)
        found = 0
        for (f = 1; f <= m; f++) if (index(terms, " " factors[f] " ")) found = 1
        if (!found) return 0
    }
    return 1
}

# Whether the present line compiles only where one of the terms holds.
function compiles_only(terms,   d) {
    for (d = 1; d <= depth; d++)
        if (holds_only(condition[d], terms) || index(refuted[d], " canImport(FoundationEssentials) ")) return 1
    return 0
}

function follow_conditions(code,   rest) {
    rest = code
    gsub(/[ \t]/, "", rest)
    if (rest ~ /^#if/) {
        depth++
        condition[depth] = substr(rest, 4)
        refuted[depth] = " "
    } else if (rest ~ /^#else/) {
        refuted[depth] = refuted[depth] condition[depth] " "
        condition[depth] = (rest ~ /^#elseif/) ? substr(rest, 8) : ""
    } else if (rest ~ /^#endif/) {
        if (depth > 0) depth--
    }
}

# MARK: Imports

function check_import(code, raw,   text, testable, module) {
    text = code
    sub(/^[ \t]+/, "", text)
    testable = 0
    while (match(text, /^(@[A-Za-z_]+(\([^)]*\))?|public|package|internal|fileprivate|private)[ \t]+/)) {
        if (substr(text, 1, RLENGTH) ~ /^@testable/) testable = 1
        text = substr(text, RLENGTH + 1)
    }
    if (text !~ /^import[ \t]/) return
    sub(/^import[ \t]+/, "", text)
    sub(/^(struct|class|enum|protocol|typealias|actor|func|let|var)[ \t]+/, "", text)
    match(text, /^[A-Za-z0-9_]+/)
    module = substr(text, 1, RLENGTH)

    if (module == "CSQLite" && file !~ /^Sources\/SharedStore\/SQLite\//)
        report(file, number, "import", "only Sources/SharedStore/SQLite imports CSQLite: " raw)
    if (module == "CZlib" && file !~ /^Sources\/SharedStore\/Zlib\//)
        report(file, number, "import", "only Sources/SharedStore/Zlib imports CZlib: " raw)
    if (module ~ /^(CBrotli|CZstd)$/ && file !~ /^Sources\/RestClient\/Bodies\/Decoders\//)
        report(file, number, "import", "only Sources/RestClient/Bodies/Decoders imports " module ": " raw)

    if (area == "Sources") {
        if (testable || module ~ /^(XCTest|TestSupport|JobGraphsTestSupport)$/ || module ~ /Tests$/ || (module == "Testing" && part != "RestClientTesting"))
            report(file, number, "import", "Sources import nothing that is for tests: " raw)
        if (module != part && (module in targets) && !((part, module) in may_import))
            report(file, number, "import", part " does not stand on " module ", says Scripts/floors.txt: " raw)
        if (part ~ /^(JobGraphs|RestClientReports)$/ && module ~ /^(HTTPTypes|NIO.*|AsyncHTTPClient)$/)
            report(file, number, "import", part " has no word of HTTP: " raw)
        if ((module ~ /^(Logging|InMemoryLogging)$/ && part != "RestClientLogging") ||
            (module ~ /^(Metrics|CoreMetrics|MetricsTestKit)$/ && part != "RestClientMetrics") ||
            (module == "XMLCoder" && part != "RestClientXML") ||
            (module ~ /^(Combine|OpenCombine)$/ && part != "RestClientCombine") ||
            (module ~ /^(Tracing|Instrumentation|ServiceContextModule|InMemoryTracing)$/ && part != "RestClientTracing"))
            report(file, number, "import", "only the adapter for it imports " module ": " raw)
        if (part ~ /^RestClient/ && module ~ /^(C[A-Z][A-Za-z0-9_]*|SQLite3|zlib)$/ && module !~ /^(CSQLite|CZlib|CBrotli|CZstd)$/)
            report(file, number, "import", part " imports no C module: " raw)
        if (part in targets && part !~ /^RestClient(Foundation|XML)$/) check_foundation(module, raw)
    } else if (area == "Tests") {
        if (part ~ /^(JobGraphs|RestClientReports)Test/ && module ~ /^(RestClient|RestClientTesting|TestSupport|HTTPTypes|NIO.*|AsyncHTTPClient)$/)
            report(file, number, "import", part " has no word of HTTP: " raw)
    } else {
        if (testable && (module in targets))
            report(file, number, "import", area " use what is public, nothing testable: " raw)
        if (module ~ /^(TestSupport|JobGraphsTestSupport|(SharedStore|JobGraphs|RestClient|RestClientReports|RestClientRecording|RestClientTesting|Integration)Tests)$/)
            report(file, number, "import", area " import the public libraries only: " raw)
    }
}

function check_foundation(module, raw) {
    if (module !~ /^(Foundation|FoundationNetworking|FoundationXML|FoundationInternationalization|NIOFoundationCompat)$/)
        return
    if (file ~ /^Sources\/RestClient\/Transport\/URLSession[^\/]*$/ && module ~ /^Foundation(Networking)?$/) {
        if (!compiles_only(urlsession))
            report(file, number, "import", "only in #if canImport(Darwin) || URLSessionTransport: " raw)
    } else if (module != "Foundation" || !compiles_only(apple)) {
        report(file, number, "import", part " imports FoundationEssentials where there is one: " raw)
    }
}

# MARK: Budgets

function count(rule, file, line, text) {
    hits[rule "\t" file]++
    sub(/^[ \t]+/, "", text)
    spots[rule "\t" file] = spots[rule "\t" file] file ":" line ": " rule ": " text "\n"
}

function check_budgets(code, raw,   text) {
    if (code ~ /nonisolated\(unsafe\)/) count("nonisolated-unsafe", file, number, raw)
    if (code ~ /(^|[^A-Za-z0-9_])try!/) count("force-try", file, number, raw)
    if (code ~ /(^|[^A-Za-z0-9_])as!/) count("force-cast", file, number, raw)
    if (code ~ /(^|[^A-Za-z0-9_])fatalError[ \t]*\(/) count("fatal-error", file, number, raw)
    if (code ~ /[sS]leep[ \t]*\(|Clock(\(\))?\.sleep/) {
        text = code
        # A clock may be given from outside and may be written here: only waiting on the real one is counted.
        gsub(/func[ \t]+sleep[ \t]*\(/, "", text)
        if (text !~ /(Task(<[^>]*>)?|Thread|Clock(\(\))?|\.continuous|\.suspending)\.sleep[ \t]*\(/)
            gsub(/(^|[^A-Za-z0-9_])sleep[ \t]*\((for|until):/, "", text)
        if (text ~ /(^|[^A-Za-z0-9_.])sleep[ \t]*\(/ || text ~ /(^|[^A-Za-z0-9_])(usleep|nanosleep)[ \t]*\(/ ||
            text ~ /(Task(<[^>]*>)?|Thread|(Continuous|Suspending)Clock(\(\))?|\.continuous|\.suspending)\.sleep[ \t]*\(/)
            count("sleep", file, number, raw)
    }
}

# MARK: One Swift file

function check_swift(   raw, code, manifest, signature, opens, below_comment, limit) {
    area = file
    sub(/\/.*/, "", area)
    part = ""
    if (area == "Sources") {
        part = substr(file, 9)
        sub(/\/.*/, "", part)
        if (has_targets && !(part in targets) && !(part in unlisted)) {
            unlisted[part] = 1
            report(file, 1, "import", "Sources/" part " is not a target of Scripts/floors.txt")
        }
    }
    if (area == "Tests") {
        part = substr(file, 7)
        sub(/\/.*/, "", part)
    }
    manifest = (file ~ /(^|\/)Package(@swift-[0-9.]+)?\.swift$/)
    reset_scanner()
    number = depth = signature = below_comment = 0
    while ((getline raw < file) > 0) {
        number++
        sub(/\r$/, "", raw)
        if (number == 1 && !manifest && raw != "// SPDX-License-Identifier: MIT")
            report(file, 1, "spdx", "the first line is not \"// SPDX-License-Identifier: MIT\"")
        code = code_of(raw)
        if (code ~ /^[ \t]*#/) follow_conditions(code)
        if (!manifest && code ~ /(^|[ \t])import[ \t]/) check_import(code, raw)
        if (area == "Sources" || area == "Tests") check_budgets(code, raw)
        if (code ~ /@unchecked[ \t]+(Swift\.)?Sendable/) {
            if (area == "Sources")
                report(file, number, "unchecked", "none below Sources: " raw)
            else if (!below_comment)
                report(file, number, "unchecked", "no comment on the line above says what protects it: " raw)
        }
        if (area == "Sources") {
            # A public declaration lasts until its parentheses are closed.
            if (!signature && code ~ /(^|[^A-Za-z0-9_`])(public|open)[ \t]/) { signature = 1; opens = 0 }
            if (signature) {
                if (opens == 0) sub(/[ \t]\{.*$/, "", code)
                if (code ~ /\[ *String *: *(any +)?Any *\??\]|Dictionary< *String *, *(any +)?Any *>/)
                    report(file, number, "any-dictionary", raw)
                opens += gsub(/\(/, "(", code) - gsub(/\)/, ")", code)
                if (opens <= 0) signature = 0
            }
        }
        if (raw ~ /^[ \t]*\/\//) below_comment = 1
        else if (code !~ /^[ \t]*@[A-Za-z]+(\([^)]*\))?[ \t]*$/) below_comment = 0
    }
    close(file)
    if (number == 0 && !manifest)
        report(file, 1, "spdx", "the first line is not \"// SPDX-License-Identifier: MIT\"")
    limit = (area == "Sources") ? 500 : (area == "Tests") ? 600 : 0
    if (limit && number > limit) report(file, limit + 1, "length", number " lines, at most " limit)
}

# MARK: What comes in

{
    type = substr($0, 1, index($0, "\t") - 1)
    item = substr($0, index($0, "\t") + 1)
}

type == "floors" && item ~ /^target[ \t]/ {
    n = split(item, field, /[ \t]+/)
    targets[field[2]] = has_targets = 1
    for (i = 3; i <= n; i++) may_import[field[2], field[i]] = 1
}

type == "allow" {
    entry++
    if (item ~ /^[ \t]*(#|$)/) next
    n = split(item, field, /[ \t]+/)
    if (n < 4 || field[3] !~ /^[1-9][0-9]*$/) {
        report(allowlist, entry, "allowance", "not \"rule path count reason\": " item)
    } else if (field[1] !~ /^(nonisolated-unsafe|force-try|force-cast|fatal-error|sleep|machine-path)$/) {
        report(allowlist, entry, "allowance", "no rule that takes entries: " item)
    } else if (field[1] != "machine-path" && field[2] !~ /^Sources\//) {
        report(allowlist, entry, "allowance", "only files below Sources may be excused from this: " item)
    } else {
        allowed[field[1] "\t" field[2]] += field[3]
        entry_of[field[1] "\t" field[2]] = entry
    }
}

type == "swift" {
    file = item
    check_swift()
}

type == "path" {
    # file:line:text
    n = index(item, ":")
    file = substr(item, 1, n - 1)
    text = substr(item, n + 1)
    line = text
    sub(/:.*/, "", line)
    sub(/^[0-9]+:/, "", text)
    if (file ~ /^Tests\// && text !~ /\/(work|root)[\/]/) next
    count("machine-path", file, line, text)
}

type == "tracked" { report(item, 1, "tracked", "is made by the build and does not belong in git") }

END {
    for (key in hits) if (hits[key] > allowed[key] + 0) printf "%s", spots[key]
    for (key in entry_of) {
        if (hits[key] + 0 < allowed[key]) {
            split(key, field, "\t")
            report(allowlist, entry_of[key], "allowance", "allows " allowed[key] " " field[1] " in " field[2] ", found " hits[key] + 0)
        }
    }
}
