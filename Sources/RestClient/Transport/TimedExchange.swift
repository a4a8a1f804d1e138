// SPDX-License-Identifier: MIT

/// An exchange that is ended when its time is up.
protocol TimedExchange: AnyObject, Sendable {
    /// Ends the exchange because its time is up.
    func expire()
}
