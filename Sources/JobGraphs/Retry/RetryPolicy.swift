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

    /// The waits between attempts; by default from 200 milliseconds to 30 seconds, each twice the one before it, and
    /// random between zero and its full length.
    ///
    /// If the work asks for a longer wait than the longest one, the policy stops.
    public var backoff: Backoff

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
    /// - Parameters:
    ///   - attempts: The maximum number of attempts, including the first one; less than 1 counts as 1.
    ///   - backoff: The waits between attempts.
    public init(attempts: Int, backoff: Backoff = Backoff(.milliseconds(200))) {
        self.attempts = max(1, attempts)
        self.backoff = backoff
    }

    /// Three attempts, with the default delays and the default rule.
    public static let standard = RetryPolicy(attempts: 3)

    /// One attempt, regardless of the policies of outer levels.
    public static let never = RetryPolicy(attempts: 1)
}

extension RetryPolicy: ExpressibleByIntegerLiteral {
    /// Creates a policy with a maximum number of attempts and the default waits, as in `retry(3)`.
    public init(integerLiteral attempts: Int) {
        self.init(attempts: attempts)
    }
}

// MARK: - The decision

extension RetryPolicy {
    package enum Decision: Equatable {
        case retry(after: Duration)
        case stop(Repetition.Reason)
    }

    /// Decides what happens after a failed attempt, of which the first is 1; `remaining` is `nil` without a limit.
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
        var delay = backoff.wait(after: attempt, random: .random(in: 0...1, using: &generator))
        if let asked = failure.requestedDelay {
            guard asked <= backoff.longest else {
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
