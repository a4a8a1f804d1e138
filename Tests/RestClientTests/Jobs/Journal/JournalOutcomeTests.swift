// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import JobGraphs
@testable import RestClient
@testable import SharedStore

/// The treatment of an unsafe request whose outcome is unknown after a crash, by each policy.
@Suite(.timeLimit(.minutes(5)))
struct JournalOutcomeTests {
    private let host = JournalHost { name in
        switch name {
        case "lost": throw RestClientError(.connectionClosed, "the connection was cut")
        case "refused": .status(.conflict)
        default: .text(name)
        }
    }

    /// A call whose response is lost on its way back.
    private func unsafeGraph(_ options: JobOptions? = nil) -> (JobGraph, JobHandle<String>) {
        var graph = JobGraph("unsafe")
        let handle = graph.request("charge", options: options) { JournalHost.node("lost", .post) }
        return (graph, handle)
    }

    @Test
    func `an unsafe request whose outcome is unknown is not sent again without permission`() async throws {
        _ = try await host.process().run(unsafeGraph().0, journal: "pay")
        #expect(try await host.process().journals.list().first?.unknownNodes == ["charge"])
        let run = try await host.process().run(unsafeGraph().0, journal: "pay")
        #expect((run.node("charge")?.error as? JobGraphError)?.code == .unknownOutcome)
        #expect(host.requests.count == 1)
    }

    @Test
    func `somebody can decide that it was done, with its result`() async throws {
        _ = try await host.process().run(unsafeGraph().0, journal: "pay")
        let manager = try host.process()
        let work = try #require(try await manager.journals.unresolved(in: "pay").first)
        #expect(work.name == "charge")
        #expect(host.keys(of: "lost").first.flatMap(\.self)?.hasPrefix(work.idempotencyKey ?? "none") == true)
        try await manager.journals.markDone(work, with: "receipt", in: "pay")
        #expect(try await manager.journals.unresolved(in: "pay").isEmpty)
        let (graph, charge) = unsafeGraph()
        let run = try await host.process().run(graph, journal: "pay")
        #expect(try run[charge] == "receipt")
        #expect(run.statuses == [.resumed])
        #expect(host.requests.count == 1)
        await #expect(throws: JobGraphError.self) { try await manager.journals.markNotDone(work) }
    }

    @Test
    func `somebody can decide that it was not done, and the next run sends it`() async throws {
        _ = try await host.process().run(unsafeGraph().0, journal: "pay")
        let manager = try host.process()
        for work in try await manager.journals.unresolved(in: "pay") {
            try await manager.journals.markNotDone(work)
        }
        host.answers { .text($0) }
        defer { host.answers { .text($0) } }
        let run = try await host.process().run(unsafeGraph().0, journal: "pay")
        #expect(run.isSuccess)
        #expect(host.requests.count == 2)
        #expect(Set(host.keys(of: "lost")).count == 2)
    }

    @Test
    func `an element of a loop is decided by itself`() async throws {
        func graph() -> (JobGraph, JobHandle<[String]>) {
            var graph = JobGraph("loop")
            let items = graph.input("items", ["a", "lost", "b"])
            let charges = graph.forEach("charge", in: items, onFailure: .continue) { JournalHost.node($0, .post) }
            return (graph, charges)
        }
        _ = try await host.process().run(graph().0, journal: "pay")
        let manager = try host.process()
        let left = try await manager.journals.unresolved(in: "pay")
        #expect(left.map(\.name) == ["charge[1]"])
        for work in left {
            try await manager.journals.markDone(work, with: "found", in: "pay")
        }
        let (again, charges) = graph()
        #expect(try await host.process().run(again, journal: "pay")[charges] == ["a", "found", "b"])
        #expect(host.requests.count == 3)
    }

    @Test
    func `it is repeated with the same Idempotency-Key when that is the policy`() async throws {
        _ = try await host.process().run(unsafeGraph().0, journal: "pay")
        host.answers { .text($0) }
        let (graph, charge) = unsafeGraph([.unknownOutcome(.repeatWithSameKey)])
        let run = try await host.process().run(graph, journal: "pay")
        #expect(try run[charge] == "lost")
        let keys = host.keys(of: "lost")
        #expect(keys.count == 2)
        #expect(keys[0] != nil)
        #expect(keys[0] == keys[1])
    }

    @Test
    func `it counts as done if the policy says so and no node needs its result`() async throws {
        let manager = try host.process()
        func graph() -> (JobGraph, JobHandle<Void>) {
            var graph = JobGraph("done")
            let handle = graph.request("charge") { RequestNode(Void.self).endpoint("/lost").method(.post) }
            return (graph, handle)
        }
        let journal = RunJournal("pay", unknownOutcome: .treatAsDone)
        _ = try await manager.run(graph().0, journal: journal)
        let run = try await manager.run(graph().0, journal: journal)
        #expect(run.statuses == [.success])
        #expect(host.requests.count == 1)
        // A result that others could need cannot be made up.
        _ = try await manager.run(unsafeGraph().0, journal: RunJournal("other", unknownOutcome: .treatAsDone))
        let other = try await manager.run(unsafeGraph().0, journal: RunJournal("other", unknownOutcome: .treatAsDone))
        #expect((other.node("charge")?.error as? JobGraphError)?.code == .unknownOutcome)
    }

    @Test
    func `an unsafe request that the server refused may be sent again`() async throws {
        let manager = try host.process()
        var graph = JobGraph("refused")
        graph.request("charge") { JournalHost.node("refused", .post) }
        _ = try await manager.run(graph, journal: "pay")
        #expect(try await manager.journals.list().first?.unknownNodes.isEmpty == true)
        _ = try await manager.run(graph, journal: "pay")
        #expect(host.requests.count == 2)
    }

    @Test
    func `it is stored before the request goes out, and attempts share one key`() async throws {
        let seen = Recorder<[String]>()
        let other = try host.process()
        host.answers { [host] _ in
            seen.record(try await other.journals.list().first?.unknownNodes ?? [])
            return host.requests.count == 1 ? .status(.serviceUnavailable) : .text("fine")
        }
        defer { host.answers { .text($0) } }
        var policy = RetryPolicy(attempts: 2)
        policy.backoff.first = .zero
        policy.retriesUnsafeWork = true
        var graph = JobGraph("order")
        let node = graph.request("charge", options: [.retry(policy)]) { JournalHost.node("charge", .post) }
        let run = try await host.process().run(graph, journal: "pay")
        #expect(try run[node] == "fine")
        #expect(seen.elements == [["charge"], ["charge"]])
        let keys = host.keys(of: "charge")
        #expect(Set(keys).count == 1)
        #expect(keys.first.flatMap(\.self) != nil)
    }

    @Test
    func `each element of a loop has a key of its own, and a key of the request's own is kept`() async throws {
        let manager = try host.process()
        var graph = JobGraph("loop")
        let items = graph.input("items", ["a", "b"])
        graph.forEach("charge", in: items) { JournalHost.node($0, .post) }
        graph.request("own") { JournalHost.node("own", .post).header("Idempotency-Key", "mine") }
        #expect(try await manager.run(graph, journal: "pay").isSuccess)
        let keys = Set(["a", "b", "own"].flatMap { host.keys(of: $0) }.compactMap(\.self))
        #expect(keys.count == 3)
        #expect(keys.contains("mine"))
    }

    // MARK: - Decisions that are changed

    /// A receipt that can be charged without one.
    private struct Receipt: Codable, Equatable, Sendable {
        var id: Int
    }

    /// A call whose response is lost, and whose result is a receipt or none.
    private func receiptGraph() -> (JobGraph, JobHandle<Receipt?>) {
        var graph = JobGraph("receipt")
        let handle = graph.request("charge") {
            RequestNode(Receipt?.self).endpoint("/{name}").parameter("name", "lost").method(.post)
        }
        return (graph, handle)
    }

    private func unresolved(_ manager: RestClientManager) async throws -> UnresolvedWork {
        try #require(try await manager.journals.unresolved(in: "pay").first)
    }

    /// Alters the record of the node `charge`.
    private func alterRecord(_ alter: (inout JournalRecord) -> Void) async throws {
        let (backing, key) = (try host.rows(), "n3:pay/charge")
        var row = try #require(try await backing.row(key, in: .journal))
        var record = try JournalCoding.decode(JournalRecord.self, from: row.attributes.metadata, "the test")
        alter(&record)
        row.attributes.metadata = try JournalCoding.encode(record)
        let step = RowStep.put(key: key, value: row.value, attributes: row.attributes, condition: .any)
        _ = try await backing.commit([step], in: .journal)
        backing.close()
    }

    @Test
    func `a result of the wrong type fails the next run in words, and can be replaced`() async throws {
        _ = try await host.process().run(receiptGraph().0, journal: "pay")
        let manager = try host.process()
        try await manager.journals.markDone(unresolved(manager), with: "a text", in: "pay")

        let run = try await host.process().run(receiptGraph().0, journal: "pay")

        let error = try #require(run.node("charge")?.error as? JobGraphError)
        #expect(error.code == .journalUnreadable)
        #expect(error.message.contains("journals.markDone"))
        #expect(error.message.contains("Receipt"))
        // Another process finds the decision, and makes another one.
        let left = try await host.process().journals.decided(in: "pay")
        #expect(left.map(\.name) == ["charge"])
        #expect(left.map(\.isMarkedDone) == [true])
        #expect(left.first?.description.hasSuffix(", marked as done") == true)
        try await manager.journals.markDone(try #require(left.first), with: Receipt(id: 7), in: "pay")
        let (graph, charge) = receiptGraph()
        let again = try await host.process().run(graph, journal: "pay")
        #expect(try again[charge] == Receipt(id: 7))
        #expect(again.statuses == [.resumed])
        #expect(host.requests.count == 1)
    }

    @Test
    func `a decision can be turned into its opposite until a run has used it`() async throws {
        _ = try await host.process().run(unsafeGraph().0, journal: "pay")
        let manager = try host.process()
        let work = try await unresolved(manager)
        #expect(work.isMarkedDone == nil)

        try await manager.journals.markNotDone(work)
        #expect(try await manager.journals.unresolved(in: "pay").isEmpty)
        #expect(try await manager.journals.list().first?.unknownNodes.isEmpty == true)
        let decided = try #require(try await manager.journals.decided(in: "pay").first)
        #expect(decided.isMarkedDone == false)
        #expect(decided.idempotencyKey == work.idempotencyKey)
        try await manager.journals.markDone(decided, with: "first", in: "pay")
        try await manager.journals.markNotDone(decided)
        try await manager.journals.markDone(decided, with: "receipt", in: "pay")
        #expect(try await manager.journals.decided(in: "pay").map(\.isMarkedDone) == [true])

        let (graph, charge) = unsafeGraph()
        #expect(try await host.process().run(graph, journal: "pay")[charge] == "receipt")
        #expect(host.requests.count == 1)
        #expect(try await manager.journals.decided(in: "pay").isEmpty)
        #expect(await JournalHost.code { try await manager.journals.markNotDone(decided) } == .unknownOutcome)
        #expect(
            await JournalHost.code { try await manager.journals.markDone(decided, with: "late", in: "pay") }
                == .unknownOutcome
        )
    }

    @Test
    func `a decision that a failed run has used is final`() async throws {
        func graph() -> JobGraph {
            let (unsafe, charge) = unsafeGraph()
            var graph = unsafe
            graph.local("last", after: charge) { _ in throw StepFailed() }
            return graph
        }
        _ = try await host.process().run(graph(), journal: "pay")
        let manager = try host.process()
        let work = try await unresolved(manager)
        try await manager.journals.markDone(work, with: "receipt", in: "pay")

        let run = try await host.process().run(graph(), journal: "pay")

        #expect(run.node("charge")?.status == .resumed)
        #expect(try await manager.journals.decided(in: "pay").isEmpty)
        #expect(await JournalHost.code { try await manager.journals.markNotDone(work) } == .unknownOutcome)
        #expect(try await host.process().run(graph(), journal: "pay").node("charge")?.status == .resumed)
    }

    @Test
    func `work without a result is done when its result is optional, and refused in words otherwise`() async throws {
        _ = try await host.process().run(receiptGraph().0, journal: "pay")
        let manager = try host.process()
        try await manager.journals.markDone(unresolved(manager), in: "pay")
        let (graph, charge) = receiptGraph()
        let run = try await host.process().run(graph, journal: "pay")
        #expect(run.statuses == [.resumed])
        #expect(try run[charge] == nil)

        try await manager.journals.drop("pay")
        _ = try await host.process().run(unsafeGraph().0, journal: "pay")
        let work = try await unresolved(manager)
        let error = await #expect(throws: JobGraphError.self) { try await manager.journals.markDone(work, in: "pay") }
        #expect(error?.message.contains("provide the String") == true)
        #expect(try await manager.journals.unresolved(in: "pay") == [work])
    }

    @Test
    func `a journal with another codec than that of the run is refused in words`() async throws {
        let sealed = RunJournal("pay", codec: .sealed(.generate()))
        _ = try await host.process().run(unsafeGraph().0, journal: sealed)
        let manager = try host.process()
        let work = try await unresolved(manager)

        let error = await #expect(throws: JobGraphError.self) {
            try await manager.journals.markDone(work, with: "receipt", in: "pay")
        }

        #expect(error?.message.contains("codec") == true)
        #expect(try await manager.journals.unresolved(in: "pay") == [work])
        await #expect(throws: JobGraphError.self) {
            try await manager.journals.markDone(work, with: "receipt", in: "another")
        }
        try await manager.journals.markDone(work, with: "receipt", in: sealed)
        let (graph, charge) = unsafeGraph()
        #expect(try await host.process().run(graph, journal: sealed)[charge] == "receipt")
    }

    @Test
    func `a result sealed with another key can be given again`() async throws {
        let journal = RunJournal("pay", codec: .sealed(.generate()))
        _ = try await host.process().run(unsafeGraph().0, journal: journal)
        let manager = try host.process()
        let work = try await unresolved(manager)
        let stranger = RunJournal("pay", codec: .sealed(.generate()))
        try await manager.journals.markDone(work, with: "receipt", in: stranger)
        let run = try await host.process().run(unsafeGraph().0, journal: journal)
        #expect((run.node("charge")?.error as? JobGraphError)?.code == .journalUnreadable)

        try await manager.journals.markDone(work, with: "receipt", in: journal)

        let (graph, charge) = unsafeGraph()
        #expect(try await host.process().run(graph, journal: journal)[charge] == "receipt")
        #expect(host.requests.count == 1)
    }

    @Test
    func `a record of an older release, which does not know its type, can be decided`() async throws {
        _ = try await host.process().run(unsafeGraph().0, journal: "pay")
        try await alterRecord { $0.expectation = nil }
        let manager = try host.process()
        let work = try await unresolved(manager)

        try await manager.journals.markDone(work, in: "pay")
        let run = try await host.process().run(unsafeGraph().0, journal: "pay")
        #expect((run.node("charge")?.error as? JobGraphError)?.code == .journalUnreadable)
        try await manager.journals.markDone(work, with: "receipt", in: "pay")

        let (graph, charge) = unsafeGraph()
        #expect(try await host.process().run(graph, journal: "pay")[charge] == "receipt")
    }

    @Test
    func `a fork keeps a decision, and stores it with its own codec`() async throws {
        let (unsafe, charge) = unsafeGraph()
        var graph = unsafe
        let other = graph.local("other") { 1 }
        _ = try await host.process().run(graph, journal: "pay")
        let manager = try host.process()
        try await manager.journals.markNotDone(unresolved(manager))
        let copy = RunJournal("copy", codec: .sealed(.generate()))

        try await manager.journals.fork("pay", as: copy, of: graph, from: other)

        let left = try #require(try await manager.journals.decided(in: "copy").first)
        #expect(left.isMarkedDone == false)
        try await manager.journals.markDone(left, with: "receipt", in: copy)
        #expect(try await host.process().run(graph, journal: copy)[charge] == "receipt")
        #expect(host.requests.count == 1)
    }
}
