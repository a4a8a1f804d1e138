// SPDX-License-Identifier: MIT

import Synchronization

/// The state of a value after a change, as an observer sees it.
enum ObservedValue: Sendable {
    /// A value, or none.
    case known((any Sendable)?)
    /// A value that cannot be read.
    case unreadable(StoreError)
}
