// SPDX-License-Identifier: MIT

import Synchronization

/// What there is after a change.
enum ObservedValue: Sendable {
    /// A value, or none.
    case known((any Sendable)?)
    /// A value that cannot be read.
    case unreadable(StoreError)
}
