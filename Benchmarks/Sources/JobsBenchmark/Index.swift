// SPDX-License-Identifier: MIT

import Synchronization

/// Numbers that tasks take in turn.
final class Index: Sendable {
    private let next = Atomic<Int>(0)

    func take() -> Int {
        next.wrappingAdd(1, ordering: .relaxed).oldValue
    }
}
