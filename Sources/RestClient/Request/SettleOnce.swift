// SPDX-License-Identifier: MIT

import Synchronization

/// Reports the end of a call, once.
final class SettleOnce: Sendable {
    private let watcher: Mutex<WatchedSource.Watcher?>

    init(_ watcher: @escaping WatchedSource.Watcher) {
        self.watcher = Mutex(watcher)
    }

    /// Records an end; returns the error to throw if it is the first end, and an error.
    @discardableResult
    func end(_ end: StreamEnd) -> (any Error)? {
        let watcher = watcher.withLock { $0.take() }
        return watcher?(end)
    }
}
