// SPDX-License-Identifier: MIT

import RestEssentials
import TestSupport
import Testing

@testable import JobGraphs
@testable import RestClient
@testable import SharedStore

/// Journals that were altered, cut off, sealed with another key, or written by another version.
@Suite(.timeLimit(.minutes(5)))
struct JournalDamageTests {
    /// The row of the node `first`.
    private static let first = "n7:nightly/first"

    private let host = JournalHost()

    /// Two calls, and a step that fails until it is mended.
    private func graph(isMended: Bool) -> JobGraph {
        JournalHost.graph(isMended: isMended)
    }

    private func code(_ work: () async throws -> Void) async -> JobGraphError.Code? {
        await JournalHost.code(of: work)
    }

    private func change(
        _ key: String,
        _ change: (inout Data, inout Data) -> Void
    ) async throws {
        let backing = try host.rows()
        var row = try #require(try await backing.row(key, in: .journal))
        change(&row.value, &row.attributes.metadata)
        let step = RowStep.put(key: key, value: row.value, attributes: row.attributes, condition: .any)
        _ = try await backing.commit([step], in: .journal)
        backing.close()
    }

    @Test(arguments: ["rnightly", "n7:nightly/first"])
    func `a record of another version is refused, and stays as it is`(key: String) async throws {
        _ = try await host.process().run(graph(isMended: false), journal: "nightly")
        try await change(key) { _, metadata in
            metadata = Data(
                String(decoding: metadata, as: UTF8.self)
                    .replacing("\"version\":1", with: "\"version\":99,\"new\":true").utf8
            )
        }
        let before = try await host.rows().row(key, in: .journal)
        let manager = try host.process()
        let graph = graph(isMended: true)
        #expect(await code { _ = try await manager.run(graph, journal: "nightly") } == .journalUnreadable)
        #expect(try await host.rows().row(key, in: .journal) == before)
        #expect(host.requests.count == 3)
        try await manager.journals.drop("nightly")
        #expect(try await manager.run(graph, journal: "nightly").isSuccess)
    }

    @Test(arguments: ["rnightly", "n7:nightly/first"], ["\"version\":99", "\"version\""])
    func `a record that cannot be read does not hide the other journals`(key: String, damage: String) async throws {
        _ = try await host.process().run(graph(isMended: false), journal: "nightly")
        _ = try await host.process().run(graph(isMended: true), journal: "other")
        try await change(key) { _, metadata in
            metadata = Data(String(decoding: metadata, as: UTF8.self).replacing("\"version\":1", with: damage).utf8)
        }

        let runs = try await host.process().journals.list()

        #expect(runs.map(\.name) == ["nightly", "other"])
        #expect(runs.map(\.status) == [.unreadable, .succeeded])
        #expect(runs.map(\.unreadableRecords.count) == [1, 0])
        #expect(runs[0].graph == (key == "rnightly" ? "" : "graph"))
        #expect(runs[0].finishedNodes.contains("second"))
    }

    @Test
    func `a record that is cut off anywhere is refused, and stays as it is`() async throws {
        _ = try await host.process().run(graph(isMended: false), journal: "nightly")
        let whole = try #require(try await host.rows().row(Self.first, in: .journal)).attributes.metadata
        let (manager, graph) = (try host.process(), graph(isMended: true))
        for length in 0..<whole.count {
            try await change(Self.first) { _, metadata in metadata = whole.prefix(length) }
            #expect(await code { _ = try await manager.run(graph, journal: "nightly") } == .journalUnreadable)
        }
        #expect(host.requests.count == 3)
        try await change(Self.first) { _, metadata in metadata = whole }
        #expect(try await manager.run(graph, journal: "nightly").node("first")?.status == .resumed)
    }

    @Test
    func `a truncated result fails its node, and is not passed on`() async throws {
        _ = try await host.process().run(graph(isMended: false), journal: "nightly")
        let whole = try #require(try await host.rows().row(Self.first, in: .journal)).value
        for length in 0..<whole.count {
            try await change(Self.first) { value, _ in value = whole.prefix(length) }
            let run = try await host.process().run(graph(isMended: true), journal: "nightly")
            #expect(run.code(of: "first") == .journalUnreadable)
            #expect(run.node("second")?.status == .skipped)
        }
        #expect(host.requests.count == 3)
    }

    @Test(arguments: [false, true])
    func `a file that is cut off anywhere is an error, or leads to nothing that is not true`(isLog: Bool) async throws {
        let file = isLog ? "journal.sqlite-wal" : "journal.sqlite"
        let files = try await isLog ? filesOfKilledProcess() : filesOfEndedProcess()
        let whole = try #require(files[file])
        var outcomes: Set<Bool> = []
        for part in 0...20 {
            let cut = JournalHost()
            try FileManager.default.createDirectory(at: cut.folder, withIntermediateDirectories: true)
            for (name, content) in files {
                let kept = name == file ? whole.prefix(whole.count * part / 20) : content
                try kept.write(to: cut.folder.appendingPathComponent(name))
            }
            do {
                let run = try await cut.process().run(graph(isMended: true), journal: "nightly")
                #expect(run.isSuccess, "\(part)/20: \(run.nodes)")
                // Another result of `first` would lead to another request.
                #expect(Set(cut.names).isSubset(of: ["first-1", "second-first-1", "beside"]))
            } catch {
                #expect(error is StoreError || error is JobGraphError, "\(part)/20: \(error)")
                #expect(cut.names.isEmpty)
            }
            outcomes.insert(cut.names.isEmpty)
        }
        #expect(outcomes == [true, false])
    }

    private func filesOfKilledProcess() async throws -> [String: Data] {
        let process = try host.process()
        _ = try await process.run(graph(isMended: false), journal: "nightly")
        let killed = try host.killed()
        let names = ["journal.sqlite", "journal.sqlite-wal"]
        return try withExtendedLifetime((process, killed)) {
            try names.reduce(into: [:]) { files, name in
                files[name] = try Data(contentsOf: killed.folder.appendingPathComponent(name))
            }
        }
    }

    private func filesOfEndedProcess() async throws -> [String: Data] {
        _ = try await host.process().run(graph(isMended: false), journal: "nightly")
        // Whatever the connection of the process, which may still be open, has not moved into the file.
        let file = host.folder.appendingPathComponent("journal.sqlite").path
        let connection = try Connection(file: file, mode: .readWrite, busyTimeout: .seconds(10))
        #expect(try connection.integer("PRAGMA wal_checkpoint(TRUNCATE)") == 0)
        return ["journal.sqlite": try Data(contentsOf: host.folder.appendingPathComponent("journal.sqlite"))]
    }

    @Test
    func `sealed results cannot be read in the file, and not with another key`() async throws {
        func journal(_ byte: UInt8) throws -> RunJournal {
            RunJournal("nightly", codec: .sealed(try SealingKey(bytes: Data(repeating: byte, count: 32))))
        }
        _ = try await host.process().run(graph(isMended: false), journal: journal(1))
        for row in try await host.rows().summaries(in: .journal, RowPage(prefix: "n")) {
            let value = try #require(try await host.rows().row(row.key, in: .journal)).value
            #expect(!String(decoding: value, as: UTF8.self).contains("first"))
        }
        let wrong = try await host.process().run(graph(isMended: true), journal: journal(2))
        #expect((wrong.node("first")?.error as? JobGraphError)?.code == .journalUnreadable)
        let right = try await host.process().run(graph(isMended: true), journal: journal(1))
        #expect(right.node("first")?.status == .resumed)
    }

    @Test
    func `the folder of journals and all files in it are their owner's alone`() async throws {
        let directory = try TemporaryDirectory()
        let folder = directory.path("program/journals")
        let runtime = JobRuntime(directory: folder)
        var graph = JobGraph("nightly")
        graph.local("one") { 1 }
        let modes = Recorder<Int?>()
        graph.local("files") {
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                let path = folder.appendingPathComponent(name).path
                modes.record(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
            }
        }

        #expect(try await runtime.run(graph, journal: "nightly").isSuccess)

        for place in [folder, folder.deletingLastPathComponent()] {
            let mode = try FileManager.default.attributesOfItem(atPath: place.path)[.posixPermissions] as? Int
            #expect(mode == 0o700)
        }
        #expect(modes.count >= 2)
        #expect(modes.elements.allSatisfy { $0 == 0o600 })
    }

    @Test(arguments: ["9223372036854775807", "-1", "67108865"])
    func `a result of more elements than there can be is refused`(count: String) {
        #expect(throws: (any Error).self) { try ResultCoding.decode(Data(count.utf8), as: [Void].self) }
        #expect(throws: Never.self) { try ResultCoding.decode(Data("3".utf8), as: [Void].self) }
    }
}
