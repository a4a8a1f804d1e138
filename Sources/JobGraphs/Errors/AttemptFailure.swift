// SPDX-License-Identifier: MIT

package import RestEssentials

/// A failed attempt, as the work itself reports it: a ``RetryPolicy`` decides by that, and not by the type of the
/// error, which a handler may have replaced.
package struct AttemptFailure: Sendable {
    package private(set) var error: any Error

    package let isTransient: Bool

    package var repetition: Repetition

    package let requestedDelay: Duration?

    /// Takes another attempt from a budget, and returns false if the budget allows none; `nil` without a budget.
    package var takeRetry: (@Sendable () -> Bool)?

    package init(
        _ error: any Error,
        isTransient: Bool = true,
        repetition: Repetition = Repetition(),
        requestedDelay: Duration? = nil
    ) {
        self.error = error
        self.isTransient = isTransient
        self.repetition = repetition
        self.requestedDelay = requestedDelay
    }

    package func seen(as error: any Error) -> AttemptFailure {
        var failure = self
        failure.error = error
        return failure
    }

    /// Creates the failure of work from its error alone; an error of an unknown type is transient.
    package init(of error: any Error, now: Date) {
        let origin = ErrorOrigin.first((any WorkError).self, behind: error)
        self = origin?.failure(now: now).seen(as: error) ?? AttemptFailure(error)
    }
}

package protocol WorkError: Error {
    var node: String? { get }

    mutating func setNode(_ node: String)

    /// The details of the work; `nil` when the error belongs to no work.
    var detail: (any WorkDetail)? { get }

    func failure(now: Date) -> AttemptFailure
}
