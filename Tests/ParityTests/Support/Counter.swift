// SPDX-License-Identifier: MIT

import Synchronization

/// Counts from 1 on.
final class Counter: Sendable {
    private let state = Mutex(0)

    /// The last number that was given out.
    var count: Int { state.withLock { $0 } }

    /// Returns the next number.
    func next() -> Int {
        state.withLock { count in
            count += 1
            return count
        }
    }
}
