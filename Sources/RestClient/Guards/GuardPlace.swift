// SPDX-License-Identifier: MIT

import Synchronization

/// The guard of equal calls, which the first of them looks up for all.
final class GuardPlace: Sendable {
    let key: GuardKey
    private let first = AtomicLazyReference<ServerGuard>()

    init(_ key: GuardKey) {
        self.key = key
    }

    /// Returns the guard that is registered now.
    func shared(in guards: ServerGuards) -> ServerGuard {
        if let known = first.load(), !known.isForgotten {
            return known
        }
        let current = guards[key]
        _ = first.storeIfNil(current)
        return current
    }
}
