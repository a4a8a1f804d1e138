// SPDX-License-Identifier: MIT

/// A run under way that can be cancelled by its identifier.
protocol NamedRun: AnyObject, Sendable {
    /// The identifier of the run.
    var id: GroupID { get }

    /// Cancels the run.
    func cancel()
}
