// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import RestEssentials
import Testing

@testable import JobGraphs

/// Errors of loops and groups, some of whose members were cancelled because another one failed.
@Suite(.timeLimit(.minutes(5)))
struct LoopCauseTests {
    private struct DiskFull: Error {}

    /// The error that an app makes of whatever goes wrong.
    private struct CannotLoad: Error {
        let underlying: any Error
    }

    private let gate = Gate()

    /// Waits until it is cancelled, and then throws an error of its own; 2 fails once the others wait.
    private func load(_ number: Int) async throws -> Int {
        guard number != 2 else {
            try await gate.waitForWaiters(count: 2)
            throw DiskFull()
        }
        do {
            try await gate.wait()
        } catch {
            throw CannotLoad(underlying: error)
        }
        return number
    }

    private var jobs: [LocalJob<Int>] { [1, 2, 3].map { number in LocalJob("\(number)") { try await load(number) } } }

    enum Form: CaseIterable {
        case work, jobs, graphs, inside, retried
    }

    private func graph(_ form: Form) -> JobGraph {
        var graph = JobGraph("loop")
        let numbers = graph.input("numbers", [1, 2, 3])
        switch form {
        case .work: graph.forEach("load", in: numbers, limit: 3) { number in try await load(number) }
        case .jobs: graph.forEach("load", in: numbers, limit: 3) { number in jobs[number - 1] }
        case .graphs:
            graph.forEachGraph("load", in: numbers, limit: 3) { inner, number in
                inner.local("load") { try await load(number) }
            }
        case .inside:
            graph.subgraph("load", after: numbers) { inner, numbers in
                let numbers = inner.input("numbers", numbers)
                let loop = inner.forEach("load", in: numbers, limit: 3) { number in try await load(number) }
                return inner.local("sum", after: loop) { $0.reduce(0, +) }
            }
        case .retried:
            var policy = RetryPolicy(attempts: 2)
            policy.isRetryable = { $0 is CannotLoad }
            graph.forEach("load", in: numbers, limit: 3, options: [.retry(policy)]) { try await load($0) }
        }
        return graph
    }

    @Test(arguments: Form.allCases, [nil, "journal"] as [RunJournal?])
    func `a loop fails with the cause, and not with a cancellation that it caused`(
        form: Form,
        journal: RunJournal?
    ) async throws {
        let runtime = JobRuntime(workerCount: 8)
        let graph = graph(form)
        let run =
            if let journal { try await runtime.run(graph, journal: journal) } else { try await runtime.run(graph) }

        #expect(run.node("load")?.error is DiskFull)
        #expect(throws: DiskFull.self) { try run.check() }
        if form != .inside {
            let elements = run.report.nodes.first { $0.name == "load" }?.children ?? []
            #expect(elements.map(\.status) == [.cancelled, .failure, .cancelled])
            #expect(elements.compactMap(\.error).count == 1)
        }
    }

    @Test
    func `the members of a group that it cancelled have not failed`() async throws {
        let runtime = JobRuntime(workerCount: 8)
        let report = await runtime.concurrently(jobs, onFailure: .cancel)
        let words = report.outcomes.map { outcome in
            switch outcome {
            case .failure(let error): "\(type(of: error))"
            case .cancelled: "cancelled"
            default: "other"
            }
        }
        #expect(words == ["cancelled", "DiskFull", "cancelled"])
    }

    @Test
    func `the first of two jobs that failed is the cause`() async throws {
        let runtime = JobRuntime(workerCount: 8)
        let all = jobs
        await #expect(throws: DiskFull.self) {
            _ = try await runtime.concurrently(all[0], all[1], all[2])
        }
    }

    @Test
    func `a graph that stops at a failure reports it, and not those of the nodes that it cancelled`() async throws {
        var graph = JobGraph("nodes")
        for number in [1, 2, 3] {
            graph.local("\(number)") { try await load(number) }
        }
        let run = try await JobRuntime(workerCount: 8).run(graph, options: [.onFailure(.cancel)])

        #expect(throws: DiskFull.self) { try run.check() }
        #expect(run.statuses == [.cancelled, .failure, .cancelled])
    }

    // MARK: - Limits

    @Test(arguments: [0, -1])
    func `a limit of zero is none, as a pool of zero workers and a limit of a server are`(limit: Int) async throws {
        for workers in [8, 0] {
            let runtime = JobRuntime(workerCount: workers)
            let together = Gate()
            var graph = JobGraph("loop")
            let numbers = graph.input("numbers", [1, 2, 3])
            graph.forEach("each", in: numbers, limit: limit) { _ in try await together.wait() }
            let execution = try runtime.start(graph)
            try await together.waitForWaiters(count: 3)
            together.open()
            #expect(await execution.finished().isSuccess)
        }
        let together = Gate()
        let waiting = [1, 2, 3].map { number in LocalJob("\(number)") { try await together.wait() } }
        async let report = JobRuntime(workerCount: 8).concurrently(waiting, limit: limit)
        try await together.waitForWaiters(count: 3)
        together.open()
        #expect(await report.outcomes.allSatisfy(\.isSuccess))
    }
}
