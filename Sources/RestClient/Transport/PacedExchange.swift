// SPDX-License-Identifier: MIT

/// An exchange whose server may be held to a pace.
protocol PacedExchange: AnyObject, Sendable {
    /// The progress of the exchange.
    var progress: PaceRule.Progress { get }

    /// Ends the exchange because its server is too slow.
    func expire(because delay: PaceRule.Delay)
}
