// SPDX-License-Identifier: MIT

import RestEssentials

/// The schedule and the limits of a poll.
///
/// ```swift
/// graph.poll("ready", after: job, every: .exponential(from: .milliseconds(200), upTo: .seconds(5))) { job in … }
/// ```
public struct PollPolicy: Sendable, Hashable {
    /// The waits after jobs; equal by default, with a random part of a tenth.
    public var backoff: Backoff

    /// The maximum number of jobs; unlimited by default.
    public var attempts: Int?

    /// The time limit of the poll, from its first job on; that of the node by default.
    public var limit: Duration?

    package init(interval: Duration) {
        backoff = Backoff(interval, multiplier: 1, longest: interval, jitter: 0.1)
    }

    /// Returns a policy with equal waits.
    ///
    /// - Parameters:
    ///   - interval: The wait.
    ///   - attempts: The maximum number of jobs; unlimited by default.
    ///   - limit: The time limit of the poll; that of the node by default.
    /// - Returns: The policy.
    public static func interval(_ interval: Duration, attempts: Int? = nil, limit: Duration? = nil) -> PollPolicy {
        var policy = PollPolicy(interval: interval)
        policy.attempts = attempts
        policy.limit = limit
        return policy
    }

    /// Returns a policy whose waits double.
    ///
    /// - Parameters:
    ///   - first: The first wait.
    ///   - longest: The longest wait.
    ///   - attempts: The maximum number of jobs; unlimited by default.
    ///   - limit: The time limit of the poll; that of the node by default.
    /// - Returns: The policy.
    public static func exponential(
        from first: Duration,
        upTo longest: Duration,
        attempts: Int? = nil,
        limit: Duration? = nil
    ) -> PollPolicy {
        var policy = interval(first, attempts: attempts, limit: limit)
        policy.backoff.multiplier = 2
        policy.backoff.longest = longest
        return policy
    }

    private static let longestRequest = Duration.seconds(86_400)

    /// Returns the wait after a result that does not meet the condition; `nil` when the poll ends.
    ///
    /// A wait that the work asks for takes the place of the policy's own, but is neither shorter than the first one, so
    /// that nothing is asked without a pause, nor longer than a day.
    package func delay(
        after attempt: Int,
        asked: Duration? = nil,
        elapsed: Duration,
        using generator: inout some RandomNumberGenerator
    ) -> Duration? {
        if let attempts, attempt >= attempts {
            return nil
        }
        var delay = backoff.wait(after: attempt, random: .random(in: 0...1, using: &generator))
        if let asked {
            delay = max(min(asked, Self.longestRequest), backoff.wait(after: 1, random: 1))
        }
        if let limit, elapsed + delay >= limit {
            return nil
        }
        return delay
    }
}
