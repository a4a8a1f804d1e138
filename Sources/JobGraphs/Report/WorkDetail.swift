// SPDX-License-Identifier: MIT

/// The details of a piece of work that a node did, for the report of its run.
package protocol WorkDetail: Sendable {
    /// A description of the work, with secrets masked.
    var words: String { get }

    /// The source of the result, if it is known.
    var source: RunReport.Source? { get }

    /// True if the result was stored by earlier work.
    var isFromCache: Bool { get }

    /// The number of attempts.
    var attempts: Int { get }

    /// The time, on the runtime's clock, at which the work began; `nil` if it did not begin.
    var origin: Duration? { get }

    /// Returns the phases on which the time was spent.
    ///
    /// - Parameter offset: The time at which the work began, from the beginning of the run.
    /// - Returns: The phases, in order.
    func spans(from offset: Duration) -> [RunReport.Span]
}
