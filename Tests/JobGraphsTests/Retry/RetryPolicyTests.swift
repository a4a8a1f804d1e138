// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import RestEssentials
import Testing

@testable import JobGraphs

@Suite
struct RetryPolicyTests {
    @Test
    func `a cancelled job is never retried, regardless of any rule`() {
        var policy = RetryPolicy.steady(2)
        policy.isRetryable = { _ in true }
        #expect(policy.decision(after: CancellationError()) == .stop(.notTemporary))
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
        policy.backoff.longest = .seconds(5)
        #expect((1...5).map { policy.decision(attempt: $0) } == [1, 2, 4, 5, 5].map { .retry(after: .seconds($0)) })
        #expect(policy.decision(attempt: 99) == .retry(after: .seconds(5)))
    }

    @Test(arguments: 1...50)
    func `jitter takes a random part of the wait, the same for the same seed`(seed: UInt64) {
        var policy = RetryPolicy.steady(9)
        policy.backoff.jitter = 1
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

    @Test
    func `a policy repeats safe requests three times within half a minute unless told otherwise`() {
        let policy = RetryPolicy(attempts: 4)

        #expect(RetryPolicy.standard.attempts == 3)
        #expect(RetryPolicy.never.attempts == 1)
        #expect(policy.backoff.first == .milliseconds(200))
        #expect(policy.backoff.longest == .seconds(30))
        #expect(policy.backoff.multiplier == 2)
        #expect(policy.backoff.jitter == 1)
        #expect(!policy.retriesUnsafeWork)
    }

    @Test(arguments: [
        (0.25, 2.0, 30.0, [0.25, 0.5, 1, 2]), (0.25, 1, 30, [0.25, 0.25, 0.25, 0.25]),
        (0.25, 0.5, 30, [0.25, 0.25, 0.25, 0.25]), (0.5, 3, 30, [0.5, 1.5, 4.5, 13.5]), (4, 2, 3, [3, 3, 3, 3]),
        (0, 2, 30, [0, 0, 0, 0]), (-5, 2, 30, [0, 0, 0, 0]), (1, 2, 0, [0, 0, 0, 0]), (1, 2, -1, [0, 0, 0, 0]),
    ])
    func `waits grow by their factor, and neither limit is ever below zero`(
        base: Double,
        factor: Double,
        most: Double,
        waits: [Double]
    ) {
        var policy = RetryPolicy.steady(100)
        (policy.backoff.first, policy.backoff.multiplier, policy.backoff.longest) = (
            .seconds(base), factor, .seconds(most)
        )

        #expect((1...4).map { policy.decision(attempt: $0) } == waits.map { .retry(after: .seconds($0)) })
        // An attempt before the first one is the first one.
        #expect(policy.decision(attempt: 0) == .retry(after: .seconds(waits[0])))
    }

    @Test(arguments: [0.0, 1])
    func `an infinite factor leads to the longest wait, from no wait at all too`(base: Double) {
        var policy = RetryPolicy.steady(9)
        (policy.backoff.first, policy.backoff.multiplier) = (.seconds(base), .infinity)

        #expect(policy.decision(attempt: 1) == .retry(after: .seconds(base)))
        #expect(policy.decision(attempt: 2) == .retry(after: .seconds(30)))
        #expect(policy.decision(attempt: 5) == .retry(after: .seconds(30)))
    }

    @Test
    func `a retry takes its room from the budget, and only if it is made`() {
        let (taken, policy) = (Counter(), RetryPolicy.steady(2))
        func decision(attempt: Int = 1, remaining: Duration? = nil, isRoom: Bool) -> RetryPolicy.Decision {
            var (failure, generator) = (AttemptFailure(RetryPolicy.UnknownError()), SplitMix64(seed: 1))
            failure.takeRetry = {
                _ = taken.next()
                return isRoom
            }
            return policy.decision(after: failure, attempt: attempt, remaining: remaining, using: &generator)
        }

        #expect(decision(attempt: 2, isRoom: true) == .stop(.attemptsExhausted))
        #expect(decision(remaining: .seconds(1), isRoom: true) == .stop(.deadline))
        #expect(taken.value == 0)
        #expect(decision(isRoom: true) == .retry(after: .seconds(1)))
        #expect(decision(isRoom: false) == .stop(.budget))
        #expect(taken.value == 2)
    }

    @Test
    func `jitter reaches from no wait at all to the whole of it`() {
        var policy = RetryPolicy.steady(9)
        policy.backoff.jitter = 1
        let waits = (1...300)
            .compactMap { seed -> Double? in
                guard case .retry(let delay) = policy.decision(attempt: 3, seed: UInt64(seed)) else {
                    return nil
                }
                return delay / .seconds(1)
            }

        #expect(waits.count == 300)
        #expect(waits.allSatisfy { (0...4).contains($0) })
        #expect(waits.contains { $0 < 0.2 } && waits.contains { $0 > 3.8 })
    }
}
