// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import Synchronization
import Testing

@testable import JobGraphs

/// Rules of a policy that use the run whose work they judge.
@Suite(.timeLimit(.minutes(5)))
struct RetryDecisionTests {
    private struct Failed: Error {}

    /// The run, once it has started.
    private final class Current: Sendable {
        private let state = Mutex<GraphExecution?>(nil)

        var execution: GraphExecution? {
            get { state.withLock(\.self) }
            set { state.withLock { $0 = newValue } }
        }
    }

    @Test
    func `a rule may cancel the run, which makes no other attempt`() async throws {
        let (gate, attempts, current) = (Gate(), Counter(), Current())
        var policy = RetryPolicy(attempts: 3)
        policy.backoff.first = .zero
        policy.isRetryable = { _ in
            current.execution?.cancel()
            return true
        }
        var graph = JobGraph("retried")
        graph.local("work", options: [.retry(policy)]) {
            try await gate.wait()
            attempts.next()
            throw Failed()
        }
        let execution = try JobRuntime(clock: ManualClock()).start(graph)
        current.execution = execution

        gate.open()
        let run = await execution.finished()

        #expect(run.status == .cancelled)
        #expect(run.statuses == [.cancelled])
        #expect(attempts.value == 1)
    }

    @Test
    func `a rule may cancel another node of the run`() async throws {
        let (gate, never, current) = (Gate(), Gate(), Current())
        var graph = JobGraph("retried")
        let other = graph.local("other") { try await never.wait() }
        var policy = RetryPolicy(attempts: 2)
        policy.isRetryable = { _ in
            current.execution?.cancel(other)
            return false
        }
        graph.local("work", options: [.retry(policy)]) {
            try await gate.wait()
            throw Failed()
        }
        let execution = try JobRuntime(clock: ManualClock()).start(graph, options: [.onFailure(.continue)])
        current.execution = execution
        try await never.waitForWaiters(count: 1)

        gate.open()
        let run = await execution.finished()

        #expect(run.statuses == [.cancelled, .failure])
    }
}
