// SPDX-License-Identifier: MIT

import Synchronization

final class RegistryRevision: Sendable {
    private let count = Atomic<UInt64>(0)

    var current: UInt64 { count.load(ordering: .acquiring) }

    func advance() {
        count.wrappingAdd(1, ordering: .acquiringAndReleasing)
    }
}
