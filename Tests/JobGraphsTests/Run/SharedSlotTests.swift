// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import Testing

@testable import JobGraphs

/// One worker slot and one task for several nodes, without any visible effect.
@Suite(.timeLimit(.minutes(5)))
struct SharedSlotTests {
    private let runtime = JobRuntime()
    private let gate = Gate()

    @Test
    func `a snapshot names the node whose work is done`() async throws {
        let runtime = runtime
        let seen = Recorder<String>()
        let look: @Sendable () -> Void = {
            for entry in runtime.workers.snapshot().running {
                seen.record(entry.description)
            }
        }
        var graph = JobGraph("row")
        let first = graph.local("first") { look() }
        graph.local("second", after: first) { _ in look() }
        let run = try await runtime.run(graph)
        #expect(run.isSuccess)
        #expect(seen.elements.count == 2)
        #expect(seen.elements.first?.contains("local job 'first'") == true)
        #expect(seen.elements.last?.contains("local job 'second'") == true)
        #expect(runtime.workers.runningCount == 0)
    }

    @Test
    func `a cancelled node does not cancel the async nodes after it`() async throws {
        var graph = JobGraph("innocent")
        let slow = graph.local("slow") { [gate] in try? await gate.wait() }
        let next = graph.local("next", after: slow) { _ async in Task.isCancelled }
        let last = graph.local("last", after: next) { before async in before || Task.isCancelled }
        let execution = try runtime.start(graph)
        try await gate.waitForWaiters(count: 1)
        execution.cancel(slow)
        let run = await execution.finished()
        #expect(try run[last] == false)
    }

    @Test
    func `work that never waits and work that may take turns on a pool of one`() async throws {
        runtime.workers.size = 1
        var graph = JobGraph("mixed")
        var last = graph.local("0") { 0 }
        for index in 1..<1000 {
            last =
                index.isMultiple(of: 3)
                ? graph.local("\(index)", after: last) { number async in number + 1 }
                : graph.local("\(index)", after: last) { number in number + 1 }
        }
        #expect(try await runtime.run(graph)[last] == 999)
        #expect(runtime.workers.runningCount == 0)
    }

    @Test
    func `nested work that waits for a key of a node without a slot proceeds when the pool grows`() async throws {
        let (runtime, gate) = (JobRuntime(workerCount: 1), gate)
        let order = Recorder<String>()
        func graph(_ name: String) -> JobGraph {
            var graph = JobGraph(name)
            graph.local(name, options: [.mutex("key")]) { order.record(name) }
            return graph
        }
        let (inside, outside) = (graph("inside"), graph("outside"))
        let job = Task {
            try await runtime.run(
                LocalJob("job") {
                    try await gate.wait()
                    try await runtime.run(inside).check()
                }
            )
        }
        try await gate.waitForWaiters(count: 1)
        let execution = try runtime.start(outside)
        try await runtime.workers.wait { $0.waiting == 1 }
        gate.open()
        // The node outside holds the key and waits for the slot, the one inside has the slot and waits for the key.
        await runtime.mutexKeys.waitForWaiters(1)
        #expect(order.elements.isEmpty)

        runtime.workers.size = 2
        try await job.value
        #expect(await execution.finished().isSuccess)

        #expect(order.elements == ["outside", "inside"])
    }
}
