// SPDX-License-Identifier: MIT

import Synchronization

/// Counts the changes of a manager's tables.
final class RegistryRevision: Sendable {
    private let count = Atomic<UInt64>(0)

    /// The number of changes so far.
    var current: UInt64 { count.load(ordering: .acquiring) }

    /// Records that a table has changed.
    func advance() {
        count.wrappingAdd(1, ordering: .acquiringAndReleasing)
    }
}
