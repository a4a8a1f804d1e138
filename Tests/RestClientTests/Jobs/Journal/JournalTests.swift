// SPDX-License-Identifier: MIT

import HTTPTypes
import SharedStore
import TestSupport
import Testing

@testable import RestClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Runs that go on where an earlier one ended.
///
/// A crash is a run whose process forgets everything but the store.
@Suite(.timeLimit(.minutes(1)))
struct JournalTests {
    private struct Failed: Error, Equatable {}
    private struct NotCodable: Sendable {}

    /// A server whose state outlives its clients.
    private final class Server: Sendable {
        let requests = Recorder<TransportRequest>()
        let isBroken = Counter()

        var transport: StubTransport {
            StubTransport { request in
                self.requests.record(request)
                let name = request.url.split(separator: "/").last ?? ""
                if name == "lost", self.isBroken.value == 0 {
                    throw RestClientError(.connectionClosed, "the connection was cut")
                }
                return name == "refused" ? .status(.conflict) : .text(String(name))
            }
        }
    }

    private let server = Server()
    private let folder: URL

    init() {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("journal-\(UUID().uuidString)")
    }

    /// A process that begins anew, at the same directory.
    private func process() throws -> RestClientManager {
        let manager = StubbedClient(server.transport).manager
        try manager.standby(at: folder)
        return manager
    }

    private static func node(_ path: String, _ method: HTTPRequest.Method = .get) -> RequestNode<String> {
        RequestNode(String.self).endpoint("/{path}").parameter("path", path).method(method)
    }

    private func statuses(_ run: GraphRun) -> [RunReport.Status] { run.nodes.map(\.status) }

    private func keys() -> [String?] {
        server.requests.elements.map { request in HTTPField.Name("Idempotency-Key").flatMap { request.headers[$0] } }
    }

    /// Two calls, and a step that fails until it is mended.
    private func graph(isMended: Bool, input: Int = 1) -> JobGraph {
        var graph = JobGraph("graph")
        let number = graph.input("number", input)
        let first = graph.request("first", after: number) { Self.node("first-\($0)") }
        let second = graph.request("second", after: first) { Self.node("second-\($0)") }
        graph.request("beside") { Self.node("beside") }
        graph.local("last", after: second) { text throws -> Int in
            guard isMended else {
                throw Failed()
            }
            return text.count
        }
        return graph
    }

    // MARK: Going on

    @Test
    func `a run goes on from what had ended, in another process`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let first = try await process().run(graph(isMended: false), journal: "nightly")
        #expect(statuses(first) == [.success, .success, .success, .success, .failure])
        #expect(server.requests.count == 3)
        let graph = graph(isMended: true)
        let second = try await process().run(graph, journal: "nightly")
        #expect(statuses(second) == [.success, .resumed, .resumed, .resumed, .success])
        #expect(second.nodes.map(\.attempts) == [1, 0, 0, 0, 1])
        #expect(server.requests.count == 3)
    }

    @Test
    func `another input runs again what is made from it, and only that`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        _ = try await process().run(graph(isMended: false), journal: "nightly")
        let run = try await process().run(graph(isMended: true, input: 2), journal: "nightly")
        #expect(statuses(run) == [.success, .success, .success, .resumed, .success])
        #expect(server.requests.count == 5)
    }

    @Test
    func `after a run that succeeded the next one begins anew`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        _ = try await process().run(graph(isMended: true), journal: "nightly")
        let run = try await process().run(graph(isMended: true), journal: "nightly")
        #expect(!statuses(run).contains(.resumed))
        #expect(server.requests.count == 6)
    }

    @Test
    func `without a directory a journal lasts as long as its manager`() async throws {
        let manager = StubbedClient(server.transport).manager
        _ = try await manager.run(graph(isMended: false), journal: "nightly")
        let run = try await manager.run(graph(isMended: true), journal: "nightly")
        #expect(statuses(run).count { $0 == .resumed } == 3)
    }

    @Test
    func `results of all Codable types, Void and nil come back`() async throws {
        func graph(fails: Bool) -> (JobGraph, JobHandle<[String: Double]>, JobHandle<Int?>, JobHandle<Void>) {
            var graph = JobGraph("types")
            let map = graph.local("map") { ["a": 0.1, "b": 2] }
            let none = graph.local("none") { Int?.none }
            let void = graph.local("void") {}
            graph.local("end", after: map, none, void) { _, _, _ in
                if fails {
                    throw Failed()
                }
            }
            return (graph, map, none, void)
        }
        let manager = StubbedClient().manager
        _ = try await manager.run(graph(fails: true).0, journal: "types")
        let (again, map, none, void) = graph(fails: false)
        let run = try await manager.run(again, journal: "types")
        #expect(try run[map] == ["a": 0.1, "b": 2])
        #expect(try run[none] == nil)
        try run[void]
        #expect(statuses(run).prefix(3) == [.resumed, .resumed, .resumed])
    }

    @Test
    func `nodes inside nodes are kept too`() async throws {
        let ran = Counter()
        func graph(fails: Bool) -> JobGraph {
            var graph = JobGraph("outside")
            let number = graph.input("number", 3)
            graph.subgraph("whole", after: number) { inside, number in
                let first = inside.local("first") { ran.next() + number }
                return inside.local("second", after: first) { value throws -> Int in
                    guard !fails else {
                        throw Failed()
                    }
                    return value
                }
            }
            return graph
        }
        let manager = StubbedClient().manager
        _ = try await manager.run(graph(fails: true), journal: "nested")
        #expect(try await manager.journalledRuns().first?.finishedNodes == ["number", "whole/first"])
        let run = try await manager.run(graph(fails: false), journal: "nested")
        #expect(run.report.nodes[1].children.map(\.status) == [.resumed, .success])
        #expect(ran.value == 1)
    }

    // MARK: Unsafe requests

    /// A call whose answer is lost on its way back.
    private func unsafeGraph(_ options: JobOptions? = nil) -> (JobGraph, JobHandle<String>) {
        var graph = JobGraph("unsafe")
        let handle = graph.request("charge", options: options) { Self.node("lost", .post) }
        return (graph, handle)
    }

    @Test
    func `an unsafe request whose outcome is unknown is not sent again without being told so`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        _ = try await process().run(unsafeGraph().0, journal: "pay")
        #expect(try await process().journalledRuns().first?.unknownNodes == ["charge"])
        let run = try await process().run(unsafeGraph().0, journal: "pay")
        #expect((run.node("charge")?.error as? RestClientError)?.code == .unknownOutcome)
        #expect(server.requests.count == 1)
    }

    @Test
    func `it is repeated with the same Idempotency-Key when that is the policy`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        _ = try await process().run(unsafeGraph().0, journal: "pay")
        server.isBroken.next()
        let (graph, charge) = unsafeGraph([.unknownOutcome(.repeatWithSameKey)])
        let run = try await process().run(graph, journal: "pay")
        #expect(try run[charge] == "lost")
        let keys = keys()
        #expect(keys.count == 2)
        #expect(keys[0] != nil)
        #expect(keys[0] == keys[1])
    }

    @Test
    func `it counts as done when that is the policy and nobody needs a result`() async throws {
        let manager = StubbedClient(server.transport).manager
        func graph() -> (JobGraph, JobHandle<Void>) {
            var graph = JobGraph("done")
            let handle = graph.request("charge") { RequestNode(Void.self).endpoint("/lost").method(.post) }
            return (graph, handle)
        }
        let journal = RunJournal("pay", unknownOutcome: .treatAsDone)
        _ = try await manager.run(graph().0, journal: journal)
        let run = try await manager.run(graph().0, journal: journal)
        #expect(statuses(run) == [.success])
        #expect(server.requests.count == 1)
        // A result that others could need cannot be made up.
        _ = try await manager.run(unsafeGraph().0, journal: RunJournal("other", unknownOutcome: .treatAsDone))
        let other = try await manager.run(unsafeGraph().0, journal: RunJournal("other", unknownOutcome: .treatAsDone))
        #expect((other.node("charge")?.error as? RestClientError)?.code == .unknownOutcome)
    }

    @Test
    func `an unsafe request that the server refused may be sent again`() async throws {
        let manager = StubbedClient(server.transport).manager
        var graph = JobGraph("refused")
        graph.request("charge") { Self.node("refused", .post) }
        _ = try await manager.run(graph, journal: "pay")
        #expect(try await manager.journalledRuns().first?.unknownNodes.isEmpty == true)
        _ = try await manager.run(graph, journal: "pay")
        #expect(server.requests.count == 2)
    }

    @Test
    func `it is stored before the request goes out, and tries share one key`() async throws {
        let seen = Recorder<[String]>()
        let manager = StubbedClient().manager
        let transport = StubTransport { [server] request in
            server.requests.record(request)
            seen.record(try await manager.journalledRuns().first?.unknownNodes ?? [])
            return server.requests.count == 1 ? .status(.serviceUnavailable) : .text("fine")
        }
        let client = StubbedClient(transport)
        // The journals of one manager, the transport of another: the store is the same directory.
        defer { try? FileManager.default.removeItem(at: folder) }
        try manager.standby(at: folder)
        try client.manager.standby(at: folder)
        var policy = RetryPolicy(attempts: 2)
        policy.baseDelay = .zero
        policy.retriesUnsafeRequests = true
        var graph = JobGraph("order")
        let node = graph.request("charge", options: [.retry(policy)]) { Self.node("charge", .post) }
        let run = try await client.manager.run(graph, journal: "pay")
        #expect(try run[node] == "fine")
        #expect(seen.elements == [["charge"], ["charge"]])
        #expect(Set(keys()).count == 1)
        #expect(keys().first.flatMap(\.self) != nil)
    }

    @Test
    func `each element of a loop has a key of its own, and a key of the request's own is kept`() async throws {
        let manager = StubbedClient(server.transport).manager
        var graph = JobGraph("loop")
        let items = graph.input("items", ["a", "b"])
        graph.forEach("charge", in: items) { Self.node($0, .post) }
        graph.request("own") { Self.node("own", .post).header("Idempotency-Key", "mine") }
        #expect(try await manager.run(graph, journal: "pay").isSuccess)
        let keys = Set(keys().compactMap(\.self))
        #expect(keys.count == 3)
        #expect(keys.contains("mine"))
    }

    // MARK: Lists, forks, drops

    @Test
    func `journals are listed and dropped`() async throws {
        let manager = StubbedClient(server.transport).manager
        _ = try await manager.run(graph(isMended: false), journal: "b")
        _ = try await manager.run(graph(isMended: true), journal: "a/b")
        let runs = try await manager.journalledRuns()
        #expect(runs.map(\.name) == ["a/b", "b"])
        #expect(runs.map(\.status) == [.succeeded, .failed])
        #expect(runs[1].finishedNodes == ["beside", "first", "number", "second"])
        try await manager.dropJournal("b")
        #expect(try await manager.journalledRuns().map(\.name) == ["a/b"])
        let run = try await manager.run(graph(isMended: true), journal: "b")
        #expect(!statuses(run).contains(.resumed))
    }

    @Test
    func `a fork does a node and what waits for it again, and nothing else`() async throws {
        let manager = StubbedClient(server.transport).manager
        var graph = JobGraph("fork")
        let first = graph.request("first") { Self.node("first") }
        let second = graph.request("second", after: first) { Self.node($0 + "-second") }
        graph.request("third", after: second) { Self.node($0 + "-third") }
        graph.request("beside", after: first) { Self.node($0 + "-beside") }
        let sealed = RunJournal("source", codec: .sealed(try SealingKey(bytes: Data(repeating: 7, count: 32))))
        _ = try await manager.run(graph, journal: sealed)
        try await manager.forkJournal(sealed, as: "copy", of: graph, from: second)
        let run = try await manager.run(graph, journal: "copy")
        #expect(statuses(run) == [.resumed, .success, .success, .resumed])
        #expect(try await manager.journalledRuns().map(\.name) == ["copy", "source"])
    }

    // MARK: Refusals

    @Test
    func `results that cannot be stored are refused before anything is sent`() async throws {
        let manager = StubbedClient(server.transport).manager
        var inside = JobGraph("inside")
        let output = inside.local("inner") { NotCodable() }
        var graph = JobGraph("graph")
        graph.request("fine") { Self.node("a") }
        graph.subgraph("sub", inside, output: output)
        do {
            _ = try await manager.run(graph, journal: "nightly")
            Issue.record("the run was not refused")
        } catch let error as RestClientError {
            #expect(error.code == .resultNotCodable)
            #expect(error.message.contains("NotCodable"))
        }
        #expect(server.requests.elements.isEmpty)
        #expect(try await manager.journalledRuns().isEmpty)
    }

    @Test
    func `two runs cannot use one journal at a time`() async throws {
        let gate = Gate()
        let manager = StubbedClient().manager
        var graph = JobGraph("slow")
        graph.local("slow") { try await gate.wait() }
        let first = Task { [graph] in try await manager.run(graph, journal: "one") }
        try await gate.waitForWaiters(count: 1)
        let refusal = await code { [graph] in _ = try await manager.run(graph, journal: "one") }
        #expect(refusal == .journalInUse)
        #expect(await self.code { try await manager.dropJournal("one") } == .journalInUse)
        gate.open()
        #expect(try await first.value.isSuccess)
    }

    private func code(_ work: () async throws -> Void) async -> RestClientError.Code? {
        do {
            try await work()
            return nil
        } catch {
            return (error as? RestClientError)?.code
        }
    }

    // MARK: Damage

    /// The rows of the journal in the folder.
    private func rows() throws -> SQLiteBacking {
        try SQLiteBacking(file: folder.appendingPathComponent("journal.sqlite").path, kind: .journal)
    }

    private func change(
        _ key: String,
        _ change: (inout Data, inout Data) -> Void
    ) async throws {
        let backing = try rows()
        var row = try #require(try await backing.row(key, in: .journal))
        change(&row.value, &row.attributes.metadata)
        let step = RowStep.put(key: key, value: row.value, attributes: row.attributes, condition: .any)
        _ = try await backing.commit([step], in: .journal)
        backing.close()
    }

    @Test(arguments: ["rnightly", "n7:nightly/first"])
    func `a record of another version is refused, and stays as it is`(key: String) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        _ = try await process().run(graph(isMended: false), journal: "nightly")
        try await change(key) { _, metadata in
            metadata = Data(
                String(decoding: metadata, as: UTF8.self)
                    .replacing("\"version\":1", with: "\"version\":99,\"new\":true").utf8
            )
        }
        let before = try await rows().row(key, in: .journal)
        let manager = try process()
        let graph = graph(isMended: true)
        #expect(await code { _ = try await manager.run(graph, journal: "nightly") } == .journalUnreadable)
        #expect(try await rows().row(key, in: .journal) == before)
        #expect(server.requests.count == 3)
        try await manager.dropJournal("nightly")
        #expect(try await manager.run(graph, journal: "nightly").isSuccess)
    }

    @Test
    func `a record that is cut off is refused`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        _ = try await process().run(graph(isMended: false), journal: "nightly")
        try await change("n7:nightly/first") { _, metadata in metadata = metadata.dropLast(9) }
        let (manager, graph) = (try process(), graph(isMended: true))
        #expect(await code { _ = try await manager.run(graph, journal: "nightly") } == .journalUnreadable)
    }

    @Test
    func `a result that is cut off fails its node, and is not handed on`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        _ = try await process().run(graph(isMended: false), journal: "nightly")
        try await change("n7:nightly/first") { value, _ in value = value.dropLast(2) }
        let run = try await process().run(graph(isMended: true), journal: "nightly")
        #expect((run.node("first")?.error as? RestClientError)?.code == .journalUnreadable)
        #expect(run.node("second")?.status == .skipped)
        #expect(server.requests.count == 3)
    }

    @Test
    func `sealed results cannot be read in the file, and not with another key`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        func journal(_ byte: UInt8) throws -> RunJournal {
            RunJournal("nightly", codec: .sealed(try SealingKey(bytes: Data(repeating: byte, count: 32))))
        }
        _ = try await process().run(graph(isMended: false), journal: journal(1))
        for row in try await rows().summaries(in: .journal, prefix: "n", tag: nil, after: nil, limit: 99) {
            let value = try #require(try await rows().row(row.key, in: .journal)).value
            #expect(!String(decoding: value, as: UTF8.self).contains("first"))
        }
        let wrong = try await process().run(graph(isMended: true), journal: journal(2))
        #expect((wrong.node("first")?.error as? RestClientError)?.code == .journalUnreadable)
        let right = try await process().run(graph(isMended: true), journal: journal(1))
        #expect(right.node("first")?.status == .resumed)
    }

    // MARK: Undo

    @Test
    func `what was taken back is done again`() async throws {
        let done = Counter()
        func graph(fails: Bool) -> JobGraph {
            var graph = JobGraph("saga")
            let first = graph.local("first") { done.next() }
            graph.undoLocally("undo", of: first) { _ in }
            graph.local("last", after: first) { _ in
                if fails {
                    throw Failed()
                }
            }
            return graph
        }
        let manager = StubbedClient().manager
        _ = try await manager.run(graph(fails: true), journal: "saga")
        #expect(try await manager.run(graph(fails: false), journal: "saga").isSuccess)
        #expect(done.value == 2)
    }
}
