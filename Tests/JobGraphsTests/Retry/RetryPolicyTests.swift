// SPDX-License-Identifier: MIT

import RestEssentials
import Testing

@testable import JobGraphs

@Suite
struct RetryPolicyTests {
    private struct Failed: Error {}
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func decision(
        _ policy: RetryPolicy,
        after error: any Error = Failed(),
        attempt: Int = 1,
        remaining: Duration? = nil,
        seed: UInt64 = 1
    ) -> RetryPolicy.Decision {
        var generator = SplitMix64(seed: seed)
        return policy.decision(
            after: AttemptFailure(of: error, now: now),
            attempt: attempt,
            remaining: remaining,
            using: &generator
        )
    }

    /// A policy whose waits are not random.
    private func steady(_ attempts: Int) -> RetryPolicy {
        var policy = RetryPolicy(attempts: attempts)
        policy.usesJitter = false
        policy.baseDelay = .seconds(1)
        return policy
    }

    @Test
    func `a cancelled job is never tried again, whatever a rule says`() {
        var policy = steady(2)
        policy.isRetryable = { _ in true }
        #expect(decision(policy, after: CancellationError()) == .stop(.notRetryable))
    }

    @Test
    func `there are as many attempts as allowed, and at least one`() {
        #expect(decision(steady(3), attempt: 2) != .stop(.attemptsExhausted))
        #expect(decision(steady(3), attempt: 3) == .stop(.attemptsExhausted))
        #expect(RetryPolicy(attempts: -1).attempts == 1)
    }

    @Test
    func `waits grow up to a limit`() {
        var policy = steady(100)
        policy.maxDelay = .seconds(5)
        #expect((1...5).map { decision(policy, attempt: $0) } == [1, 2, 4, 5, 5].map { .retry(after: .seconds($0)) })
        #expect(decision(policy, attempt: 99) == .retry(after: .seconds(5)))
    }

    @Test(arguments: 1...50)
    func `jitter takes a random part of the wait, the same for the same seed`(seed: UInt64) {
        var policy = steady(9)
        policy.usesJitter = true
        let first = decision(policy, attempt: 3, seed: seed)
        #expect(first == decision(policy, attempt: 3, seed: seed))
        guard case .retry(let delay) = first else {
            Issue.record("\(first) is no wait")
            return
        }
        #expect(delay >= .zero)
        #expect(delay <= .seconds(4))
    }

    @Test
    func `a wait that would last beyond the end is not begun`() {
        #expect(decision(steady(2), remaining: .seconds(1)) == .stop(.deadline))
        #expect(decision(steady(2), remaining: .seconds(2)) == .retry(after: .seconds(1)))
    }
}
