// SPDX-License-Identifier: MIT

import Synchronization

protocol ValueObserving: AnyObject, Sendable {
    /// Ends the sequence behind it, if there is one.
    func finish()

    /// Decodes a row as this observer sees it. It may run the user's code, so no lock may be held.
    func decode(_ row: Row) -> ObservedValue

    /// Returns the observer's own view of a change from the last value that it received.
    ///
    /// The view is the value that it receives now, with its delivery; `nil` if it need not be notified. It may run the
    /// user's code, so no lock may be held.
    func change(
        to new: ObservedValue,
        from old: (any Sendable)?,
        origin: SharedChangeOrigin
    ) -> (new: (any Sendable)?, deliver: (@Sendable () -> Void)?)
}

enum ObservedValue: Sendable {
    /// The value; `nil` if it is absent.
    case known((any Sendable)?)
    case unreadable(StoreError)

    /// A Boolean value that indicates whether the value seems to be older than its guard knows.
    var isRolledBack: Bool {
        if case .unreadable(let error) = self { error.code == .rolledBack } else { false }
    }
}
