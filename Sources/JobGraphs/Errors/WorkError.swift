// SPDX-License-Identifier: MIT

package import RestEssentials

package protocol WorkError: Error {
    var node: String? { get }

    mutating func setNode(_ node: String)

    /// The details of the work; `nil` when the error belongs to no work.
    var detail: (any WorkDetail)? { get }

    func failure(now: Date) -> AttemptFailure
}
