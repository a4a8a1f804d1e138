// SPDX-License-Identifier: MIT

import Synchronization

/// A type-erased observer of one value.
protocol ValueObserving: AnyObject, Sendable {
    /// Ends the sequence behind it, if there is one.
    var finish: @Sendable () -> Void { get }

    /// Decodes a row as this observer sees it. It may run the user's code, so no lock may be held.
    func decode(_ row: Row) -> ObservedValue

    /// Returns the observer's own view of a change.
    ///
    /// - Parameters:
    ///   - new: The state after the change.
    ///   - old: The last value that this observer received.
    ///   - origin: The origin of the change.
    /// - Returns: The value it receives now, and the delivery; `nil` if it need not be notified.
    func change(
        to new: ObservedValue,
        from old: (any Sendable)?,
        origin: SharedChangeOrigin
    ) -> (new: (any Sendable)?, deliver: (@Sendable () -> Void)?)
}
