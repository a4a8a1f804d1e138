#!/usr/bin/env bash
# Checks what neither the compiler nor the formatter can say about the sources. Prints 'file:line: rule: text' for each
# violation and exits with 1 when there is one.
#
#     Scripts/layers.sh [top of a package; this one by default]
#
# import              Which part may import which. A line of the picture only points right:
#                     Samples, Benchmarks, Snippets -> RestClientFoundation -> RestClient -> SharedStore -> CSQLite, CZlib.
#                     RestClientTesting stands on RestClient too, and only it imports Testing. So do the adapters
#                     RestClientLogging, RestClientMetrics and RestClientTracing, and only they import what each is for.
#                     Only Sources/SharedStore/SQLite imports CSQLite, only Sources/SharedStore/Zlib imports CZlib.
#                     The libraries import RestEssentials, which imports FoundationEssentials, and Foundation only where that
#                     is not to be had: in the '#else' of '#if canImport(FoundationEssentials)' or in '#if canImport(Darwin)'.
#                     Sources/RestClient/Transport/URLSession*.swift may import Foundation and FoundationNetworking
#                     in '#if canImport(Darwin) || URLSessionTransport'. Sources import nothing that is for tests.
# length              At most 500 lines below Sources, 600 below Tests.
# unchecked           At most 3 '@unchecked Sendable' below Sources; each, anywhere, with a comment on the line above.
# nonisolated-unsafe, force-try, force-cast, fatal-error, sleep
#                     None below Tests; below Sources only those that Scripts/layers-allow.txt gives a reason for.
# spdx                The first line of a Swift file is '// SPDX-License-Identifier: MIT' (not that of a manifest).
# any-dictionary      No [String: Any] in a public declaration.
# machine-path        No absolute path of one machine in a file of the repository (tests may speak of the folder tmp).
# tracked             Neither Package.resolved nor anything in .build is in git.
# allowance           Each entry of Scripts/layers-allow.txt is well-formed and still needed.
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

# Every Swift file, whether git knows it yet or not.
swift_files() {
    local path
    for path in Package.swift Sources Tests Snippets Samples Benchmarks Conformance; do
        [ ! -e "$path" ] || find "$path" -name .build -prune -o -type f -name '*.swift' -print
    done
}

# Every file that is in git or would be after 'git add .', each ended by a NUL.
repository_files() {
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git ls-files -z --cached --others --exclude-standard
    else
        find . \( -name .git -o -name .build \) -prune -o -type f -print0
    fi
}

# Lines that name a path of one machine, as file:line:text. The brackets keep this line from naming one itself.
machine_paths() {
    local start='(^|[^A-Za-z0-9_.~/)}>-]|file://)'
    repository_files | xargs -0 grep -nsHIE -e "$start/(work|root|tmp)[/]" -- /dev/null || true
}

tracked_products() {
    git ls-files --cached 2>/dev/null | grep -E '(^|/)(Package\.resolved$|\.build/)' || true
}

check() {
    {
        if [ -f Scripts/layers-allow.txt ]; then
            awk '{ print "allow\t" $0 }' Scripts/layers-allow.txt
        fi
        swift_files | awk '{ print "swift\t" $0 }'
        machine_paths | awk '{ sub(/^\.\//, ""); print "path\t" $0 }'
        tracked_products | awk '{ print "tracked\t" $0 }'
    } | awk '
        BEGIN {
            allowlist = "Scripts/layers-allow.txt"
            # Where Foundation may be imported: conditions that hold on Apple platforms only.
            apple = " canImport(Darwin) !canImport(FoundationEssentials) os(macOS) os(iOS) "
            urlsession = apple "URLSessionTransport "
        }

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

            if (area == "Sources") {
                if (testable || module ~ /^(XCTest|TestSupport|RestClientTesting)$/ || module ~ /Tests$/ ||
                    (module == "Testing" && part != "RestClientTesting"))
                    report(file, number, "import", "Sources import nothing that is for tests: " raw)
                if (part == "SharedStore" && module ~ /^(RestClient|JobGraphs)/)
                    report(file, number, "import", "SharedStore imports neither RestClient nor what stands on it: " raw)
                if (part == "JobGraphs" && module ~ /^(RestClient.*|HTTPTypes|NIO.*|AsyncHTTPClient)$/)
                    report(file, number, "import", "JobGraphs has no word of HTTP: " raw)
                if (part ~ /^RestClient/ && module != part && module ~ /^RestClient(Foundation|Logging|Metrics|Tracing)$/)
                    report(file, number, "import", part " does not import what stands on RestClient: " raw)
                if ((module ~ /^(Logging|InMemoryLogging)$/ && part != "RestClientLogging") ||
                    (module ~ /^(Metrics|CoreMetrics|MetricsTestKit)$/ && part != "RestClientMetrics") ||
                    (module ~ /^(Tracing|Instrumentation|ServiceContextModule|InMemoryTracing)$/ && part != "RestClientTracing"))
                    report(file, number, "import", "only the adapter for it imports " module ": " raw)
                if (part ~ /^RestClient/ && module ~ /^(C[A-Z][A-Za-z0-9_]*|SQLite3|zlib)$/ && module !~ /^(CSQLite|CZlib)$/)
                    report(file, number, "import", part " imports no C module: " raw)
                if (part ~ /^(RestClient|RestClient(Logging|Metrics|Recording|Reports|Testing|Tracing)|JobGraphs|RestEssentials|SharedStore)$/) check_foundation(module, raw)
            } else if (area != "Tests") {
                if (testable && module ~ /^(RestClient[A-Za-z]*|SharedStore)$/ && module !~ /Tests$/)
                    report(file, number, "import", area " use what is public, nothing testable: " raw)
                if (module ~ /^(TestSupport|SharedStoreTests|RestClientTests|IntegrationTests)$/)
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
                    if (!below_comment)
                        report(file, number, "unchecked", "no comment on the line above says what protects it: " raw)
                    if (area == "Sources") {
                        unchecked++
                        unchecked_file[unchecked] = file
                        unchecked_line[unchecked] = number
                    }
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
            if (unchecked > 3)
                for (n = 1; n <= unchecked; n++)
                    report(unchecked_file[n], unchecked_line[n], "unchecked", unchecked " below Sources, at most 3")
        }
    ' | sort -t: -k1,1 -k2,2n -k3,3
}

violations=$(check)
if [ -n "$violations" ]; then
    printf '%s\n' "$violations"
    exit 1
fi
