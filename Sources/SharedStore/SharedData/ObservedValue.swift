// SPDX-License-Identifier: MIT

import Synchronization

/// The state of a value after a change, as an observer sees it.
enum ObservedValue: Sendable {
    /// The value; `nil` if it is absent.
    case known((any Sendable)?)
    /// A value that cannot be read.
    case unreadable(StoreError)
}
