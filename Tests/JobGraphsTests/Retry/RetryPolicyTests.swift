// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import Testing

@testable import JobGraphs

@Suite
struct RetryPolicyTests {
    @Test
    func `a cancelled job is never retried, regardless of any rule`() {
        var policy = RetryPolicy.steady(2)
        policy.isRetryable = { _ in true }
        #expect(policy.decision(after: CancellationError()) == .stop(.notRetryable))
    }

    @Test
    func `there are as many attempts as allowed, and at least one`() {
        #expect(RetryPolicy.steady(3).decision(attempt: 2) != .stop(.attemptsExhausted))
        #expect(RetryPolicy.steady(3).decision(attempt: 3) == .stop(.attemptsExhausted))
        #expect(RetryPolicy(attempts: -1).attempts == 1)
    }

    @Test
    func `waits grow up to a limit`() {
        var policy = RetryPolicy.steady(100)
        policy.maxDelay = .seconds(5)
        #expect((1...5).map { policy.decision(attempt: $0) } == [1, 2, 4, 5, 5].map { .retry(after: .seconds($0)) })
        #expect(policy.decision(attempt: 99) == .retry(after: .seconds(5)))
    }

    @Test(arguments: 1...50)
    func `jitter takes a random part of the wait, the same for the same seed`(seed: UInt64) {
        var policy = RetryPolicy.steady(9)
        policy.usesJitter = true
        let first = policy.decision(attempt: 3, seed: seed)
        #expect(first == policy.decision(attempt: 3, seed: seed))
        guard case .retry(let delay) = first else {
            Issue.record("\(first) is no wait")
            return
        }
        #expect(delay >= .zero)
        #expect(delay <= .seconds(4))
    }

    @Test
    func `a wait that would last beyond the end is not begun`() {
        #expect(RetryPolicy.steady(2).decision(remaining: .seconds(1)) == .stop(.deadline))
        #expect(RetryPolicy.steady(2).decision(remaining: .seconds(2)) == .retry(after: .seconds(1)))
    }
}
