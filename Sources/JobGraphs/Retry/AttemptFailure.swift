// SPDX-License-Identifier: MIT

package import RestEssentials

/// How an attempt failed, as far as it matters to whether there is another one.
///
/// Whoever did the work says what it did: a ``RetryPolicy`` decides by that, and not by the type of the error, which a
/// handler of yours may have made of another one.
public struct AttemptFailure: Sendable {
    /// The error as the caller sees it.
    public let error: any Error

    /// A Boolean value that is true if another attempt may succeed.
    public let isTransient: Bool

    /// A Boolean value that is true if repeating the work does nothing twice.
    public let isRepeatable: Bool

    /// The wait that the other side asked for before the next attempt.
    public let retryAfter: Duration?

    /// Creates a failure.
    ///
    /// - Parameters:
    ///   - error: The error as the caller sees it.
    ///   - isTransient: True if another attempt may succeed.
    ///   - isRepeatable: True if repeating the work does nothing twice.
    ///   - retryAfter: The wait that the other side asked for before the next attempt.
    public init(
        _ error: any Error,
        isTransient: Bool = true,
        isRepeatable: Bool = true,
        retryAfter: Duration? = nil
    ) {
        self.error = error
        self.isTransient = isTransient
        self.isRepeatable = isRepeatable
        self.retryAfter = retryAfter
    }

    /// Returns the same failure with the error that was made of its own.
    func seen(as error: any Error) -> AttemptFailure {
        AttemptFailure(error, isTransient: isTransient, isRepeatable: isRepeatable, retryAfter: retryAfter)
    }

    /// Creates the failure of work of which only the error is known.
    ///
    /// - Parameters:
    ///   - error: The error. One that says nothing of itself is worth another attempt.
    ///   - now: The time of day, for waits that end at a date.
    package init(of error: any Error, now: Date) {
        let origin = ErrorOrigin.first((any WorkError).self, behind: error)
        self = origin?.failure(now: now).seen(as: error) ?? AttemptFailure(error)
    }
}
