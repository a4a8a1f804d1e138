// SPDX-License-Identifier: MIT

import Synchronization

/// Numbers that never come twice.
final class Numbers: Sendable {
    private let latest = Atomic<Int>(1_000_000)

    func next() -> Int {
        latest.wrappingAdd(1, ordering: .relaxed).newValue
    }
}
