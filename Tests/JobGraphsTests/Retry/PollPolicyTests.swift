// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import RestEssentials
import Testing

@testable import JobGraphs

@Suite
struct PollPolicyTests {
    private static func waits(
        _ policy: PollPolicy,
        _ attempts: ClosedRange<Int> = 1...5,
        elapsed: Duration = .zero,
        seed: UInt64 = 1
    ) -> [Double?] {
        attempts.map { attempt in
            var generator = SplitMix64(seed: seed)
            return policy.delay(after: attempt, elapsed: elapsed, using: &generator).map { $0 / .seconds(1) }
        }
    }

    private static func steady(_ policy: PollPolicy) -> PollPolicy {
        var policy = policy
        policy.backoff.jitter = 0
        return policy
    }

    @Test
    func `a poll waits the same interval each time, or twice the last one up to a limit`() {
        let same = Self.steady(.interval(.milliseconds(250)))
        let growing = Self.steady(.exponential(from: .milliseconds(500), upTo: .seconds(3)))

        #expect(Self.waits(same) == [0.25, 0.25, 0.25, 0.25, 0.25])
        #expect(Self.waits(growing) == [0.5, 1, 2, 3, 3])
        #expect(Self.waits(growing, 0...0) == [0.5])
        #expect(same.attempts == nil && same.limit == nil)
        #expect(same.backoff.multiplier == 1 && growing.backoff.multiplier == 2)
    }

    @Test(arguments: [(2.0, 3.0, 3.0), (1, 1, 3), (0.5, 1, 3), (0, 1, 3), (-1, 1, 3)])
    func `a factor below one does not shorten the waits`(factor: Double, second: Double, most: Double) {
        var policy = Self.steady(.interval(.seconds(1)))
        (policy.backoff.multiplier, policy.backoff.longest) = (factor, .seconds(most))

        #expect(Self.waits(policy, 1...3) == [1, min(factor > 1 ? factor : 1, most), factor > 1 ? most : 1])
    }

    @Test(arguments: [0.0, 1])
    func `an infinite factor leads to the longest wait, from no wait at all too`(first: Double) {
        let policy = Self.steady(.exponential(from: .seconds(first), upTo: .seconds(3)))
        var steep = policy
        steep.backoff.multiplier = .infinity

        #expect(Self.waits(steep, 1...3) == [first, 3, 3])
    }

    @Test(arguments: [(-1.0, 5.0, 0.0), (1, -5, 0), (0, 5, 0), (7, 5, 5)])
    func `neither interval is below zero, and the longest one wins`(first: Double, longest: Double, wait: Double) {
        var policy = Self.steady(.interval(.seconds(first)))
        policy.backoff.longest = .seconds(longest)

        #expect(Self.waits(policy, 1...2) == [wait, wait])
    }

    @Test(arguments: [(0.1, 0.9, 1.0), (1, 0, 1), (5, 0, 1), (0, 1, 1), (-1, 1, 1)])
    func `jitter shortens a wait by a part at most`(jitter: Double, least: Double, most: Double) {
        var policy = PollPolicy.interval(.seconds(1))
        #expect(policy.backoff.jitter == 0.1)
        policy.backoff.jitter = jitter
        let waits = (1...300).flatMap { Self.waits(policy, 1...1, seed: $0) }.compactMap(\.self)

        #expect(waits.count == 300)
        #expect(waits.allSatisfy { (least - 1e-9...most + 1e-9).contains($0) })
        let width = most - least
        #expect(waits.contains { $0 <= least + width / 20 } && waits.contains { $0 >= most - width / 20 })
    }

    @Test
    func `a poll ends with its last attempt, and before a wait that would reach its limit`() {
        var policy = Self.steady(.interval(.seconds(2), attempts: 3, limit: .seconds(10)))

        #expect(Self.waits(policy, 1...4) == [2, 2, nil, nil])
        #expect(Self.waits(policy, 1...1, elapsed: .milliseconds(7_999)) == [2])
        #expect(Self.waits(policy, 1...1, elapsed: .seconds(8)) == [nil])
        policy.attempts = nil
        #expect(Self.waits(policy, 1_000...1_000) == [2])
        policy.limit = nil
        #expect(Self.waits(policy, 1...1, elapsed: .seconds(1_000_000)) == [2])
    }

    @Test(arguments: [
        (0.0, 2.0), (1, 2), (7, 7), (-1, 2), (86_400, 86_400), (1e9, 86_400),
    ])
    func `a wait that was asked for counts, unless it is shorter than the first one or longer than a day`(
        asked: Double,
        wait: Double
    ) {
        // Also the longest wait of the policy does not shorten it.
        let policy = PollPolicy.exponential(from: .seconds(2), upTo: .seconds(5))
        var generator = SplitMix64(seed: 1)

        let delay = policy.delay(after: 9, asked: .seconds(asked), elapsed: .zero, using: &generator)

        #expect(delay == .seconds(wait))
    }

    @Test
    func `a wait that was asked for does not reach beyond the limits`() {
        var policy = Self.steady(.interval(.seconds(2), attempts: 3, limit: .seconds(10)))
        var generator = SplitMix64(seed: 1)

        #expect(policy.delay(after: 1, asked: .seconds(9), elapsed: .zero, using: &generator) == .seconds(9))
        #expect(policy.delay(after: 1, asked: .seconds(10), elapsed: .zero, using: &generator) == nil)
        #expect(policy.delay(after: 3, asked: .seconds(1), elapsed: .zero, using: &generator) == nil)
        policy.limit = nil
        #expect(policy.delay(after: 1, asked: .seconds(10), elapsed: .zero, using: &generator) == .seconds(10))
    }

    @Test(arguments: [0.0, 1, 2, .infinity, .nan], [Duration.zero, .seconds(1), .seconds(5)])
    func `the wait after any number of responses is found at once`(factor: Double, first: Duration) {
        var policy = Self.steady(.exponential(from: first, upTo: .seconds(5)))
        policy.backoff.multiplier = factor
        var retry = RetryPolicy.steady(.max)
        (retry.backoff.multiplier, retry.backoff.first, retry.backoff.longest) = (factor, first, .seconds(5))

        let late = Self.waits(policy, (.max - 1)...(.max - 1))

        #expect(late == Self.waits(policy, 70...70))
        #expect(retry.decision(attempt: .max - 1) == retry.decision(attempt: 70))
    }

    @Test(
        arguments: [Double.nan, .infinity, -.infinity, 1e300, 0],
        [Duration.zero, .seconds(-1), .seconds(Int64.max)]
    )
    func `no number and no duration is too strange`(number: Double, duration: Duration) throws {
        var policy = PollPolicy.exponential(from: duration, upTo: .seconds(Int64.max))
        (policy.backoff.multiplier, policy.backoff.jitter) = (number, number)
        var generator = SplitMix64(seed: 1)

        for attempt in [Int.min, 1, 2, 70] {
            #expect(try #require(policy.delay(after: attempt, elapsed: .zero, using: &generator)) >= .zero)
        }
    }
}
