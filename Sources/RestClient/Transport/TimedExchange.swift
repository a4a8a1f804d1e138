// SPDX-License-Identifier: MIT

/// An exchange with a deadline.
protocol TimedExchange: AnyObject, Sendable {
    /// Ends the exchange at its deadline.
    func expire()
}
