// SPDX-License-Identifier: MIT

import Synchronization

/// Receives changes until its observation ends.
final class Subscriber<Change: Sendable>: Sendable {
    /// Ends the sequence behind it, if there is one.
    let finish: @Sendable () -> Void
    private let onChange: @Sendable (Change) -> Void
    private let isActive = Atomic(true)

    init(finish: @escaping @Sendable () -> Void, onChange: @escaping @Sendable (Change) -> Void) {
        self.finish = finish
        self.onChange = onChange
    }

    func end() {
        isActive.store(false, ordering: .releasing)
        finish()
    }

    func deliver(_ change: Change) {
        if isActive.load(ordering: .acquiring) { onChange(change) }
    }
}
