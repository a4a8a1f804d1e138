// SPDX-License-Identifier: MIT

package protocol WorkDetail: Sendable {
    /// A description of the work, with secrets masked.
    var words: String { get }

    var source: RunReport.Source? { get }

    var isFromCache: Bool { get }

    var attempts: Int { get }

    /// The time, on the runtime's clock, at which the work began; `nil` if it did not begin.
    var origin: Duration? { get }

    func spans(from offset: Duration) -> [RunReport.Span]
}
