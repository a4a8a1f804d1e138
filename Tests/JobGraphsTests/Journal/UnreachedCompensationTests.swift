// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import RestEssentials
import Testing

@testable import JobGraphs

/// The compensation of nodes that an earlier process had finished, in a run that fails before it reaches them.
@Suite(.timeLimit(.minutes(5)))
struct UnreachedCompensationTests {
    private struct Failed: Error {}

    private let runtime = JobRuntime()
    private let ran = Recorder<String>()
    private let undone = Recorder<String>()
    private let second = Gate()
    private let third = Gate()

    init() {
        runtime.workers.size = 0
    }

    /// Steps that end in the order b, a, c; a is not reached if the check fails.
    ///
    /// The first attempt compensates nothing, as if its process had been killed before its last step. In the second one
    /// the check fails, and the third one succeeds.
    private func graph(attempt: Int) -> JobGraph {
        var graph = JobGraph("saga")
        let number = graph.input("attempt", attempt)
        let check = graph.local("check", after: number) { number in
            if number == 2 {
                throw Failed()
            }
        }
        let a = graph.local("a", after: check) { [ran, second] _ in
            try await second.wait()
            ran.record("a")
        }
        let b = graph.local("b") { [ran] in ran.record("b") }
        graph.local("after b", after: b) { [second] _ in second.open() }
        let c = graph.local("c") { [ran, third] in
            try await third.wait()
            ran.record("c")
        }
        graph.local("after a", after: a) { [third] _ in third.open() }
        graph.local("last", after: b, c) { _, _ in
            if attempt == 1 {
                throw Failed()
            }
        }
        if attempt > 1 {
            graph.undo("undo a", of: a) { [undone] _ in undone.record("a") }
            graph.undo("undo b", of: b) { [undone] _ in undone.record("b") }
            graph.undo("undo c", of: c) { [undone] _ in undone.record("c") }
        }
        return graph
    }

    @Test
    func `it follows the order in which the nodes ended, whichever process they ended in`() async throws {
        _ = try await runtime.run(graph(attempt: 1), journal: "saga")
        #expect(ran.removeAll() == ["b", "a", "c"])

        let run = try await runtime.run(graph(attempt: 2), journal: "saga")

        #expect(run.node("check")?.status == .failure)
        #expect(ran.elements.isEmpty)
        #expect(undone.elements == ["c", "a", "b"])
        #expect(["a", "b", "c"].map { run.node($0)?.status } == [.compensated, .compensated, .compensated])
    }

    @Test
    func `the run after it does the work again`() async throws {
        _ = try await runtime.run(graph(attempt: 1), journal: "saga")
        _ = try await runtime.run(graph(attempt: 2), journal: "saga")
        _ = ran.removeAll()

        #expect(try await runtime.run(graph(attempt: 3), journal: "saga").isSuccess)

        #expect(ran.elements.sorted() == ["a", "b", "c"])
        #expect(undone.count == 3)
    }

    // MARK: - Order

    /// A step that runs again in each attempt, and one that depends on it and that the second attempt does not reach.
    private func dependents(attempt: Int) -> JobGraph {
        var graph = JobGraph("dependents")
        let number = graph.input("attempt", attempt)
        let account = graph.local("account", after: number) { _ in "account" }
        let check = graph.local("check", after: account, number) { _, number in
            if number == 2 {
                throw Failed()
            }
        }
        let booking = graph.local("booking", after: check) { _ in "booking" }
        graph.local("last", after: booking) { _ in throw Failed() }
        if attempt > 1 {
            graph.undo("close", of: account) { [undone] name in undone.record(name) }
            graph.undo("cancel", of: booking) { [undone] name in undone.record(name) }
        }
        return graph
    }

    /// Changes the records of a run.
    private func change(_ run: String, _ change: (inout JournalRecord) -> Void) async throws {
        let store: JournalStore = runtime.journals
        let rows = try store.rows()
        for (path, var record) in try await rows.records(of: run) {
            change(&record)
            try await rows.commit([try JournalRows.refresh(JournalRows.nodes(run) + path, record, at: Date())])
        }
    }

    @Test(arguments: [false, true])
    func `a node that ran again is compensated after the nodes that depend on it`(areRecordsOld: Bool) async throws {
        _ = try await runtime.run(dependents(attempt: 1), journal: "dependents")
        if areRecordsOld {
            try await change("dependents") { $0.ordinal = nil }
        }

        let run = try await runtime.run(dependents(attempt: 2), journal: "dependents")

        #expect(run.node("check")?.status == .failure)
        #expect(undone.elements == ["booking", "account"])
    }

    @Test(arguments: [Int.max, -1])
    func `ordinals that no run counts to are ignored`(ordinal: Int) async throws {
        _ = try await runtime.run(graph(attempt: 1), journal: "saga")
        try await change("saga") { $0.ordinal = ordinal }
        _ = ran.removeAll()

        let run = try await runtime.run(graph(attempt: 3), journal: "saga")

        #expect(run.isSuccess)
        #expect(ran.elements.isEmpty)
    }

    // MARK: - Results

    /// A step, and one that needs its result, as does its compensation; both are after a check.
    private func chain(attempt: Int, undo: @escaping @Sendable (String, Int) throws -> Void) -> JobGraph {
        var graph = JobGraph("chain")
        let number = graph.input("attempt", attempt)
        let check = graph.local("check", after: number) { number in
            if number > 1 {
                throw Failed()
            }
        }
        let first = graph.local("first", after: check) { _ in 7 }
        let second = graph.local("second", after: first) { number in "second of \(number)" }
        graph.local("last", after: second) { _ in throw Failed() }
        if attempt > 1 {
            graph.undo("undo second", of: second, after: first) { text, number in try undo(text, number) }
        }
        return graph
    }

    @Test
    func `it receives the stored results`() async throws {
        _ = try await runtime.run(chain(attempt: 1) { _, _ in }, journal: "chain")

        let run = try await runtime.run(
            chain(attempt: 2) { [undone] in undone.record("\($0), \($1)") },
            journal: "chain"
        )

        #expect(undone.elements == ["second of 7, 7"])
        #expect(run.statuses == [.success, .failure, .skipped, .compensated, .skipped])
    }

    @Test
    func `one that fails is resumed by the next run`() async throws {
        _ = try await runtime.run(chain(attempt: 1) { _, _ in }, journal: "chain")
        let failed = try await runtime.run(chain(attempt: 2) { _, _ in throw Failed() }, journal: "chain")
        #expect(failed.compensations.map(\.outcome.isSuccess) == [false])
        #expect(try await runtime.journals.list().first?.nodesToCompensate == ["second"])

        let run = try await runtime.run(
            chain(attempt: 3) { [undone] in undone.record("\($0), \($1)") },
            journal: "chain"
        )

        #expect(run.compensations.map(\.outcome.isSuccess) == [true])
        #expect(undone.elements == ["second of 7, 7"])
    }

    @Test
    func `a node that ran again and failed is compensated for what it did before`() async throws {
        func graph(attempt: Int) -> JobGraph {
            var graph = JobGraph("again")
            let number = graph.input("attempt", attempt)
            let step = graph.local("step", after: number) { number throws -> Int in
                guard number == 1 else {
                    throw Failed()
                }
                return 7
            }
            graph.local("last", after: step) { _ in throw Failed() }
            if attempt > 1 {
                graph.undo("undo step", of: step) { [undone] result in undone.record("\(result)") }
            }
            return graph
        }
        _ = try await runtime.run(graph(attempt: 1), journal: "again")

        let run = try await runtime.run(graph(attempt: 2), journal: "again")

        #expect(undone.elements == ["7"])
        #expect(throws: Failed.self) { try run.check() }
    }

    @Test
    func `a run that is cancelled at once compensates everything that was done`() async throws {
        _ = try await runtime.run(graph(attempt: 1), journal: "saga")
        let runner = try await JournalledRunner.open(
            "saga",
            for: graph(attempt: 3),
            host: JobHost(runtime),
            options: RunOptions()
        )
        runner.runner.engine.cancel()

        let run = await runner.run()

        #expect(run.status == .cancelled)
        #expect(undone.elements == ["c", "a", "b"])
    }
}
