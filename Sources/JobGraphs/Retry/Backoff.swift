// SPDX-License-Identifier: MIT

import RestEssentials

/// The waits between repeated attempts, polls or connections: each is longer than the one before it, up to a limit.
///
/// ```swift
/// let patient = RetryPolicy(attempts: 6, backoff: Backoff(.seconds(1), longest: .seconds(60)))
/// ```
public struct Backoff: Sendable, Hashable {
    /// The first wait.
    public var first: Duration

    /// The factor by which each wait exceeds the one before it; less than 1 counts as 1.
    public var multiplier: Double

    /// The longest wait.
    public var longest: Duration

    /// The share of each wait that is random, from 0 to 1: with 1 a wait is any part of its full length, so that many
    /// clients that failed together do not return together.
    public var jitter: Double

    /// Creates the waits.
    ///
    /// - Parameters:
    ///   - first: The first wait.
    ///   - multiplier: The factor by which each wait exceeds the one before it; 2 by default.
    ///   - longest: The longest wait; 30 seconds by default.
    ///   - jitter: The share of each wait that is random, from 0 to 1; 1 by default.
    public init(_ first: Duration, multiplier: Double = 2, longest: Duration = .seconds(30), jitter: Double = 1) {
        self.first = first
        self.multiplier = multiplier
        self.longest = longest
        self.jitter = jitter
    }

    /// Returns the wait after some attempts, at least 1; `random` is a number from 0 to 1, for the random part.
    package func wait(after attempt: Int, random: Double) -> Duration {
        let longest = max(0, longest / .seconds(1))
        var seconds = min(longest, max(0, first / .seconds(1)))
        for _ in 1..<max(1, attempt) {
            // In this order, a result that is not a number (zero times infinity) becomes the longest wait.
            let next = min(longest, seconds * max(1, multiplier))
            // A wait that no longer grows is the same for all later attempts, of which there may be many.
            guard next != seconds else {
                break
            }
            seconds = next
        }
        let part = min(max(0, jitter), 1)
        return .bounded(seconds: seconds * (1 - part + part * min(max(0, random), 1)))
    }
}
