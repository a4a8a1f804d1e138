// SPDX-License-Identifier: MIT

import Synchronization

/// The state of a value after a change, as an observer sees it.
enum ObservedValue: Sendable {
    /// The value; `nil` if it is absent.
    case known((any Sendable)?)
    case unreadable(StoreError)

    /// A Boolean value that indicates whether the value seems to be older than its guard knows.
    var isRolledBack: Bool {
        if case .unreadable(let error) = self { error.code == .rolledBack } else { false }
    }
}
