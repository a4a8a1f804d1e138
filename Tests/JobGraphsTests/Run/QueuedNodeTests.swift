// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import Synchronization
import Testing

@testable import JobGraphs

/// Local nodes that wait for a worker slot without a task, which has no visible effect.
@Suite(.timeLimit(.minutes(5)))
struct QueuedNodeTests {
    @TaskLocal private static var mark = ""

    private let runtime = JobRuntime()
    private let gate = Gate()

    init() {
        runtime.workers.size = 1
    }

    /// A task that has the only slot until the gate opens.
    private func occupySlot() async throws -> Task<Void, any Error> {
        let (runtime, gate) = (runtime, gate)
        let task = Task { try await runtime.run(LocalJob("occupant") { try await gate.wait() }) }
        try await gate.waitForWaiters(count: 1)
        return task
    }

    private func waitForWaiting(_ count: Int) async throws {
        try await runtime.workers.wait { $0.waiting == count }
    }

    private static func independent(_ count: Int, _ work: @escaping @Sendable (Int) async throws -> Int) -> JobGraph {
        var graph = JobGraph("independent")
        for index in 0..<count {
            graph.local("\(index)") { try await work(index) }
        }
        return graph
    }

    @Test
    func `nodes begin in their order when somebody else's slot falls to them`() async throws {
        let order = Recorder<Int>()
        let occupant = try await occupySlot()
        let graph = Self.independent(20) { index in
            order.record(index)
            await suspendOnce()
            return index
        }
        let execution = try runtime.start(graph)
        try await waitForWaiting(20)
        gate.open()
        let run = await execution.finished()
        try await occupant.value
        #expect(run.isSuccess)
        #expect(order.elements == Array(0..<20))
        #expect(runtime.workers.runningCount == 0)
        #expect(runtime.workers.waitingCount == 0)
    }

    @Test
    func `no more work at once than there are slots, and each of them is used`() async throws {
        runtime.workers.size = 3
        let running = Mutex((now: 0, most: 0))
        let gate = gate
        let graph = Self.independent(60) { index in
            running.withLock { count in
                count.now += 1
                count.most = max(count.most, count.now)
            }
            try await gate.wait()
            running.withLock { $0.now -= 1 }
            return index
        }
        let execution = try runtime.start(graph)
        for count in stride(from: 57, through: 0, by: -3) {
            try await gate.waitForWaiters(count: 3)
            try await waitForWaiting(count)
            gate.pass(3)
        }
        #expect(await execution.finished().isSuccess)
        #expect(running.withLock(\.most) == 3)
        #expect(runtime.workers.runningCount == 0)
    }

    @Test
    func `the task-local values of the run reach a node that gets another task's slot`() async throws {
        let occupant = try await occupySlot()
        let marks = Recorder<String>()
        let graph = Self.independent(3) { index in
            marks.record(Self.mark)
            return index
        }
        let execution = try Self.$mark.withValue("run") { try runtime.start(graph) }
        try await waitForWaiting(3)
        Self.$mark.withValue("opener") { gate.open() }
        let run = await execution.finished()
        try await occupant.value
        #expect(run.isSuccess)
        #expect(marks.elements == ["run", "run", "run"])
    }

    @Test
    func `a node that waits can be cancelled by itself`() async throws {
        let occupant = try await occupySlot()
        var graph = JobGraph("cancelled")
        let first = graph.local("first") { () async in 1 }
        let second = graph.local("second") { () async in 2 }
        let behind = graph.local("behind", after: first) { $0 }
        let execution = try runtime.start(graph)
        try await waitForWaiting(2)
        execution.cancel(first)
        try await waitForWaiting(1)
        gate.open()
        let run = await execution.finished()
        try await occupant.value
        #expect(run.node("first")?.status == .cancelled)
        #expect(run.node("behind")?.status == .skipped)
        #expect(try run[second] == 2)
        #expect(throws: (any Error).self) { try run[behind] }
        #expect(runtime.workers.runningCount == 0)
    }

    @Test
    func `a run that is cancelled ends although its nodes have no slot yet`() async throws {
        let occupant = try await occupySlot()
        let execution = try runtime.start(Self.independent(100) { $0 })
        try await waitForWaiting(100)
        execution.cancel()
        let run = await execution.finished()
        #expect(run.status == .cancelled)
        #expect(run.nodes.allSatisfy { $0.status == .cancelled })
        #expect(runtime.workers.waitingCount == 0)
        gate.open()
        try await occupant.value
        #expect(runtime.workers.runningCount == 0)
    }

    @Test
    func `cancelling while slots change hands loses no slot and no node`() async throws {
        runtime.workers.size = 2
        for round in 0..<50 {
            let begun = Recorder<Int>()
            let execution = try runtime.start(
                Self.independent(40) { index in
                    begun.record(index)
                    await suspendOnce()
                    return index
                }
            )
            try await begun.waitForCount(min(round, 40))
            execution.cancel()
            let run = await execution.finished()
            #expect(run.nodes.count == 40)
        }
        try await runtime.workers.wait { $0.running == 0 }
        #expect(runtime.workers.waitingCount == 0)
    }

    @Test
    func `nodes of a run inside a job that has the only slot use that slot one at a time`() async throws {
        let runtime = runtime
        let results = try await runtime.run(
            LocalJob("outer") {
                let run = try await runtime.run(
                    Self.independent(10) { index in
                        await suspendOnce()
                        return index
                    }
                )
                return run.nodes.count { $0.status == .success }
            }
        )
        #expect(results == 10)
        #expect(runtime.workers.runningCount == 0)
    }

    @Test
    func `remaining work of a node does not run beside the next node in its slot`() async throws {
        let runtime = runtime
        let inside = Gate()
        let most = Mutex((now: 0, most: 0))
        let work: @Sendable () async throws -> Void = {
            most.withLock { count in
                count.now += 1
                count.most = max(count.most, count.now)
            }
            await suspendOnce()
            most.withLock { $0.now -= 1 }
        }
        let left = Mutex<Task<Void, any Error>?>(nil)
        var graph = JobGraph("left")
        let first = graph.local("first") { () async in
            // It uses the slot of the node, which ends without waiting for it.
            let task = Task {
                try await runtime.run(
                    LocalJob("left behind") {
                        inside.open()
                        // The second node waits, though the first one is over.
                        try await runtime.workers.wait { $0.waiting == 1 }
                        try await work()
                    }
                )
            }
            left.withLock { $0 = task }
            try? await inside.wait()
        }
        graph.local("second", after: first) { _ async throws in try await work() }
        let run = try await runtime.run(graph)
        try await left.withLock { $0 }?.value
        #expect(run.isSuccess)
        #expect(most.withLock(\.most) == 1)
        #expect(runtime.workers.runningCount == 0)
    }

    @Test
    func `a list of local jobs waits in the order of their priorities`() async throws {
        let order = Recorder<String>()
        let occupant = try await occupySlot()
        let runtime = runtime
        let jobs = ["low", "normal", "high"]
            .map { name in LocalJob(name) { order.record(name) }.priority(JobPriority(rawValue: name) ?? .normal) }
        let group = Task { await runtime.concurrently(jobs) }
        try await waitForWaiting(3)
        gate.open()
        let report = await group.value
        try await occupant.value
        #expect(report.isSuccess)
        #expect(order.elements == ["high", "normal", "low"])
    }
}
