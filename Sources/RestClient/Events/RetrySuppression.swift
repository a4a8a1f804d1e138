// SPDX-License-Identifier: MIT

/// Why no other attempt is made after a failure.
///
/// Compare with the static members; more of them may come with later versions.
public struct RetrySuppression: Sendable, Hashable, CustomStringConvertible {
    private enum Name: String {
        case attemptsExhausted, errorNotRetryable, methodNotIdempotent, deadlineTooClose, retryAfterTooLong
    }

    private let name: Name

    /// The name of the reason, as in `attemptsExhausted`; it never changes.
    public var description: String { name.rawValue }

    /// All the attempts that the policy allows were made.
    public static let attemptsExhausted = RetrySuppression(name: .attemptsExhausted)
    /// Trying again would not help against this error.
    public static let errorNotRetryable = RetrySuppression(name: .errorNotRetryable)
    /// The request may have had its effect, and sending it again could have it twice.
    public static let methodNotIdempotent = RetrySuppression(name: .methodNotIdempotent)
    /// The pause before the next attempt would end after the deadline.
    public static let deadlineTooClose = RetrySuppression(name: .deadlineTooClose)
    /// The server asks for a longer pause than the policy allows.
    public static let retryAfterTooLong = RetrySuppression(name: .retryAfterTooLong)
}

extension RetrySuppression {
    /// The same for the events.
    init(_ reason: RetryPolicy.StopReason) {
        self =
            switch reason {
            case .attemptsExhausted: .attemptsExhausted
            case .notRetryable: .errorNotRetryable
            case .unsafeRequest: .methodNotIdempotent
            case .deadline: .deadlineTooClose
            case .retryAfterTooLong: .retryAfterTooLong
            }
    }
}
