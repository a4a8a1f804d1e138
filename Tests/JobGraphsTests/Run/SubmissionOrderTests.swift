// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import Testing

@testable import JobGraphs

/// Local work of equal priority requests its slot, and so begins, in the order of submission.
@Suite(.timeLimit(.minutes(5)))
struct SubmissionOrderTests {
    /// The options that make a node more than a body in a slot.
    enum Kind: CaseIterable {
        case plain, withRetry, withTimeout, withKey, withEverything

        func options(of index: Int) -> JobOptions {
            switch self {
            case .plain: []
            case .withRetry: [.retry(3)]
            case .withTimeout: [.timeout(.seconds(3600))]
            case .withKey: [.mutex("\(index)")]
            case .withEverything: [.retry(3), .timeout(.seconds(3600)), .mutex("\(index)", "\(index)-too")]
            }
        }
    }

    private static let count = 40
    private static let inOrder = Array(0..<count)

    private let runtime = JobRuntime(workerCount: 1)
    private let gate = Gate()
    private let order = Recorder<Int>()

    /// A task that has the only slot until the gate opens.
    private func occupySlot() async throws -> Task<Void, any Error> {
        let (runtime, gate) = (runtime, gate)
        let task = Task { try await runtime.run(LocalJob("occupant") { try await gate.wait() }) }
        try await gate.waitForWaiters(count: 1)
        return task
    }

    private func waitForWaiters(_ count: Int) async throws {
        try await runtime.workers.wait { $0.waiting == count }
    }

    /// A graph of nodes side by side that record their numbers.
    private func graph(_ options: (Int) -> JobOptions) -> JobGraph {
        let order = order
        var graph = JobGraph("order")
        for index in 0..<Self.count {
            if index.isMultiple(of: 2) {
                graph.local("\(index)", options: options(index)) { () async in order.record(index) }
            } else {
                graph.local("\(index)", options: options(index)) { order.record(index) }
            }
        }
        return graph
    }

    // MARK: - Graphs

    @Test(arguments: Kind.allCases)
    func `nodes begin in the order in which they were added`(kind: Kind) async throws {
        let occupant = try await occupySlot()
        let execution = try runtime.start(graph(kind.options))
        try await waitForWaiters(Self.count)
        gate.open()
        let run = await execution.finished()
        try await occupant.value
        #expect(run.isSuccess)
        #expect(order.elements == Self.inOrder)
        #expect(runtime.workers.runningCount == 0)
        #expect(runtime.mutexKeys.heldCount == 0)
    }

    @Test
    func `nodes with one key begin in the order in which they were added`() async throws {
        let occupant = try await occupySlot()
        let execution = try runtime.start(graph { _ in [.mutex("key")] })
        try await waitForWaiters(1)
        await runtime.mutexKeys.waitForWaiters(Self.count - 1)
        gate.open()
        let run = await execution.finished()
        try await occupant.value
        #expect(run.isSuccess)
        #expect(order.elements == Self.inOrder)
        #expect(runtime.mutexKeys.heldCount == 0)
    }

    @Test(arguments: Kind.allCases)
    func `nodes of a run with a journal begin in the order in which they were added`(kind: Kind) async throws {
        let occupant = try await occupySlot()
        let (runtime, graph) = (runtime, graph(kind.options))
        let first = Task { try await runtime.run(graph, journal: RunJournal("order")) }
        try await waitForWaiters(Self.count)
        gate.open()
        #expect(try await first.value.isSuccess)
        try await occupant.value
        #expect(order.elements == Self.inOrder)
    }

    @Test
    func `a node whose result is in the journal needs no slot`() async throws {
        struct Failed: Error {}
        let isMended = Counter()
        var graph = JobGraph("resumed")
        let first = graph.local("first", options: [.mutex("key")]) { () async in 1 }
        graph.local("second", after: first) { _ in
            if isMended.next() == 1 {
                throw Failed()
            }
        }
        #expect(try await runtime.run(graph, journal: RunJournal("resumed")).status == .failure)
        let occupant = try await occupySlot()
        let (runtime, again) = (runtime, graph)
        let run = Task { try await runtime.run(again, journal: RunJournal("resumed")) }
        // The first node has ended, although the only slot is taken; the second one requests it.
        try await waitForWaiters(1)
        gate.open()
        try await occupant.value
        #expect(try await run.value.node("first")?.status == .resumed)
        #expect(try await run.value.isSuccess)
    }

    @Test
    func `a second attempt requests its slot again, after all waiters`() async throws {
        struct Failed: Error {}
        let occupant = try await occupySlot()
        let (order, tries) = (order, Counter())
        var policy = RetryPolicy(attempts: 2)
        policy.backoff.first = .zero
        policy.isRetryable = { _ in true }
        var graph = JobGraph("again")
        graph.local("first", options: [.retry(policy)]) { () async throws in
            order.record(0)
            if tries.next() == 1 {
                throw Failed()
            }
        }
        for index in 1..<5 {
            graph.local("\(index)") { () async in order.record(index) }
        }
        let execution = try runtime.start(graph)
        try await waitForWaiters(5)
        // The work after the first node continues until that node waits again.
        runtime.workers.size = 1
        gate.open()
        #expect(await execution.finished().isSuccess)
        try await occupant.value
        #expect(order.elements.first == 0)
        #expect(order.elements.filter { $0 > 0 } == [1, 2, 3, 4])
        #expect(order.elements.count == 6)
    }

    // MARK: - Loops and groups

    @Test(arguments: [[], [.retry(2)]] as [JobOptions])
    func `the elements of a loop begin in their order`(options: JobOptions) async throws {
        let occupant = try await occupySlot()
        let order = order
        var graph = JobGraph("loop")
        let elements = graph.input("elements", Self.inOrder)
        graph.forEach("loop", in: elements, limit: Self.count, options: options) { order.record($0) }
        let execution = try runtime.start(graph)
        try await waitForWaiters(Self.count)
        gate.open()
        #expect(await execution.finished().isSuccess)
        try await occupant.value
        #expect(order.elements == Self.inOrder)
    }

    @Test
    func `the jobs of a concurrent group begin in their order`() async throws {
        let occupant = try await occupySlot()
        let (runtime, order) = (runtime, order)
        let jobs = Self.inOrder.map { index in LocalJob("\(index)") { order.record(index) } }
        let group = Task { await runtime.concurrently(jobs) }
        try await waitForWaiters(Self.count)
        gate.open()
        #expect(await group.value.isSuccess)
        try await occupant.value
        #expect(order.elements == Self.inOrder)
    }

    @Test
    func `jobs of several types begin in their order`() async throws {
        let occupant = try await occupySlot()
        let (runtime, order) = (runtime, order)
        let jobs = Self.inOrder.map { index -> any Job in
            if index.isMultiple(of: 2) {
                LocalJob("\(index)") { order.record(index) }
            } else {
                LocalJob("\(index)") {
                    order.record(index)
                    return index
                }
            }
        }
        let group = Task { await runtime.concurrently(jobs) }
        try await waitForWaiters(Self.count)
        gate.open()
        let report = await group.value
        try await occupant.value
        #expect(report.isSuccess)
        #expect(report.outcomes.compactMap { $0.value as? Int } == Self.inOrder.filter { !$0.isMultiple(of: 2) })
        #expect(order.elements == Self.inOrder)
    }

    // MARK: - Waiting

    @Test
    func `the time limit of a node counts while it waits for its slot`() async throws {
        let clock = ManualClock()
        let runtime = JobRuntime(workerCount: 1, clock: clock)
        let gate = gate
        let occupant = Task { try await runtime.run(LocalJob("occupant") { try await gate.wait() }) }
        try await gate.waitForWaiters(count: 1)
        var graph = JobGraph("late")
        graph.local("late", options: [.timeout(.seconds(5))]) { () async in }
        let execution = try runtime.start(graph)
        try await clock.waitForSleepers(count: 1)
        try await runtime.workers.wait { $0.waiting == 1 }
        clock.advance(by: .seconds(5))
        let run = await execution.finished()
        #expect((run.node("late")?.error as? JobGraphError)?.code == .timeout)
        #expect(runtime.workers.waitingCount == 0)
        gate.open()
        try await occupant.value
        #expect(runtime.workers.runningCount == 0)
        #expect(clock.deadlines.isEmpty)
    }

    @Test
    func `a node that is cancelled while it waits for its slot gives back its keys`() async throws {
        let occupant = try await occupySlot()
        var graph = JobGraph("cancelled")
        let node = graph.local("node", options: [.mutex("key")]) { () async in }
        let execution = try runtime.start(graph)
        try await waitForWaiters(1)
        #expect(runtime.mutexKeys.heldCount == 1)
        execution.cancel(node)
        #expect(await execution.finished().node("node")?.status == .cancelled)
        #expect(runtime.mutexKeys.heldCount == 0)
        #expect(runtime.workers.waitingCount == 0)
        gate.open()
        try await occupant.value
    }

    @Test
    func `elements that are cancelled while they wait leave the queue`() async throws {
        let occupant = try await occupySlot()
        var graph = JobGraph("cancelled")
        let elements = graph.input("elements", Self.inOrder)
        graph.forEach("loop", in: elements, limit: Self.count) { _ in }
        let execution = try runtime.start(graph)
        try await waitForWaiters(Self.count)
        execution.cancel()
        #expect(await execution.finished().status == .cancelled)
        #expect(runtime.workers.waitingCount == 0)
        gate.open()
        try await occupant.value
        #expect(runtime.workers.runningCount == 0)
    }
}
