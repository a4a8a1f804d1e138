// SPDX-License-Identifier: MIT

/// Decides whether failed work is attempted again, and after which wait: a pure rule.
///
/// ```swift
/// let orders = graph.request("orders", after: login, options: [.retry(4)]) { token in RequestNode(.orders) }
/// ```
///
/// By default these are attempted again: failures of the network, timeouts, the statuses 408, 425, 429, 500, 502, 503
/// and 504, and errors of your own code that followed none of the others. Work is repeated by what it did, whatever a
/// handler made of its error: a request with an unsafe method only when it cannot have reached the server, or when the
/// server says that it did not handle it (425, 429, 503 with `Retry-After`); see ``retriesUnsafeRequests``. A cancelled
/// job is never attempted again.
///
/// The wait grows exponentially, and a random part of it is waited (full jitter), so that many clients that failed
/// together do not come back together. A wait holds no worker slot.
public struct RetryPolicy: Sendable {
    /// The largest number of attempts, the first one included.
    public var attempts: Int

    /// The longest wait before the second attempt; 200 milliseconds by default.
    public var baseDelay: Duration = .milliseconds(200)

    /// The factor by which each wait may exceed the one before; 2 by default.
    public var multiplier: Double = 2

    /// The longest wait of all; 30 seconds by default.
    ///
    /// A longer `Retry-After` of the server ends the attempts.
    public var maxDelay: Duration = .seconds(30)

    /// A Boolean value that makes each wait a random part of the whole; `true` by default.
    public var usesJitter = true

    /// A Boolean value that allows to repeat requests with methods that are not idempotent, like POST, although they
    /// may have had their effect.
    ///
    /// The default is `false`. Give such a request an `Idempotency-Key` first.
    public var retriesUnsafeRequests = false

    /// Tells whether an error is worth another attempt; `nil`, the default, for the rule of the type.
    ///
    /// It is not asked about a `CancellationError`. Work that may have had its effect is not repeated because of it;
    /// see ``retriesUnsafeRequests``.
    public var isRetryable: (@Sendable (any Error) -> Bool)?

    /// Creates a policy.
    ///
    /// - Parameter attempts: How many attempts there are at most, the first one included; less than 1 counts as 1.
    public init(attempts: Int) {
        self.attempts = max(1, attempts)
    }

    /// Three attempts, with the waits and the rule of the defaults.
    public static let standard = RetryPolicy(attempts: 3)

    /// One attempt, whatever outer levels say.
    public static let never = RetryPolicy(attempts: 1)
}

// MARK: - The decision

extension RetryPolicy {
    /// The decision after a failed attempt.
    package enum Decision: Equatable {
        case retry(after: Duration)
        case stop(StopReason)
    }

    /// The reason why no further attempt is made.
    package enum StopReason: String, Equatable {
        /// There were as many attempts as allowed.
        case attemptsExhausted
        /// Another attempt would fail in the same way.
        case notRetryable
        /// The request may have had its effect already.
        case unsafeRequest
        /// The wait would last longer than the work may take.
        case deadline
        /// The server wants a longer wait than the policy allows.
        case retryAfterTooLong
    }

    /// Decides what is done after a failed attempt.
    ///
    /// - Parameters:
    ///   - failure: How the attempt failed.
    ///   - attempt: The number of the attempt that failed, beginning with 1.
    ///   - remaining: How long the work may still take; `nil` for any time.
    ///   - generator: Where the jitter comes from.
    /// - Returns: The wait, or the reason why no further attempt is made.
    package func decision(
        after failure: AttemptFailure,
        attempt: Int,
        remaining: Duration?,
        using generator: inout some RandomNumberGenerator
    ) -> Decision {
        if let reason = refusal(of: failure) {
            return .stop(reason)
        }
        guard attempt < attempts else {
            return .stop(.attemptsExhausted)
        }
        var delay = backoff(after: attempt, using: &generator)
        if let asked = failure.retryAfter {
            guard asked <= maxDelay else {
                return .stop(.retryAfterTooLong)
            }
            delay = max(delay, asked)
        }
        if let remaining, delay >= remaining {
            return .stop(.deadline)
        }
        return .retry(after: delay)
    }

    /// Returns the wait after that many failed attempts.
    private func backoff(after attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        var limit = max(0, baseDelay / .seconds(1))
        let longest = max(0, maxDelay / .seconds(1))
        for _ in 1..<max(1, attempt) where limit < longest {
            limit *= max(1, multiplier)
        }
        limit = min(limit, longest)
        return .seconds(usesJitter ? Double.random(in: 0...limit, using: &generator) : limit)
    }

    private func refusal(of failure: AttemptFailure) -> StopReason? {
        if failure.error is CancellationError {
            return .notRetryable
        }
        guard isRetryable?(failure.error) ?? failure.isTransient else {
            return .notRetryable
        }
        return retriesUnsafeRequests || failure.isRepeatable ? nil : .unsafeRequest
    }
}
