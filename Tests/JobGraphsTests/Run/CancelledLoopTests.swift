// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import RestEssentials
import Testing

@testable import JobGraphs

/// Loops that omit failed elements, and are cancelled before their end.
@Suite(.timeLimit(.minutes(5)))
struct CancelledLoopTests {
    private struct Failed: Error {}

    private let gate = Gate()
    private let ran = Recorder<Int>()

    /// A loop whose first element fails and whose second one waits for the gate, and a node that needs its result.
    private func graph() -> (graph: JobGraph, loop: JobHandle<[Int]>) {
        var graph = JobGraph("loop")
        let items = graph.input("items", [1, 2, 3])
        let loop = graph.forEach("each", in: items, limit: 1, onFailure: .ignore) { [gate, ran] item in
            ran.record(item)
            switch item {
            case 1: throw Failed()
            case 2: try await gate.wait()
            default: break
            }
            return item
        }
        graph.local("sum", after: loop) { [ran] numbers in
            ran.record(100)
            return numbers.reduce(0, +)
        }
        return (graph, loop)
    }

    @Test
    func `a cancelled loop has no result, even if an element failed before`() async throws {
        let (graph, loop) = graph()
        let execution = try JobRuntime(workerCount: 2).start(graph)
        try await gate.waitForWaiters(count: 1)

        execution.cancel(loop)
        let run = await execution.finished()

        #expect(run.statuses == [.success, .cancelled, .skipped])
        #expect(ran.elements == [1, 2])
    }

    @Test
    func `a loop that was cancelled with its run is resumed, and does the work for the elements that are missing`()
        async throws
    {
        let runtime = JobRuntime(workerCount: 2)
        let (graph, loop) = graph()
        let execution = try await runtime.start(graph, journal: "loop")
        try await gate.waitForWaiters(count: 1)
        execution.cancel()
        let first = await execution.finished()
        #expect(first.statuses == [.success, .cancelled, .notRun])

        gate.open()
        let second = try await runtime.run(graph, journal: "loop")

        #expect(second.statuses == [.success, .success, .success])
        #expect(try second[loop] == [2, 3])
        #expect(ran.elements == [1, 2, 1, 2, 3, 100])
    }

    @Test
    func `a loop that reaches the time limit of its node is resumed too`() async throws {
        let clock = ManualClock()
        let runtime = JobRuntime(workerCount: 2, clock: clock)
        var graph = JobGraph("loop")
        let items = graph.input("items", [1, 2, 3])
        let loop = graph.forEach(
            "each",
            in: items,
            limit: 1,
            onFailure: .ignore,
            options: [.timeout(.seconds(10))]
        ) { [gate, ran] item in
            ran.record(item)
            if item == 1 {
                throw Failed()
            }
            try await gate.wait()
            return item
        }
        let execution = try await runtime.start(graph, journal: "loop")
        try await gate.waitForWaiters(count: 1)
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(10))
        #expect(await execution.finished().statuses == [.success, .failure])

        gate.open()
        let second = try await runtime.run(graph, journal: "loop")

        #expect(try second[loop] == [2, 3])
        #expect(ran.elements == [1, 2, 1, 2, 3])
    }
}
