// SPDX-License-Identifier: MIT

import Synchronization

/// An observer of one value, without its type.
protocol ValueObserving: AnyObject, Sendable {
    /// Ends the sequence behind it, if there is one.
    var finish: @Sendable () -> Void { get }

    /// Reads a row as this observer sees it; may run the user's code, so it must run off every lock.
    func decode(_ row: Row) -> ObservedValue

    /// Makes the observer's own view of a change.
    ///
    /// - Parameters:
    ///   - new: What there is after the change.
    ///   - old: The value this observer was told last.
    ///   - origin: Who made the change.
    /// - Returns: The value it is told now, and what tells it; `nil` when it need not be told.
    func change(
        to new: ObservedValue,
        from old: (any Sendable)?,
        origin: SharedChangeOrigin
    ) -> (new: (any Sendable)?, deliver: (@Sendable () -> Void)?)
}
