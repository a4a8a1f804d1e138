// SPDX-License-Identifier: MIT

package import RestEssentials

/// An error that knows of the work that failed with it.
package protocol WorkError: Error {
    /// The node in which it happened, if any.
    var node: String? { get set }

    /// The details of the work; `nil` when the error belongs to none.
    var detail: (any WorkDetail)? { get }

    /// Returns how the attempt failed that ended with the error.
    func failure(now: Date) -> AttemptFailure
}
