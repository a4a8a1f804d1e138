#!/usr/bin/env bash
# Proves that Scripts/layers.sh finds a violation of each of its rules, and finds none where there is none.
#
#     Scripts/layers-selftest.sh
#
# Every case lays a clean tree in a temporary folder, changes it, and compares what is found with what is to be found.
set -euo pipefail
layers=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd -P)/layers.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

spdx='// SPDX-License-Identifier: MIT'
passed=0
failed=0

# Writes standard input to a file of the tree, below the SPDX line; so the first line of the input is line 2.
put() {
    mkdir -p "$(dirname "$work/tree/$1")"
    { echo "$spdx" && cat; } >"$work/tree/$1"
}

lines() {
    local line
    for ((line = 0; line < $1; line++)); do
        echo "// Line"
    done
}

# A tree with everything that looks like a violation and is none.
first_tree() {
    mkdir -p "$work/tree"
    git -C "$work/tree" init -q
    printf '%s\n' '// swift-tools-version: 6.2' 'import PackageDescription' >"$work/tree/Package.swift"
    printf '%s\n' 'Package.resolved' '.build/' >"$work/tree/.gitignore"
    put Sources/SharedStore/SQLite/Connection.swift <<'SWIFT'
import CSQLite

struct Connection: Sendable {}
SWIFT
    put Sources/SharedStore/Zlib/Inflater.swift <<'SWIFT'
private import CZlib
SWIFT
    put Sources/SharedStore/Cache/Cache.swift <<'SWIFT'
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Darwin) && swift(>=6.2)
public import struct Foundation.Data
#endif

/// Not `fatalError(`, not "try!", never Task.sleep( and no import Foundation: this is a comment.
public struct Cache: Sendable {
    /* try! in /* a nested */ comment as! well */
    let words = "try! as! fatalError( \" sleep( \(text(of: ["a"], ")")) nonisolated(unsafe)"
    let raw = #"a " quote, try! and \(as! "#
    let many = """
        import CSQLite
        try! Task.sleep( "quoted" ""
        """
    let empty = ["", "", #""#]
    public func rest(on clock: some Clock<Duration>) async throws { try await clock.sleep(for: .seconds(1)) }
    public func sleep(until deadline: Int) async throws {}
    private var values: [String: Any] = [:]
    public var sendable: [String: any Sendable] { values as! [String: Any] is Bool ? [:] : [:] }
    public func asleep() { oversleep(1) }
}
SWIFT
    # The one forced cast above has its entry.
    mkdir -p "$work/tree/Scripts"
    printf '%s\n' '# A comment' '' 'force-cast Sources/SharedStore/Cache/Cache.swift 1 shows that an entry works' \
        >"$work/tree/Scripts/layers-allow.txt"
    cp "${layers%/*}/floors.txt" "$work/tree/Scripts/floors.txt"
    put Sources/JobGraphs/Job.swift <<'SWIFT'
import RestEssentials
import SharedStore
SWIFT
    put Sources/RestClientReports/Page.swift <<'SWIFT'
public import JobGraphs
SWIFT
    put Sources/RestClientRecording/Archive.swift <<'SWIFT'
public import RestClient
SWIFT
    put Sources/RestClient/Manager.swift <<'SWIFT'
import Crypto
public import JobGraphs
import SharedStore
SWIFT
    put Sources/RestClient/Transport/URLSessionTransport.swift <<'SWIFT'
#if canImport(Darwin) || URLSessionTransport
public import Foundation
#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif
#endif
SWIFT
    put Sources/RestClientFoundation/Bridge.swift <<'SWIFT'
import Foundation
public import RestClient
SWIFT
    put Sources/RestClientLogging/Log.swift <<'SWIFT'
#if Logging
public import Logging
public import RestClient
#endif
SWIFT
    put Sources/RestClientMetrics/Metrics.swift <<'SWIFT'
#if Metrics
public import CoreMetrics
public import RestClient
#endif
SWIFT
    put Sources/RestClientTracing/Trace.swift <<'SWIFT'
#if Tracing
public import RestClient
public import Tracing
#endif
SWIFT
    put Sources/RestClientTesting/Trait.swift <<'SWIFT'
public import RestClient
import RestClientRecording
public import Testing
SWIFT
    put Tests/RestClientTests/ManagerTests.swift <<'SWIFT'
import Testing

@testable import RestClient

@Suite struct ManagerTests {
    @Test
    func `a "quoted" name may say try! and // go on`() { open("/tmp" + "/file") }
}
SWIFT
    put Samples/Sources/Chained/Chained.swift <<'SWIFT'
import Foundation
import RestClient
import SharedStore
SWIFT
    put Samples/Tests/ChainedTests/ChainedTests.swift <<'SWIFT'
@testable import Chained
import RestClientTesting
SWIFT
    put Benchmarks/Sources/Bench/Bench.swift <<'SWIFT'
import RestClient
SWIFT
    # What a build leaves is no business of ours.
    mkdir -p "$work/tree/Samples/.build/checkouts/other"
    echo "import CSQLite" >"$work/tree/Samples/.build/checkouts/other/Other.swift"
}

clean_tree() {
    rm -rf "$work/tree"
    cp -R "$work/clean" "$work/tree"
}

# Compares what is found with the 'file:line: rule' lines that follow the name of the case.
expect() {
    local name=$1 wanted found status=0
    shift
    wanted=$([ "$#" -eq 0 ] || printf '%s\n' "$@")
    found=$("$layers" "$work/tree") || status=$?
    found=$(printf '%s\n' "$found" | sed 's/^\([^:]*:[0-9]*: [a-z-]*\): .*/\1/')
    if [ "$found" = "$wanted" ] && [ "$status" -eq "$(($# > 0))" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s (exit code %s)\n  wanted: %s\n  found:  %s\n' "$name" "$status" "$wanted" "$found"
    fi
    clean_tree
}

first_tree
mv "$work/tree" "$work/clean"
clean_tree
expect "a clean tree has no violation"

rm -rf "$work/tree/.git"
expect "a clean tree without git has none either"

# MARK: - import

for line in "import CSQLite" "import CZlib" "public import CSQLite" "@preconcurrency import CZlib" "import struct CZlib.z_stream"; do
    echo "$line" | put Sources/SharedStore/Cache/Bad.swift
    expect "$line outside its folder" "Sources/SharedStore/Cache/Bad.swift:2: import"
done
echo "import CZlib" | put Sources/SharedStore/SQLite/Bad.swift
expect "CZlib in the folder of CSQLite" "Sources/SharedStore/SQLite/Bad.swift:2: import"
echo "import CSQLite" | put Sources/RestClient/Bad.swift
expect "CSQLite in RestClient" "Sources/RestClient/Bad.swift:2: import"
echo "import CNIOLinux" | put Sources/RestClient/Bad.swift
expect "another C module in RestClient" "Sources/RestClient/Bad.swift:2: import"
echo "import CZlib" | put Tests/SharedStoreTests/Bad.swift
expect "CZlib in a test" "Tests/SharedStoreTests/Bad.swift:2: import"
for library in CBrotli CZstd; do
    echo "import $library" | put Sources/RestClient/Bodies/Decoders/Good.swift
    expect "$library among the decoders"
    echo "import $library" | put Sources/RestClient/Transport/Bad.swift
    expect "$library elsewhere" "Sources/RestClient/Transport/Bad.swift:2: import"
done
echo "struct Bad {}" | put Sources/RestClientBanana/Bad.swift
expect "a target that is not listed" "Sources/RestClientBanana/Bad.swift:1: import"
while read -r part modules; do
    for module in $modules; do
        echo "import $module" | put "Sources/$part/Bad.swift"
        expect "$part imports $module" "Sources/$part/Bad.swift:2: import"
    done
done <<'PARTS'
RestEssentials SharedStore JobGraphs RestClient
SharedStore JobGraphs RestClient RestClientReports
JobGraphs RestClient RestClientReports HTTPTypes NIOCore AsyncHTTPClient
ConcurrencyTesting SharedStore JobGraphs RestClient RestClientTesting
RestClientReports RestClient RestClientRecording HTTPTypes
RestClient RestClientReports RestClientRecording RestClientTesting RestClientFoundation RestClientLogging
RestClientRecording RestClientReports RestClientTesting
RestClientTesting RestClientReports RestClientFoundation
RestClientFoundation RestClientRecording RestClientTesting
PARTS
for module in Foundation FoundationNetworking FoundationXML NIOFoundationCompat; do
    echo "import $module" | put Sources/RestClient/Bad.swift
    expect "$module in RestClient" "Sources/RestClient/Bad.swift:2: import"
done
echo "@preconcurrency public import class Foundation.NSLock" | put Sources/SharedStore/Bad.swift
expect "a part of Foundation in SharedStore" "Sources/SharedStore/Bad.swift:2: import"
printf '%s\n' "#if canImport(FoundationEssentials)" "import Foundation" "#endif" | put Sources/SharedStore/Bad.swift
expect "Foundation in the wrong branch" "Sources/SharedStore/Bad.swift:3: import"
printf '%s\n' "#if canImport(Darwin) || os(Linux)" "import Foundation" "#endif" | put Sources/SharedStore/Bad.swift
expect "Foundation in a branch that Linux takes too" "Sources/SharedStore/Bad.swift:3: import"
printf '%s\n' "#if canImport(Darwin)" "#else" "import Foundation" "#endif" | put Sources/SharedStore/Bad.swift
expect "Foundation in the other branch of Darwin's" "Sources/SharedStore/Bad.swift:4: import"
printf '%s\n' "#if canImport(Darwin)" "#endif" "import Foundation" | put Sources/SharedStore/Bad.swift
expect "Foundation after its branch" "Sources/SharedStore/Bad.swift:4: import"
printf '%s\n' "#if URLSessionTransport" "import FoundationNetworking" "#endif" | put Sources/RestClient/Transport/Other.swift
expect "FoundationNetworking outside URLSession*.swift" "Sources/RestClient/Transport/Other.swift:3: import"
printf '%s\n' "#if canImport(FoundationNetworking)" "import FoundationNetworking" "#endif" |
    put Sources/RestClient/Transport/URLSessionBad.swift
expect "FoundationNetworking outside the trait" "Sources/RestClient/Transport/URLSessionBad.swift:3: import"
for line in "import XCTest" "import Testing" "import TestSupport" "import RestClientTests" "import RestClientTesting" \
    "@testable import SharedStore"; do
    echo "$line" | put Sources/RestClientFoundation/Bad.swift
    expect "$line in Sources" "Sources/RestClientFoundation/Bad.swift:2: import"
done
for line in "import RestClient" "import TestSupport" "import HTTPTypes"; do
    echo "$line" | put Tests/JobGraphsTests/Bad.swift
    expect "$line in the tests of JobGraphs" "Tests/JobGraphsTests/Bad.swift:2: import"
done
for part in RestClient SharedStore RestClientFoundation; do
    printf '%s\n' "import Logging" "import CoreMetrics" "import Tracing" "import XMLCoder" "import OpenCombine" |
        put "Sources/$part/Bad.swift"
    expect "$part imports what is for an adapter" "Sources/$part/Bad.swift:2: import" "Sources/$part/Bad.swift:3: import" \
        "Sources/$part/Bad.swift:4: import" "Sources/$part/Bad.swift:5: import" "Sources/$part/Bad.swift:6: import"
done
printf '%s\n' "import RestClientTracing" "import RestClientFoundation" "import Tracing" "import Foundation" |
    put Sources/RestClientLogging/Bad.swift
expect "an adapter imports another one" "Sources/RestClientLogging/Bad.swift:2: import" \
    "Sources/RestClientLogging/Bad.swift:3: import" "Sources/RestClientLogging/Bad.swift:4: import" \
    "Sources/RestClientLogging/Bad.swift:5: import"
printf '%s\n' "import Foundation" "import XCTest" "import TestSupport" | put Sources/RestClientTesting/Bad.swift
expect "RestClientTesting imports more than Testing" "Sources/RestClientTesting/Bad.swift:2: import" \
    "Sources/RestClientTesting/Bad.swift:3: import" "Sources/RestClientTesting/Bad.swift:4: import"
for area in Samples Benchmarks Snippets Conformance; do
    printf '%s\n' "import CSQLite" "import TestSupport" "@testable import RestClient" | put "$area/Bad.swift"
    expect "$area import what is not public" "$area/Bad.swift:2: import" "$area/Bad.swift:3: import" "$area/Bad.swift:4: import"
done

# MARK: - length

lines 500 | put Sources/RestClient/Long.swift
expect "501 lines below Sources" "Sources/RestClient/Long.swift:501: length"
lines 499 | put Sources/RestClient/Long.swift
expect "500 lines below Sources"
lines 600 | put Tests/RestClientTests/Long.swift
expect "601 lines below Tests" "Tests/RestClientTests/Long.swift:601: length"

# MARK: - unchecked

printf '%s\n' "// Why" "final class Bad: @unchecked Sendable {}" | put Sources/RestClient/Bad.swift
expect "@unchecked Sendable below Sources" "Sources/RestClient/Bad.swift:3: unchecked"
printf '%s\n' "" "final class Bad: @unchecked Sendable {}" | put Tests/RestClientTests/Bad.swift
expect "one without a comment in a test" "Tests/RestClientTests/Bad.swift:3: unchecked"
printf '%s\n' "// Why" "@available(macOS 16, *)" "final class Good: @unchecked Sendable {}" | put Tests/RestClientTests/Good.swift
expect "a comment above the attributes"

# MARK: - traps and waiting

while IFS='|' read -r rule code; do
    for folder in Sources/RestClient Tests/RestClientTests; do
        echo "$code" | put "$folder/Bad.swift"
        expect "$rule in $folder: $code" "$folder/Bad.swift:2: $rule"
    done
    echo "$code" | put Sources/RestClient/Bad.swift
    echo "$rule Sources/RestClient/Bad.swift 1 a reason" >>"$work/tree/Scripts/layers-allow.txt"
    expect "$rule with an entry"
done <<'CASES'
nonisolated-unsafe|nonisolated(unsafe) var value = 1
force-try|let value = try! make()
force-try|let text = "a \(try! make("b")) c"
force-cast|let value = other as! Int
fatal-error|default: fatalError("never")
fatal-error|default: Swift.fatalError()
sleep|try await Task.sleep(for: .seconds(1))
sleep|try await Task<Never, Never>.sleep(nanoseconds: 1)
sleep|try await ContinuousClock().sleep(for: .seconds(1))
sleep|usleep(1000)
sleep|Glibc.usleep(1000)
sleep|let left = sleep(1)
sleep|Thread.sleep(forTimeInterval: 1)
CASES
printf '%s\n' 'let text = """' '    \(try! one())' '    """; let other = try! two()' | put Sources/RestClient/Bad.swift
expect "in and after a string of several lines" "Sources/RestClient/Bad.swift:3: force-try" "Sources/RestClient/Bad.swift:4: force-try"

# MARK: - spdx

echo "import RestClient" >"$work/tree/Snippets.swift"
mkdir "$work/tree/Snippets" && mv "$work/tree/Snippets.swift" "$work/tree/Snippets/Bad.swift"
expect "no SPDX line" "Snippets/Bad.swift:1: spdx"
printf '\n%s\n' "$spdx" >"$work/tree/Sources/RestClient/Bad.swift"
expect "the SPDX line not first" "Sources/RestClient/Bad.swift:1: spdx"
: >"$work/tree/Sources/RestClient/Bad.swift"
expect "an empty file" "Sources/RestClient/Bad.swift:1: spdx"

# MARK: - any-dictionary

for line in "public var values: [String: Any] { [:] }" "public func a(b: [String : Any]?) {}" "open var c: Dictionary<String, Any>"; do
    echo "$line" | put Sources/RestClient/Bad.swift
    expect "$line" "Sources/RestClient/Bad.swift:2: any-dictionary"
done
printf '%s\n' "public func send(" "    _ body: Int," "    _ values: [String: Any]" ") {" "}" "let inner: [String: Any]" |
    put Sources/RestClient/Bad.swift
expect "in a declaration of several lines" "Sources/RestClient/Bad.swift:4: any-dictionary"

# MARK: - the repository

# In two parts, so that this script names no such path itself.
for folder in work root tmp; do
    echo "see /""$folder/main" >"$work/tree/notes.md"
    expect "a path of one machine in a document ($folder)" "notes.md:1: machine-path"
done
echo "open file:///""tmp/x" >"$work/tree/notes.md"
expect "the same as an address" "notes.md:1: machine-path"
printf '%s\n' "https://example.com/""work/x \$TMPDIR/""tmp/x ./""work/x" >"$work/tree/notes.md"
expect "no path of one machine"
echo "let path = \"/""tmp/x\"" | put Tests/RestClientTests/Temporary.swift
expect "the temporary folder in a test"
echo "let path = \"/""root/x\"" | put Tests/RestClientTests/Bad.swift
expect "another folder in a test" "Tests/RestClientTests/Bad.swift:2: machine-path"
echo "let path = \"/""root/x\"" | put Tests/RestClientTests/Bad.swift
echo "machine-path Tests/RestClientTests/Bad.swift 1 the path of a request" >>"$work/tree/Scripts/layers-allow.txt"
expect "the same with an entry"
touch "$work/tree/Package.resolved"
git -C "$work/tree" add -f Package.resolved Samples/.build
expect "products in git" "Package.resolved:1: tracked" "Samples/.build/checkouts/other/Other.swift:1: tracked"
touch "$work/tree/Package.resolved"
expect "products beside git"

# MARK: - floor

# A house of three floors with a feature on each side of the middle one, and with everything that looks like a wrong name.
house() {
    printf '%s\n' "floor Ground" "feature Left" "feature Right" "floor Attic" >>"$work/tree/Scripts/floors.txt"
    printf '%s\n' "target Shed" "library Shed" "floor Cellar" "floor Loft" >>"$work/tree/Scripts/floors.txt"
    : >"$work/tree/Scripts/floors-allow.txt"
    put Sources/RestClient/Ground/Stone.swift <<'SWIFT'
/// Carries ``Roof``, says a comment, and Vase too.
public struct Stone<Lamp> {
    let text = "Roof and \("Roof") Vase"
    let roof: Lamp
    let other: Wall.Roof
    func name() { print(roof.Vase, Thing.Roof, .Roof) }
    struct Roof {}
    let inner: Roof
}
SWIFT
    put Sources/RestClient/Ground/Wall.swift <<'SWIFT'
enum Wall {
    struct Roof {
        let window: Window
    }
}
private struct Tile {}
struct Floor { let tile: Tile }
SWIFT
    put Sources/RestClient/Ground/Wall+Window.swift <<'SWIFT'
extension Wall {
    struct Window {}
}
protocol Bearing {
    associatedtype Vase
    var vase: Vase { get }
}
SWIFT
    put Sources/RestClient/Left/Lamp.swift <<'SWIFT'
struct Lamp { let stone: Stone<Int> }
SWIFT
    put Sources/RestClient/Right/Vase.swift <<'SWIFT'
struct Vase { let window: Wall.Window }
extension Wall {
    struct Picture {}
}
SWIFT
    put Sources/RestClient/Attic/Roof.swift <<'SWIFT'
struct Roof { let lamp: Lamp, vase: Vase }
struct Tile { let roof: Roof }
SWIFT
    put Sources/RestClient/Whole.swift <<'SWIFT'
struct Whole { let roof: Roof }
SWIFT
    # Its names are those of the house, and mean other types.
    put Sources/Shed/Loft/Roof.swift <<'SWIFT'
struct Roof { let beam: Beam }
SWIFT
    put Sources/Shed/Cellar/Beam.swift <<'SWIFT'
struct Beam { let lamp: Lamp, vase: Vase, whole: Whole }
SWIFT
}

house
expect "a house in order"
while IFS='|' read -r name folder code; do
    house
    echo "$code" | put "Sources/RestClient/$folder/Bad.swift"
    expect "$name" "Sources/RestClient/$folder/Bad.swift:2: floor"
done <<'CASES'
a floor names one above it|Ground|let roof: Roof
a type of the module by its whole name|Ground|let roof: RestClient.Roof
a name in an interpolation|Ground|let text = "a \(Roof()) b"
an extension of a type above|Ground|extension Vase { func fill() {} }
a list of what it inherits|Ground|struct Bad: Sendable, Vase {}
a type that an upper folder nests in one of this|Ground|let picture: Wall.Picture
the same from within the type|Ground|extension Wall { func hang(_ picture: Picture) {} }
a feature names another|Left|let vase: [Vase]
and the other way round|Right|func light(_ lamp: Lamp?) {}
a feature names an upper floor|Left|typealias Top = Roof
a floor names what lies beside the folders|Attic|weak var whole: Whole?
CASES
house
echo "let roof: Shed.Roof" | put Sources/Shed/Cellar/Bad.swift
expect "a floor of another library names one above it" "Sources/Shed/Cellar/Bad.swift:2: floor"
house
echo "let roof: Roof" | put Sources/JobGraphs/Workers/Bad.swift
echo "struct Roof {}" | put Sources/JobGraphs/Run/Roof.swift
expect "the floors of JobGraphs" "Sources/JobGraphs/Workers/Bad.swift:2: floor"
house
echo "let roof: Roof" | put Sources/SharedStore/Zlib/Bad.swift
echo "struct Roof {}" | put Sources/SharedStore/Cache/Roof.swift
expect "the floors of SharedStore" "Sources/SharedStore/Zlib/Bad.swift:2: floor"
house
echo "struct Coal {}" | put Sources/RestClient/Cellar/Coal.swift
expect "a folder that is not listed" "Sources/RestClient/Cellar/Coal.swift:1: floor"
house
printf '%s\n' "let roof: Roof" "let again: Roof" "let lamp: Lamp" | put Sources/RestClient/Ground/Bad.swift
expect "once for each type" "Sources/RestClient/Ground/Bad.swift:2: floor" "Sources/RestClient/Ground/Bad.swift:4: floor"
house
echo "let roof: Roof" | put Sources/RestClient/Ground/Bad.swift
printf '%s\n' "# A comment" "RestClient/Ground Attic Roof" >"$work/tree/Scripts/floors-allow.txt"
expect "what is kept may pass"
house
echo "RestClient/Ground Attic Roof" >"$work/tree/Scripts/floors-allow.txt"
expect "what is kept and not needed" "Scripts/floors-allow.txt:1: allowance"
house
echo "let roof: Roof" | put Sources/RestClient/Ground/Bad.swift
printf '%s\n' "RestClient/Ground Attic Roof" "RestClient/Ground Attic" "RestClient/Ground Attic Roof" >"$work/tree/Scripts/floors-allow.txt"
expect "what is kept and not understood" "Scripts/floors-allow.txt:2: allowance" "Scripts/floors-allow.txt:3: allowance"

# MARK: - english

# Everything that sounds wrong and does not.
accent() {
    find "$work/tree" -name '*.swift' -exec sed -i.old 's/^\(\/\/ SPDX.*\)$/\1\
/' {} + && find "$work/tree" -name '*.old' -delete
    : >"$work/tree/Scripts/english-allow.txt"
    put Sources/RestClient/Ground/Good.swift <<'SWIFT'

// MARK: - A section

/// A response; nothing ``answers`` here, and `anew` is a name. Whatever it is.
///
/// What a paragraph begins with is free.
/// ```swift
/// dummy.answers(.ok)
/// ```
func good() {
    guard let value, let other
    else {
        return
    }
    guard value else {
        return
    }
    if value { return } else { return }
    let text = "guard value else { return } // MARK: None, and a line that is longer than any comment may be, which does no harm as it is code"
    @Test
    func `a name`() {}
    // … … … … … … … … … … … … … … fewer than a hundred and twenty columns, although there are more bytes.
}
SWIFT
}

accent
expect "a text in one accent"
while IFS='|' read -r name code; do
    accent
    printf '\n%s\n' "$code" | put Sources/RestClient/Ground/Bad.swift
    expect "$name" "Sources/RestClient/Ground/Bad.swift:3: english"
done <<'CASES'
a guard on one line|    guard let value else { return }
a guard that throws on one line|guard value, other > 3 else { throw Failure("else {}") }
a section without its dash|    // MARK: A section
a comment that is too long|// It goes on and on and on and on and on and on and on and on and on and on and on and on and on and on and on and on to here.
a test on one line|    @Test func `a name`() {}
a test with arguments on one line|    @Test(arguments: [1, 2]) func `a name`() {}
a summary that asks|    /// What it is.
a summary that asks whether|/// Whether it is.
a summary that asks for a number|/// How many there are.
a summary that asks for a place|    /// Where it is.
a private word|/// The server's answer.
the same at a line's beginning|/// Answers are stored.
CASES
accent
printf '%s\n' "import Crypto" | put Sources/RestClient/Ground/Bad.swift
expect "no blank line below the licence" "Sources/RestClient/Ground/Bad.swift:2: english"
accent
printf '%s\n' "" "public struct One {}" "private struct Two {}" "extension One {" "    struct Three {}" "}" "@frozen enum Four {}" |
    put Sources/RestClient/Ground/Bad.swift
expect "two types in a file" "Sources/RestClient/Ground/Bad.swift:8: english"
accent
printf '%s\n' "" "guard value" "else { return }" | put Sources/RestClient/Ground/Bad.swift
expect "a guard on two lines" "Sources/RestClient/Ground/Bad.swift:4: english"
accent
printf '\n%s\n' "/// What it is." | put Sources/RestClient/Ground/Bad.swift
echo "question Sources/RestClient/Ground 1" >"$work/tree/Scripts/english-allow.txt"
expect "as many as are kept"
accent
printf '\n%s\n' "/// What it is." | put Sources/RestClient/Ground/Bad.swift
echo "question Sources/RestClient/Ground 2" >"$work/tree/Scripts/english-allow.txt"
expect "fewer than are kept" "Scripts/english-allow.txt:1: allowance"
accent
echo "question many" >"$work/tree/Scripts/english-allow.txt"
expect "an entry that is not understood" "Scripts/english-allow.txt:1: allowance"

# MARK: - allowance

echo "sleep Sources/RestClient/Gone.swift 1 no longer there" >>"$work/tree/Scripts/layers-allow.txt"
expect "an entry that nothing needs" "Scripts/layers-allow.txt:4: allowance"
echo "sleep Sources/RestClient/Gone.swift 1" >>"$work/tree/Scripts/layers-allow.txt"
expect "an entry without a reason" "Scripts/layers-allow.txt:4: allowance"
echo "sleep Tests/RestClientTests/Bad.swift 1 tests are impatient" >>"$work/tree/Scripts/layers-allow.txt"
expect "an entry for a test" "Scripts/layers-allow.txt:4: allowance"
echo "length Sources/RestClient/Long.swift 1 so much to say" >>"$work/tree/Scripts/layers-allow.txt"
expect "an entry for a rule that takes none" "Scripts/layers-allow.txt:4: allowance"

printf 'layers-selftest: %d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
