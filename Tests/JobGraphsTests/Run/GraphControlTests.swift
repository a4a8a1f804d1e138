// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import Testing

@testable import JobGraphs

/// Limits of time, cancelling, progress, mutex keys, tries.
@Suite(.timeLimit(.minutes(5)))
struct GraphControlTests {
    private struct Failed: Error, Equatable {}

    private let gate = Gate()
    private let clock = ManualClock()

    private func runtime(workers: Int = 64) -> JobRuntime {
        JobRuntime(workerCount: workers, clock: clock)
    }

    private func statuses(_ run: GraphRun) -> [RunReport.Status] {
        run.nodes.map(\.status)
    }

    // MARK: - Cancelling

    @Test
    func `a cancelled run cancels what runs, and does not begin the rest`() async throws {
        var graph = JobGraph("cancelled")
        let slow = graph.local("slow") { [gate] in try await gate.wait() }
        graph.local("behind", after: slow) { _ in 1 }
        let execution = try runtime().start(graph)
        try await gate.waitForWaiters(count: 1)
        execution.cancel()
        let run = await execution.finished()
        #expect(statuses(run) == [.cancelled, .notRun])
        #expect(run.status == .cancelled)
        #expect(throws: CancellationError.self) { try run.check() }
    }

    @Test
    func `cancelling the task cancels the run, which ends when its jobs have ended`() async throws {
        let ended = Counter()
        var graph = JobGraph("cancelled")
        graph.local("slow") { [gate] in
            defer { ended.next() }
            try await gate.wait()
        }
        let runtime = runtime()
        let task = Task { [graph] in try await runtime.run(graph) }
        try await gate.waitForWaiters(count: 1)
        task.cancel()
        #expect(try await task.value.status == .cancelled)
        #expect(ended.value == 1)
        #expect(runtime.workers.runningCount == 0)
    }

    @Test
    func `a task that is cancelled before runs nothing`() async throws {
        let ran = Counter()
        var graph = JobGraph("cancelled")
        graph.local("node") { ran.next() }
        let runtime = runtime()
        let task = Task { [graph, gate] in
            try? await gate.wait()
            return try await runtime.run(graph)
        }
        task.cancel()
        #expect(statuses(try await task.value) == [.notRun])
        #expect(ran.value == 0)
    }

    @Test
    func `a cancelled node ends, dependent nodes are skipped, and the rest continues`() async throws {
        var graph = JobGraph("one node")
        let slow = graph.local("slow") { [gate] in try await gate.wait() }
        let behind = graph.local("behind", after: slow) { _ in 1 }
        let other = graph.local("other") { [gate] in try await gate.wait() }
        let execution = try runtime().start(graph)
        try await gate.waitForWaiters(count: 2)
        execution.cancel(slow)
        var updates = execution.progress.makeAsyncIterator()
        while let progress = try await updates.next(), progress.finished < 2 {}
        gate.open()
        let run = await execution.finished()
        #expect(statuses(run) == [.cancelled, .skipped, .success])
        #expect(run.status == .success)
        _ = (behind, other)
    }

    @Test(arguments: [FailureReaction.continue, .stop, .cancel])
    func `a node that nobody cancelled, and that throws a CancellationError, fails its run`(
        reaction: FailureReaction
    ) async throws {
        var graph = JobGraph("own cancellation")
        let quits = graph.local("quits") { [gate] () async throws -> Int in
            try await gate.waitForWaiters(count: 1)
            throw CancellationError()
        }
        graph.local("behind", after: quits) { $0 }
        graph.local("other") { [gate] in try await gate.wait() }
        let execution = try runtime(workers: 2).start(graph, options: [.onFailure(reaction)])
        var updates = execution.progress.makeAsyncIterator()
        while let progress = try await updates.next(), progress.finished < 2 {}
        gate.open()
        let run = await execution.finished()
        #expect(statuses(run).prefix(2) == [.cancelled, .skipped])
        #expect(reaction == .cancel || statuses(run)[2] == .success)
        #expect(run.status == .failure)
        #expect(run.report.outcome == .failure)
        #expect(throws: CancellationError.self) { try run.check() }
    }

    @Test
    func `a run that ignores a node ignores its own cancellation`() async throws {
        var graph = JobGraph("own cancellation")
        graph.local("quits", options: [.onFailure(.ignore)]) { () throws -> Int in throw CancellationError() }
        let run = try await runtime().run(graph)
        #expect(statuses(run) == [.cancelled])
        #expect(run.status == .success)
    }

    @Test
    func `a run that ignores failures succeeds, except where a node has a reaction of its own`() async throws {
        let cases: [(options: JobOptions?, status: RunReport.Outcome)] = [
            (nil, .success), ([.onFailure(.stop)], .failure),
        ]
        for (options, status) in cases {
            var graph = JobGraph("ignored")
            let bad = graph.local("bad", options: options) { () throws -> Int in throw Failed() }
            graph.local("behind", after: bad) { $0 }
            let run = try await runtime().run(graph, options: [.onFailure(.ignore)])
            #expect(statuses(run) == [.failure, .skipped])
            #expect(run.status == status)
        }
    }

    @Test
    func `a cancelled branch is cancelled to its ends`() async throws {
        var graph = JobGraph("branch")
        let root = graph.local("root") { [gate] in try await gate.wait() }
        let branch = graph.local("branch", after: root) { _ in 1 }
        graph.local("leaf", after: branch) { $0 }
        graph.local("other", after: root) { _ in 2 }
        let execution = try runtime().start(graph)
        try await gate.waitForWaiters(count: 1)
        execution.cancelBranch(from: branch)
        gate.open()
        #expect(statuses(await execution.finished()) == [.success, .cancelled, .cancelled, .success])
    }

    @Test
    func `cancelling a waiting node releases nodes that wait only for its end`() async throws {
        var graph = JobGraph("freed")
        let slow = graph.local("slow") { [gate] in try await gate.wait() }
        let waiting = graph.local("waiting", after: slow) { _ in 1 }
        let after = graph.local("after") { 2 }
        graph.order(waiting, before: after, requiresSuccess: false)
        let execution = try runtime().start(graph)
        try await gate.waitForWaiters(count: 1)
        execution.cancel(waiting)
        // Begun by the run itself, though nothing of it was doing anything.
        var updates = execution.progress.makeAsyncIterator()
        while let progress = try await updates.next(), progress.finished < 2 {}
        gate.open()
        let run = await execution.finished()
        #expect(statuses(run) == [.success, .cancelled, .success])
        _ = after
    }

    @Test
    func `a cancelled node does not cancel what its thread begins next`() async throws {
        var graph = JobGraph("innocent")
        let slow = graph.local("slow") { [gate] in try? await gate.wait() }
        let next = graph.local("next", after: slow) { _ in Task.isCancelled }
        let execution = try runtime().start(graph)
        try await gate.waitForWaiters(count: 1)
        execution.cancel(slow)
        let run = await execution.finished()
        #expect(try run[next] == false)
    }

    @Test
    func `work that cancels its own task leaves what its task begins next alone`() async throws {
        var graph = JobGraph("own")
        let first = graph.local("first") { () async in
            unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
            return Task.isCancelled
        }
        var last = first
        // Without waiting, all of them could share the first one's task.
        for number in 0..<20 {
            last = graph.local("\(number)", after: last) { _ async in Task.isCancelled }
        }
        let run = try await runtime().run(graph)
        #expect(try run[first])
        #expect(run.isSuccess)
        for number in 0..<20 {
            #expect(run.node("\(number)")?.status == .success)
        }
        #expect(try run[last] == false)
    }

    // MARK: - Time

    @Test
    func `a run ends in time although a job ignores its cancellation`() async throws {
        let stubborn = Gate()
        var graph = JobGraph("deadline")
        let done = graph.local("done") { 1 }
        let slow = graph.local("slow", after: done) { _ in
            // Not cancellable: waits in a task of its own.
            _ = await Task { try await stubborn.wait() }.result
        }
        graph.local("behind", after: slow) { _ in 1 }
        let runtime = runtime()
        let execution = try runtime.start(graph, options: [.timeout(.seconds(10))])
        try await stubborn.waitForWaiters(count: 1)
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(10))
        let run = await execution.finished()
        #expect(statuses(run) == [.success, .failure, .notRun])
        #expect(run.status == .timedOut)
        #expect(run.report.outcome == .timedOut)
        #expect((run.node("slow")?.error as? JobGraphError)?.code == .timeout)
        let error = #expect(throws: JobGraphError.self) { try run.check() }
        #expect(error?.code == .timeout)
        // The job continues, and keeps its slot until it ends.
        #expect(runtime.workers.runningCount == 1)
        stubborn.open()
        try await runtime.workers.wait { $0.running == 0 }
    }

    @Test
    func `a cancelled run ends at its time limit although a job ignores its cancellation`() async throws {
        let stubborn = Gate()
        var graph = JobGraph("deadline")
        graph.local("slow") { _ = await Task { try await stubborn.wait() }.result }
        let execution = try runtime().start(graph, options: [.timeout(.seconds(10))])
        try await stubborn.waitForWaiters(count: 1)
        execution.cancel()
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(10))
        let run = await execution.finished()
        #expect(run.status == .cancelled)
        #expect(run.code(of: "slow") == .timeout)
        stubborn.open()
    }

    @Test
    func `a node that takes too long fails alone`() async throws {
        var graph = JobGraph("timeout")
        graph.local("slow", options: [.timeout(.seconds(5))]) { [gate] in try await gate.wait() }
        let other = graph.local("other") { 1 }
        let execution = try runtime().start(graph)
        try await gate.waitForWaiters(count: 1)
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(5))
        let run = await execution.finished()
        #expect(statuses(run) == [.failure, .success])
        #expect((run.node("slow")?.error as? JobGraphError)?.message.contains("'slow'") == true)
        #expect(try run[other] == 1)
    }

    // MARK: - Tries

    @Test
    func `a node is tried again after a wait that holds no slot`() async throws {
        let tries = Counter()
        var policy = RetryPolicy(attempts: 3)
        policy.backoff.jitter = 0
        policy.backoff.first = .seconds(1)
        var graph = JobGraph("again")
        let node = graph.local("node", options: [.retry(policy)]) { () async throws -> Int in
            guard tries.next() == 3 else {
                throw Failed()
            }
            return 3
        }
        let runtime = runtime(workers: 1)
        let execution = try runtime.start(graph)
        for delay in [1, 2] {
            try await clock.waitForSleepers(count: 1)
            #expect(runtime.workers.runningCount == 0)
            clock.advance(by: .seconds(delay))
        }
        let run = await execution.finished()
        #expect(try run[node] == 3)
        #expect(run.node("node")?.attempts == 3)
        let waits = run.report.nodes[0].spans.filter { $0.phase == .backoff }
        #expect(waits.map(\.duration) == [.seconds(1), .seconds(2)])
    }

    @Test
    func `cancelling ends the wait between attempts`() async throws {
        var graph = JobGraph("again")
        graph.local("node", options: [.retry(5)]) { () throws -> Int in throw Failed() }
        let execution = try runtime().start(graph)
        try await clock.waitForSleepers(count: 1)
        execution.cancel()
        #expect(statuses(await execution.finished()) == [.cancelled])
    }

    // MARK: - Priorities

    @Test
    func `a node says how early its work is served`() async throws {
        let order = Recorder<String>()
        let runtime = runtime(workers: 1)
        var graph = JobGraph("priorities")
        graph.local("holder") { [gate] in try await gate.wait() }
        let low = graph.local("low", options: [.priority(.low)]) { () async in order.record("low") }
        let high = graph.local("high", options: [.priority(.high)]) { () async in order.record("high") }
        let execution = try runtime.start(graph)
        try await gate.waitForWaiters(count: 1)
        try await runtime.workers.wait { $0.waiting == 2 }
        gate.open()
        #expect(await execution.finished().isSuccess)
        #expect(order.elements == ["high", "low"])
        _ = (low, high)
    }

    // MARK: - Mutex keys

    @Test
    func `nodes with a key in common never overlap, also across runs`() async throws {
        let inside = Counter()
        let most = Recorder<Int>()
        var graph = JobGraph("keys")
        for index in 0..<5 {
            graph.local("\(index)", options: [.mutex("ledger")]) { () async in
                most.record(inside.next() - most.count)
                await suspendOnce()
            }
        }
        let runtime = runtime()
        let (first, second) = try (runtime.start(graph), runtime.start(graph))
        #expect(await first.finished().isSuccess)
        #expect(await second.finished().isSuccess)
        #expect(most.elements == Array(repeating: 1, count: 10))
    }

    @Test
    func `a node waits for its key without a slot`() async throws {
        var graph = JobGraph("keys")
        graph.local("holder", options: [.mutex("key")]) { [gate] in try await gate.wait() }
        graph.local("waiter", options: [.mutex("key")]) { 1 }
        let runtime = runtime()
        let execution = try runtime.start(graph)
        try await gate.waitForWaiters(count: 1)
        #expect(runtime.workers.runningCount == 1)
        #expect(runtime.workers.waitingCount == 0)
        gate.open()
        #expect(await execution.finished().isSuccess)
    }

    // MARK: - Progress

    @Test
    func `progress counts to the end`() async throws {
        var graph = JobGraph("progress")
        let slow = graph.local("slow") { [gate] in try await gate.wait() }
        graph.local("behind", after: slow) { _ in 1 }
        let execution = try runtime().start(graph)
        try await gate.waitForWaiters(count: 1)
        var updates = execution.progress.makeAsyncIterator()
        let first = try await updates.next()
        #expect(first?.total == 2)
        #expect(first?.finished == 0)
        #expect(first?.running == 1)
        gate.open()
        var last = first
        while let next = try await updates.next() {
            #expect(next.finished > last?.finished ?? 0)
            last = next
        }
        #expect(last?.fraction == 1)
        #expect(await execution.finished().isSuccess)
    }

    @Test
    func `a task that waits for progress can be cancelled`() async throws {
        var graph = JobGraph("progress")
        graph.local("slow") { [gate] in try await gate.wait() }
        let execution = try runtime().start(graph)
        let reader = Task {
            var seen = 0
            for await _ in execution.progress {
                seen += 1
            }
            return seen
        }
        try await gate.waitForWaiters(count: 1)
        reader.cancel()
        #expect(await reader.value <= 1)
        gate.open()
        _ = await execution.finished()
    }
}
