// SPDX-License-Identifier: MIT

import Synchronization

/// A duty that is done exactly once: when it is released, or when its last reference goes.
///
/// ```swift
/// let lease = ReleaseOnce { storage.dropLease(key) }
/// lease.release()    // drops the lease
/// lease.release()    // does nothing
/// ```
package final class ReleaseOnce: Sendable {
    private let action: Mutex<(@Sendable () -> Void)?>

    /// Creates a duty.
    ///
    /// - Parameter action: Called once, by ``release()`` or at the end of the object's life.
    package init(_ action: @escaping @Sendable () -> Void) {
        self.action = Mutex(action)
    }

    deinit {
        release()
    }

    /// Does the duty, unless it has been done.
    package func release() {
        let action = action.withLock { $0.take() }
        action?()
    }
}
