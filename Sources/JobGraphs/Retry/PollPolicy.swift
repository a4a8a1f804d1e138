// SPDX-License-Identifier: MIT

/// How often something is asked again until it is as wanted: a pure rule.
///
/// ```swift
/// graph.poll("ready", after: job, every: .exponential(from: .milliseconds(200), upTo: .seconds(5))) { job in … }
/// ```
public struct PollPolicy: Sendable, Hashable {
    /// The wait after the first response.
    public var interval: Duration

    /// How much longer each wait is than the one before; 1 by default.
    public var multiplier: Double = 1

    /// The longest wait; the first one by default.
    public var maxInterval: Duration

    /// Which part of each wait is random, between 0 and 1; 0.1 by default.
    public var jitter: Double = 0.1

    /// How often it is asked at most; any number by default.
    public var attempts: Int?

    /// How long it is asked at most, from the first time on; as long as the node may take by default.
    public var limit: Duration?

    /// Creates a policy of equal waits.
    ///
    /// - Parameter interval: The wait.
    package init(interval: Duration) {
        self.interval = interval
        maxInterval = interval
    }

    /// Waits of one length.
    ///
    /// - Parameters:
    ///   - interval: The wait.
    ///   - attempts: How often it is asked at most; any number by default.
    ///   - limit: How long it is asked at most; as long as the node may take by default.
    /// - Returns: The policy.
    public static func interval(_ interval: Duration, attempts: Int? = nil, limit: Duration? = nil) -> PollPolicy {
        var policy = PollPolicy(interval: interval)
        policy.attempts = attempts
        policy.limit = limit
        return policy
    }

    /// Waits that double.
    ///
    /// - Parameters:
    ///   - first: The first wait.
    ///   - longest: The longest wait.
    ///   - attempts: How often it is asked at most; any number by default.
    ///   - limit: How long it is asked at most; as long as the node may take by default.
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

    /// How long to wait after a response that is not as wanted.
    ///
    /// - Parameters:
    ///   - attempt: The number of the response, beginning with 1.
    ///   - elapsed: The time since the first time it was asked.
    ///   - generator: Where the random part comes from.
    /// - Returns: The wait; `nil` when it is not asked again.
    func delay(
        after attempt: Int,
        elapsed: Duration,
        using generator: inout some RandomNumberGenerator
    ) -> Duration? {
        if let attempts, attempt >= attempts {
            return nil
        }
        let longest = max(0, maxInterval / .seconds(1))
        var seconds = min(max(0, interval / .seconds(1)), longest)
        for _ in 1..<max(1, attempt) where seconds < longest && multiplier > 1 {
            seconds = min(seconds * multiplier, longest)
        }
        let part = min(max(0, jitter), 1)
        let delay = Duration.seconds(seconds * (1 - part + part * Double.random(in: 0...1, using: &generator)))
        if let limit, elapsed + delay >= limit {
            return nil
        }
        return delay
    }
}
