// SPDX-License-Identifier: MIT

import Synchronization

/// An action that runs exactly once: when it is released, or when its last reference is dropped.
package final class ReleaseOnce: Sendable {
    private let action: Mutex<(@Sendable () -> Void)?>

    package init(_ action: @escaping @Sendable () -> Void) {
        self.action = Mutex(action)
    }

    deinit {
        release()
    }

    package func release() {
        let action = action.withLock { $0.take() }
        action?()
    }
}
