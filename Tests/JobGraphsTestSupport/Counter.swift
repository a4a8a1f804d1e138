// SPDX-License-Identifier: MIT

import Synchronization

/// Counts from any task.
package final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    package init() {}

    package var value: Int { count.load(ordering: .relaxed) }

    /// Counts one more, and gives the new number.
    @discardableResult
    package func next() -> Int {
        count.wrappingAdd(1, ordering: .relaxed).newValue
    }
}
