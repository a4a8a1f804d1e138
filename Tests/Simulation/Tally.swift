// SPDX-License-Identifier: MIT

import Synchronization

/// A count that closures share.
final class Tally: Sendable {
    private let value = Atomic(0)

    var count: Int { value.load(ordering: .relaxed) }

    func add() {
        value.add(1, ordering: .relaxed)
    }
}
