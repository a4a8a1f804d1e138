// SPDX-License-Identifier: MIT

package import RestEssentials

/// Decides whether failed work is retried, and after which delay.
///
/// ```swift
/// let rows = graph.local("rows", after: file, options: [.retry(4)]) { file in try await rows(of: file) }
/// ```
///
/// By default a failure is retried if it may pass: work reports whether it may, and errors of your own code do unless
/// another failure caused them. The policy looks at the work itself, not at the error that a handler made of its
/// failure: unsafe work (``JobContext/once(hadNoEffect:_:)``, and what other libraries report as such) that may have
/// had an effect is not repeated; see ``retriesUnsafeWork``. A cancelled job is never retried.
///
/// The delay grows exponentially, and a random part of it is used (full jitter), so that many clients that failed
/// together do not return together. A waiting job holds no worker slot.
public struct RetryPolicy: Sendable {
    /// The maximum number of attempts, including the first one.
    public var attempts: Int

    /// The longest wait before the second attempt; 200 milliseconds by default.
    public var baseDelay: Duration = .milliseconds(200)

    /// The factor by which each wait may exceed the previous one; 2 by default.
    public var multiplier: Double = 2

    /// The longest wait of all; 30 seconds by default.
    ///
    /// If the work asks for a longer wait, the policy stops.
    public var maxDelay: Duration = .seconds(30)

    /// A Boolean value that randomizes each wait between zero and its full length; `true` by default.
    public var usesJitter = true

    /// A Boolean value that allows retries of unsafe work that may already have had an effect.
    ///
    /// The default is `false`. Give such work a key by which a repetition is recognized before you set it.
    public var retriesUnsafeWork = false

    /// Returns true if an error is worth another attempt; `nil`, the default, applies the rule of the type.
    ///
    /// It is not called for a `CancellationError`. It does not make the policy retry work that may already have had an
    /// effect; see ``retriesUnsafeWork``.
    public var isRetryable: (@Sendable (any Error) -> Bool)?

    /// Creates a policy.
    ///
    /// - Parameter attempts: The maximum number of attempts, including the first one; less than 1 counts as 1.
    public init(attempts: Int) {
        self.attempts = max(1, attempts)
    }

    /// Three attempts, with the default delays and the default rule.
    public static let standard = RetryPolicy(attempts: 3)

    /// One attempt, regardless of the policies of outer levels.
    public static let never = RetryPolicy(attempts: 1)
}

// MARK: - The decision

extension RetryPolicy {
    /// The decision after a failed attempt.
    package enum Decision: Equatable {
        case retry(after: Duration)
        case stop(Repetition.Reason)
    }

    /// Decides what happens after a failed attempt.
    ///
    /// - Parameters:
    ///   - failure: The failure of the attempt.
    ///   - attempt: The number of the attempt that failed, beginning with 1.
    ///   - remaining: The time left for the work; `nil` for no limit.
    ///   - generator: The source of the jitter.
    /// - Returns: The wait, or the reason why the work is not retried.
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
        if let asked = failure.requestedDelay {
            guard asked <= maxDelay else {
                return .stop(.requestedDelayTooLong)
            }
            delay = max(delay, asked)
        }
        if let remaining, delay >= remaining {
            return .stop(.deadline)
        }
        // Last, so that no room is taken for an attempt that is not made.
        if failure.takeRetry?() == false {
            return .stop(.budget)
        }
        return .retry(after: delay)
    }

    /// Returns the wait after the given number of failed attempts.
    private func backoff(after attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        let limit = ExponentialWait.seconds(
            after: attempt,
            first: baseDelay,
            multiplier: multiplier,
            longest: maxDelay
        )
        return .bounded(seconds: usesJitter ? Double.random(in: 0...limit, using: &generator) : limit)
    }

    private func refusal(of failure: AttemptFailure) -> Repetition.Reason? {
        guard !(failure.error is CancellationError), isRetryable?(failure.error) ?? failure.isTransient else {
            return .notTemporary
        }
        var repetition = failure.repetition
        repetition.allowsSecondEffect = retriesUnsafeWork
        guard case .stop(let reason) = repetition.verdict(.retry) else {
            return nil
        }
        return reason
    }
}
