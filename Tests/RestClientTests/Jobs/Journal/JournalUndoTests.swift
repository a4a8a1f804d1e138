// SPDX-License-Identifier: MIT

import HTTPTypes
import TestSupport
import Testing

@testable import JobGraphs
@testable import RestClient

/// Runs that are compensated: after a crash in between, the compensation is resumed, and nothing else runs.
@Suite(.timeLimit(.minutes(5)))
struct JournalUndoTests {
    private let host = JournalHost()

    /// Two steps that can be compensated, and one that fails until it is repaired.
    private static func graph(isMended: Bool) -> JobGraph {
        var graph = JobGraph("saga")
        let first = graph.request("book") { JournalHost.node("book", .post) }
        let second = graph.request("charge", after: first) { _ in JournalHost.node("charge", .post) }
        graph.undo("cancel", of: first) { JournalHost.node("cancel-\($0)", .post) }
        graph.undo("refund", of: second) { JournalHost.node("refund-\($0)", .post) }
        graph.local("last", after: second) { _ in
            if !isMended {
                throw StepFailed()
            }
        }
        return graph
    }

    /// Runs the graph until something reaches the server that gets no response; what is on the disk then.
    private func killed(during held: String, journal: RunJournal = "saga") async throws -> JournalHost {
        let gate = Gate()
        host.answers { name in
            if name == held {
                try await gate.wait()
            }
            return .text(name)
        }
        let process = try host.process()
        let run = Task { try await process.run(Self.graph(isMended: false), journal: journal) }
        try await gate.waitForWaiters(count: 1)
        let killed = try host.killed()
        killed.answers { .text($0) }
        gate.open()
        _ = try await run.value
        return killed
    }

    @Test
    func `compensated nodes run again in the next run`() async throws {
        let failed = try await host.process().run(Self.graph(isMended: false), journal: "saga")
        #expect(failed.statuses == [.compensated, .compensated, .failure])
        #expect(try await host.process().journals.list().first?.status == .failed)
        #expect(try await host.process().run(Self.graph(isMended: true), journal: "saga").isSuccess)
        #expect(host.names == ["book", "charge", "refund-charge", "cancel-book", "book", "charge"])
    }

    @Test
    func `after a crash between two compensations only the second one runs`() async throws {
        let killed = try await killed(during: "cancel-book", journal: .init("saga", unknownOutcome: .repeatWithSameKey))
        let journal = RunJournal("saga", unknownOutcome: .repeatWithSameKey)
        let listed = try #require(try await killed.process().journals.list().first)
        #expect(listed.status == .compensating)
        #expect(listed.nodesToCompensate == ["book"])
        #expect(listed.unknownNodes == ["cancel"])

        let run = try await killed.process().run(Self.graph(isMended: true), journal: journal)
        #expect(run.status == .failure)
        #expect(run.statuses == [.compensated, .notRun, .notRun])
        #expect(run.compensations.map(\.name) == ["cancel"])
        #expect(throws: JobGraphError.self) { try run.check() }
        #expect(killed.names == ["cancel-book"])
        #expect(killed.keys(of: "cancel-book") == host.keys(of: "cancel-book"))

        #expect(try await killed.process().journals.list().first?.status == .failed)
        #expect(try await killed.process().run(Self.graph(isMended: true), journal: journal).isSuccess)
        #expect(killed.names == ["cancel-book", "book", "charge"])
    }

    @Test
    func `the other inputs of a compensation are available after a crash`() async throws {
        func graph(isMended: Bool) -> JobGraph {
            var graph = JobGraph("saga")
            let token = graph.request("token") { JournalHost.node("token") }
            let book = graph.request("book", after: token) { _ in JournalHost.node("book", .post) }
            graph.undo("cancel", of: book, after: token) { JournalHost.node("cancel-\($0)-\($1)", .put) }
            graph.local("last", after: book) { _ in
                if !isMended {
                    throw StepFailed()
                }
            }
            return graph
        }
        let gate = Gate()
        host.answers { name in
            if name == "cancel-book-token" {
                try await gate.wait()
            }
            return .text(name)
        }
        let process = try host.process()
        let run = Task { try await process.run(graph(isMended: false), journal: "saga") }
        try await gate.waitForWaiters(count: 1)
        let killed = try host.killed()
        killed.answers { .text($0) }
        gate.open()
        _ = try await run.value

        let second = try await killed.process().run(graph(isMended: true), journal: "saga")
        #expect(second.compensations.map(\.outcome.isSuccess) == [true])
        #expect(second.statuses == [.resumed, .compensated, .notRun])
        #expect(killed.names == ["cancel-book-token"])
    }

    @Test
    func `a compensation whose outcome is unknown waits for a policy, and the others are run`() async throws {
        let killed = try await killed(during: "refund-charge")
        for _ in 0..<2 {
            let run = try await killed.process().run(Self.graph(isMended: true), journal: "saga")
            let errors = run.compensations.map { ($0.outcome.error as? JobGraphError)?.code }
            #expect(errors.first == .unknownOutcome)
            #expect(!run.isSuccess)
        }
        #expect(killed.names == ["cancel-book"])
        #expect(try await killed.process().journals.list().first?.nodesToCompensate == ["charge"])
        let done = RunJournal("saga", unknownOutcome: .treatAsDone)
        let run = try await killed.process().run(Self.graph(isMended: true), journal: done)
        #expect(run.compensations.map(\.outcome.isSuccess) == [true])
        #expect(killed.names == ["cancel-book"])
        #expect(try await killed.process().run(Self.graph(isMended: true), journal: "saga").isSuccess)
    }

    @Test(arguments: [false, true])
    func `a compensation whose outcome is unknown is decided by hand, and then otherwise`(isDone: Bool) async throws {
        let killed = try await killed(during: "refund-charge")
        let manager = try killed.process()
        let work = try #require(try await manager.journals.unresolved(in: "saga").first)
        #expect(work.name == "refund")
        if isDone {
            try await manager.journals.markNotDone(work)
            try await manager.journals.markDone(work, in: "saga")
        } else {
            try await manager.journals.markDone(work, in: "saga")
            try await manager.journals.markNotDone(work)
        }

        _ = try await killed.process().run(Self.graph(isMended: true), journal: "saga")

        #expect(killed.names == (isDone ? ["cancel-book"] : ["refund-charge", "cancel-book"]))
        #expect(try await manager.journals.decided(in: "saga").isEmpty)
    }

    @Test
    func `a decision that cannot be used stays, and the nodes before it are compensated`() async throws {
        let killed = try await killed(during: "charge")
        let manager = try killed.process()
        let work = try #require(try await manager.journals.unresolved(in: "saga").first)
        try await manager.journals.markDone(work, with: 5, in: "saga")

        let run = try await manager.run(Self.graph(isMended: true), journal: "saga")

        #expect(run.code(of: "charge") == .journalUnreadable)
        #expect(run.compensations.map(\.name) == ["cancel", "refund"])
        #expect(run.compensations.map { ($0.outcome.error as? JobGraphError)?.code } == [nil, .journalUnreadable])
        #expect(killed.names == ["cancel-book"])
        #expect(try await manager.journals.decided(in: "saga").map(\.name) == ["charge"])
    }

    @Test
    func `a compensation that failed is tried again before anything runs forward`() async throws {
        host.answers { $0 == "refund-charge" ? .status(.conflict) : .text($0) }
        let failed = try await host.process().run(Self.graph(isMended: false), journal: "saga")
        #expect(failed.statuses == [.compensated, .success, .failure])
        host.answers { .text($0) }
        let run = try await host.process().run(Self.graph(isMended: true), journal: "saga")
        #expect(run.statuses == [.notRun, .compensated, .notRun])
        #expect(host.names == ["book", "charge", "refund-charge", "cancel-book", "refund-charge"])
        #expect(try await host.process().run(Self.graph(isMended: true), journal: "saga").isSuccess)
    }

    @Test
    func `a graph that cannot take back what its journal says is refused`() async throws {
        let killed = try await killed(during: "cancel-book")
        var other = JobGraph("saga")
        other.request("book") { JournalHost.node("book", .post) }
        let graph = other
        let process = try killed.process()
        let error = await #expect(throws: JobGraphError.self) { try await process.run(graph, journal: "saga") }
        #expect(error?.code == .journalUnreadable)
        #expect(killed.names.isEmpty)
        #expect(try await process.journals.list().first?.nodesToCompensate == ["book"])
        // What came of the compensation is unknown.
        #expect(await JournalHost.code { try await process.journals.drop("saga") } == .unknownOutcome)
        try await process.journals.drop("saga", abandoningUnresolved: true)
        #expect(try await process.run(graph, journal: "saga").isSuccess)
    }

    @Test
    func `a run that is being taken back cannot be forked`() async throws {
        let killed = try await killed(during: "cancel-book")
        var graph = JobGraph("saga")
        let book = graph.request("book") { JournalHost.node("book", .post) }
        let (process, forked) = (try killed.process(), graph)
        let error = await #expect(throws: JobGraphError.self) {
            try await process.journals.fork("saga", as: "copy", of: forked, from: book)
        }
        #expect(error?.code == .runCompensated)
        #expect(try await process.journals.list().map(\.name) == ["saga"])
    }

    @Test
    func `the compensation of a sub-graph is resumed too`() async throws {
        func graph(isMended: Bool) -> JobGraph {
            var graph = JobGraph("outside")
            let start = graph.input("start", "start")
            graph.subgraph("inside", after: start) { inside, _ in
                let book = inside.request("book") { JournalHost.node("book", .post) }
                inside.undo("cancel", of: book) { JournalHost.node("cancel-\($0)", .put) }
                return inside.local("last", after: book) { text in
                    if !isMended {
                        throw StepFailed()
                    }
                    return text
                }
            }
            return graph
        }
        let gate = Gate()
        host.answers { name in
            if name == "cancel-book" {
                try await gate.wait()
            }
            return .text(name)
        }
        let process = try host.process()
        let run = Task { try await process.run(graph(isMended: false), journal: "saga") }
        try await gate.waitForWaiters(count: 1)
        let killed = try host.killed()
        killed.answers { .text($0) }
        gate.open()
        #expect(try await run.value.isSuccess == false)

        let second = try await killed.process().run(graph(isMended: true), journal: "saga")
        #expect(second.code(of: "inside") == .runCompensated)
        #expect(killed.names == ["cancel-book"])
        #expect(try await killed.process().run(graph(isMended: true), journal: "saga").isSuccess)
        #expect(killed.names == ["cancel-book", "book"])
    }
}
