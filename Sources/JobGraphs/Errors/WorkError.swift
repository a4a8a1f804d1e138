// SPDX-License-Identifier: MIT

package import RestEssentials

/// An error that knows the work that failed with it.
package protocol WorkError: Error {
    /// The node in which it happened, if any.
    var node: String? { get }

    /// Sets the node in which it happened.
    mutating func setNode(_ node: String)

    /// The details of the work; `nil` when the error belongs to no work.
    var detail: (any WorkDetail)? { get }

    /// Returns the failure of the attempt that ended with this error.
    func failure(now: Date) -> AttemptFailure
}
