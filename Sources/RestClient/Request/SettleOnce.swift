// SPDX-License-Identifier: MIT

import Synchronization

/// Tells once of the end of a call.
final class SettleOnce: Sendable {
    private let watcher: Mutex<WatchedSource.Watcher?>

    init(_ watcher: @escaping WatchedSource.Watcher) {
        self.watcher = Mutex(watcher)
    }

    /// Takes the end; returns the error to throw, if it is one and the first end.
    @discardableResult
    func end(_ end: StreamEnd) -> (any Error)? {
        let watcher = watcher.withLock { $0.take() }
        return watcher?(end)
    }
}
