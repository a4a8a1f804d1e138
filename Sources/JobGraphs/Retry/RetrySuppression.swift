// SPDX-License-Identifier: MIT

package import RestEssentials

/// The reason a failed attempt is not retried.
///
/// Compare it with the static members. Later versions may add more.
public struct RetrySuppression: Sendable, Hashable, CustomStringConvertible {
    private enum Name: String {
        case attemptsExhausted, errorNotRetryable, mayHaveHadEffect, deadlineTooClose, requestedDelayTooLong,
            budgetExhausted
    }

    private let name: Name

    /// The name of the reason, as in `attemptsExhausted`.
    ///
    /// It never changes.
    public var description: String { name.rawValue }

    /// All attempts that the policy allows were made.
    public static let attemptsExhausted = RetrySuppression(name: .attemptsExhausted)
    /// The error is not transient.
    public static let errorNotRetryable = RetrySuppression(name: .errorNotRetryable)
    /// The work is unsafe and may have had its effect, which a retry could repeat.
    public static let mayHaveHadEffect = RetrySuppression(name: .mayHaveHadEffect)
    /// The delay before the next attempt would end after the deadline.
    public static let deadlineTooClose = RetrySuppression(name: .deadlineTooClose)
    /// The work asks for a longer delay than the policy allows.
    public static let requestedDelayTooLong = RetrySuppression(name: .requestedDelayTooLong)
    /// As many retries were made as a budget allows.
    public static let budgetExhausted = RetrySuppression(name: .budgetExhausted)
}

extension RetrySuppression {
    package init(_ reason: Repetition.Reason) {
        self =
            switch reason {
            case .attemptsExhausted: .attemptsExhausted
            case .notTemporary, .bodySpent, .otherUser, .boundToServer: .errorNotRetryable
            case .mayHaveHadEffect, .actedBeforeRedirect: .mayHaveHadEffect
            case .deadline: .deadlineTooClose
            case .requestedDelayTooLong: .requestedDelayTooLong
            case .budget: .budgetExhausted
            }
    }
}
