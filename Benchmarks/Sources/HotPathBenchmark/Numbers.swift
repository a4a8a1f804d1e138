// SPDX-License-Identifier: MIT

import Synchronization

/// Numbers that are never repeated.
final class Numbers: Sendable {
    private let latest = Atomic<Int>(1_000_000)

    func next() -> Int {
        latest.wrappingAdd(1, ordering: .relaxed).newValue
    }
}
