// SPDX-License-Identifier: MIT

import Synchronization

/// An observer of all values.
final class AllValuesObserver: Sendable {
    let finish: @Sendable () -> Void
    private let onChange: @Sendable (SharedDataChange) -> Void
    private let isActive = Atomic(true)

    init(finish: @escaping @Sendable () -> Void, onChange: @escaping @Sendable (SharedDataChange) -> Void) {
        self.finish = finish
        self.onChange = onChange
    }

    func end() {
        isActive.store(false, ordering: .releasing)
        finish()
    }

    func deliver(_ change: SharedDataChange) {
        guard isActive.load(ordering: .acquiring) else {
            return
        }
        onChange(change)
    }
}
