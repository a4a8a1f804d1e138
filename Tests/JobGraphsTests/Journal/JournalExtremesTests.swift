// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import RestEssentials
import SeededRandom
import SharedStore
import Testing

@testable import JobGraphs

/// Journals of a file, which may hold any bytes.
@Suite(.timeLimit(.minutes(5)))
struct JournalExtremesTests {
    private typealias Rows = [(key: String, row: Row)]

    private struct Failed: Error {}
    private struct Refused: Error {}

    /// A result of many forms.
    private struct Sample: Codable, Sendable {
        var date = Date(timeIntervalSinceReferenceDate: 1)
        var data = Data([1, 2])
        var number = 1.5
        var numbers: [Int: Int?] = [1: 2, 3: nil]
    }

    /// Does two pieces of work once; the second is refused until it is mended, and has another one inside.
    private struct Purchase: Job {
        let isMended: Bool

        func run(in context: JobContext) async throws -> [String] {
            func isRefusal(_ error: any Error) -> Bool { error is Refused }
            let first = try await context.once { (_: String) async throws -> String in "first" }
            let second = try await context.once(hadNoEffect: isRefusal) { (_: String) async throws -> String in
                guard isMended else {
                    throw Refused()
                }
                return try await context.once { (_: String) async throws -> String in "second" }
            }
            return [first, second]
        }
    }

    /// Work whose outcome is unknown until it is mended.
    private struct Charge: Job {
        let isMended: Bool

        func run(in context: JobContext) async throws -> String? {
            try await context.once { (_: String) async throws -> String? in
                try JournalExtremesTests.check(isMended)
                return "charged"
            }
        }
    }

    private static func check(_ isMended: Bool) throws {
        if !isMended {
            throw Failed()
        }
    }

    /// The state in which a run left its journal.
    enum Scene: CaseIterable {
        case failed, compensating, succeeded
    }

    private static func graph(_ scene: Scene, isMended: Bool) -> (graph: JobGraph, sample: JobHandle<Sample>) {
        var graph = JobGraph("stored")
        let numbers = graph.input("numbers", [1, 2, 3])
        let sample = graph.local("sample") { Sample() }
        let voids = graph.forEach("voids", in: numbers) { _ in () }
        graph.forEachOutcome("outcomes", in: numbers) { number in
            LocalJob("outcome") { () throws -> Int? in
                try Self.check(number > 1)
                return number == 2 ? nil : number
            }
        }
        graph.subgraph("inner", after: sample) { inner, sample in
            let node = inner.local("node") { sample.number }
            return node
        }
        graph.local("ignored", options: [.onFailure(.ignore)]) { () throws -> Int in throw Failed() }
        graph.job("charge", options: [.onFailure(.ignore)]) { Charge(isMended: isMended) }
        graph.job("purchase") { Purchase(isMended: isMended || scene == .succeeded) }
        if scene == .compensating {
            graph.undo("undo sample", of: sample) { _ in try Self.check(isMended) }
            graph.undo("undo voids", of: voids) { _ in }
        }
        return (graph, sample)
    }

    /// The rows that a run leaves.
    private static func rows(of scene: Scene) async throws -> Rows {
        let backing = MemoryBacking()
        let runtime = JobRuntime()
        runtime.persist(on: backing)
        let run = try await runtime.run(graph(scene, isMended: false).graph, journal: "stored")
        #expect(run.isSuccess == (scene == .succeeded))
        var rows: Rows = []
        for summary in try await backing.summaries(in: .journal, RowPage()) {
            let row = try #require(try await backing.row(summary.key, in: .journal))
            rows.append((key: summary.key, row: row))
        }
        return rows
    }

    /// A runtime whose journals have these rows.
    private static func runtime(_ rows: Rows) async throws -> JobRuntime {
        let backing = MemoryBacking()
        let steps = rows.map { key, row in
            RowStep.put(key: key, value: row.value, attributes: row.attributes, condition: .any)
        }
        _ = try await backing.commit(steps, in: .journal)
        let runtime = JobRuntime()
        runtime.persist(on: backing)
        return runtime
    }

    // MARK: - Members

    /// Replaces the value of the member that ends at a colon.
    private static func replaceValue(_ bytes: inout [UInt8], after colon: Int, with value: String) {
        let rest = bytes[(colon + 1)...]
        let end = rest.firstIndex { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") } ?? rest.endIndex
        bytes.replaceSubrange((colon + 1)..<end, with: Array(value.utf8))
    }

    /// Replaces the value of a member in the record of a row.
    private static func replace(_ member: String, of key: String, with value: String, in rows: inout Rows) throws {
        let place = try #require(rows.firstIndex { $0.key == key })
        let text = String(decoding: rows[place].row.attributes.metadata, as: UTF8.self)
        let name = try #require(text.firstRange(of: "\"\(member)\":"))
        var bytes = Array(text.utf8)
        replaceValue(&bytes, after: text.utf8.distance(from: text.startIndex, to: name.upperBound) - 1, with: value)
        rows[place].row.attributes.metadata = Data(bytes)
    }

    @Test(arguments: ["9223372036854775807", "9223372036854775806", "1000000000000", "0", "-9223372036854775808"])
    func `a number of work done once that no job reaches is an error of its node, which does nothing`(
        number: String
    ) async throws {
        var rows = try await Self.rows(of: .failed)
        try Self.replace("lastNumber", of: "n6:stored/purchase", with: number, in: &rows)
        let runtime = try await Self.runtime(rows)

        let run = try await runtime.run(Self.graph(.failed, isMended: true).graph, journal: "stored")

        #expect(run.code(of: "purchase") == .journalUnreadable)
        #expect(run.node("sample")?.status == .resumed)
    }

    @Test(
        arguments: [("rstored", "startedAt"), ("n6:stored/sample", "ordinal")],
        ["9223372036854775807", "-9223372036854775808", "4611686018427387904", "0", "-1"]
    )
    func `a run with extreme numbers is listed, and resumed`(member: (String, String), number: String) async throws {
        var rows = try await Self.rows(of: .failed)
        try Self.replace(member.1, of: member.0, with: number, in: &rows)
        let runtime = try await Self.runtime(rows)

        let list = try await runtime.journals.list()
        #expect(list.map(\.status) == [.failed])
        #expect(!"\(list)".isEmpty)
        let run = try await runtime.run(Self.graph(.failed, isMended: true).graph, journal: "stored")

        #expect(run.isSuccess)
        #expect(run.node("sample")?.status == .resumed)
    }

    // MARK: - Any bytes

    private static let extremes = [
        "9223372036854775807", "9223372036854775806", "-9223372036854775808", "4611686018427387904", "1048577", "0",
        "-1", "1e308", "-1e308", "1e999", "-0.0", "0.5", "null", "true", "\"\"", "\"NaN\"", "\"Infinity\"", "[]", "{}",
        "[null]", "[\"\",\"\"]", "\"running\"", "\"succeeded\"", "\"started\"", "\"finished\"", "\"done\"",
        "\"notDone\"", "\"odd\"", "\"\\u0000\\u202e/[~%\"", String(repeating: "[", count: 2_000),
    ]

    /// Changes bytes, or the value of some member.
    private static func spoil(_ data: inout Data, using random: inout SeededGenerator) {
        var bytes = Array(data)
        let colons = bytes.indices.filter { bytes[$0] == UInt8(ascii: ":") }
        if Int.random(in: 0..<4, using: &random) > 0, let colon = colons.randomElement(using: &random) {
            replaceValue(&bytes, after: colon, with: extremes.randomElement(using: &random) ?? "")
        } else {
            let place = Int.random(in: 0...bytes.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes.removeLast(bytes.count - place)
            case 1 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 2 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 3 where place < bytes.count: bytes.remove(at: place)
            default: bytes.insert(contentsOf: Array(bytes.prefix(place)), at: place)
            }
        }
        data = Data(bytes)
    }

    /// Spoils the records, the results or the paths of some rows.
    private static func spoil(_ rows: inout Rows, using random: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            guard let place = rows.indices.randomElement(using: &random) else {
                return
            }
            var (key, row) = rows[place]
            switch Int.random(in: 0..<8, using: &random) {
            case 0, 1:
                spoil(&row.value, using: &random)
                // Otherwise the digest of the result says that it was altered, and nobody reads it.
                if var record = try? JournalCoding.decode(JournalRecord.self, from: row.attributes.metadata, "a row") {
                    record.output = ResultCoding.digest(row.value)
                    row.attributes.metadata = (try? JournalCoding.encode(record)) ?? Data()
                }
            case 2:
                if let slash = key.utf8.firstIndex(of: UInt8(ascii: "/")) {
                    var path = Data(key.utf8[slash...].dropFirst())
                    spoil(&path, using: &random)
                    key = String(decoding: Data(key.utf8[...slash]) + path, as: UTF8.self)
                }
            default:
                spoil(&row.attributes.metadata, using: &random)
            }
            rows[place] = (key: key, row: row)
        }
    }

    /// Does something that may fail with an error of the library.
    private static func attempt(_ work: () async throws -> Void) async {
        do {
            try await work()
        } catch {
            #expect(error is JobGraphError || error is StoreError, "\(error)")
        }
    }

    /// Does all that can be done with a journal.
    private static func use(_ rows: Rows, _ scene: Scene) async throws {
        let runtime = try await Self.runtime(rows)
        let (stored, sample) = Self.graph(scene, isMended: true)
        func run(_ journal: RunJournal) async {
            await attempt {
                let run = try await runtime.run(stored, journal: journal)
                #expect(!"\(run)".isEmpty)
                #expect(try !run.report.json().isEmpty)
            }
        }
        #expect(try await !"\(runtime.journals.list())".isEmpty)
        await attempt {
            try await runtime.journals.fork("stored", as: "copy", of: stored, from: sample)
        }
        await run("copy")
        await run("stored")
        await attempt {
            for work in try await runtime.journals.unresolved(in: "stored") {
                try await runtime.journals.markDone(work, in: "stored")
            }
        }
        await run(RunJournal("stored", unknownOutcome: .treatAsDone))
        await attempt {
            for work in try await runtime.journals.decided(in: "stored") {
                try await runtime.journals.markNotDone(work)
            }
        }
        await run(RunJournal("stored", unknownOutcome: .repeatWithSameKey, afterSuccess: .restart))

        try await runtime.journals.drop("stored", abandoningUnresolved: true)
        #expect(try await runtime.run(stored, journal: "stored").isSuccess)
    }

    @Test(arguments: Scene.allCases)
    func `whatever a file holds is an error or a result, and the journal can be dropped`(scene: Scene) async throws {
        let rows = try await Self.rows(of: scene)
        #expect(rows.count > 8)
        try await Self.use(rows, scene)
        for seed in 0..<UInt64(100) {
            var random = SeededGenerator(seed: seed)
            var spoiled = rows
            Self.spoil(&spoiled, using: &random)
            try await Self.use(spoiled, scene)
        }
    }
}
