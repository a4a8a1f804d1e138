// SPDX-License-Identifier: MIT

/// An exchange with a deadline.
package protocol TimedExchange: AnyObject, Sendable {
    /// Ends the exchange at its deadline.
    func expire()
}
