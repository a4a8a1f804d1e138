// SPDX-License-Identifier: MIT

import RestEssentials

/// The schedule and the limits of a poll.
///
/// ```swift
/// graph.poll("ready", after: job, every: .exponential(from: .milliseconds(200), upTo: .seconds(5))) { job in … }
/// ```
public struct PollPolicy: Sendable, Hashable {
    /// The wait after the first job.
    public var interval: Duration

    /// The factor by which each wait exceeds the previous one; 1 by default.
    public var multiplier: Double = 1

    /// The longest wait; equal to the first one by default.
    public var maxInterval: Duration

    /// The random part of each wait, between 0 and 1; 0.1 by default.
    public var jitter: Double = 0.1

    /// The maximum number of jobs; unlimited by default.
    public var attempts: Int?

    /// The time limit of the poll, from its first job on; that of the node by default.
    public var limit: Duration?

    /// Creates a policy with equal waits.
    ///
    /// - Parameter interval: The wait.
    package init(interval: Duration) {
        self.interval = interval
        maxInterval = interval
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
        policy.multiplier = 2
        policy.maxInterval = longest
        return policy
    }

    /// Returns the wait after a result that does not meet the condition.
    ///
    /// - Parameters:
    ///   - attempt: The number of the job, beginning with 1.
    ///   - elapsed: The time since the first job.
    ///   - generator: The source of the random part.
    /// - Returns: The wait; `nil` when the poll ends.
    func delay(
        after attempt: Int,
        elapsed: Duration,
        using generator: inout some RandomNumberGenerator
    ) -> Duration? {
        if let attempts, attempt >= attempts {
            return nil
        }
        let seconds = ExponentialWait.seconds(
            after: attempt,
            first: interval,
            multiplier: multiplier,
            longest: maxInterval
        )
        let part = min(max(0, jitter), 1)
        let share = 1 - part + part * Double.random(in: 0...1, using: &generator)
        let delay = Duration.bounded(seconds: seconds * share)
        if let limit, elapsed + delay >= limit {
            return nil
        }
        return delay
    }
}
