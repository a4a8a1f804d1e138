// SPDX-License-Identifier: MIT

import Synchronization

/// An action that runs exactly once: when it is released, or when its last reference is dropped.
///
/// ```swift
/// let lease = ReleaseOnce { storage.dropLease(key) }
/// lease.release()    // drops the lease
/// lease.release()    // does nothing
/// ```
package final class ReleaseOnce: Sendable {
    private let action: Mutex<(@Sendable () -> Void)?>

    /// Creates an action.
    ///
    /// - Parameter action: Called once, by ``release()`` or when the object is deallocated.
    package init(_ action: @escaping @Sendable () -> Void) {
        self.action = Mutex(action)
    }

    deinit {
        release()
    }

    /// Runs the action, unless it has already run.
    package func release() {
        let action = action.withLock { $0.take() }
        action?()
    }
}
