// SPDX-License-Identifier: MIT

import Dispatch
import RestEssentials
import Synchronization

/// Detects commits that another process (or another backing in this process) made to the same file.
///
/// There are two signs: the file's write-ahead log was signalled, or one of our own transactions found that another
/// writer wrote a collection's head. The head's version and writer then show whether anything is new.
///
/// A write to the log is not a sign, because it precedes the visible commit by the time that the disk takes to confirm
/// it. So each writer sets the log's timestamps after a commit, and the other processes are notified of that.
final class ForeignCommits: Sendable {
    private struct State {
        var handlers = Slab<@Sendable () -> Void>()
        var known: [RowCollection: UInt64] = [:]
        var watch: ReleaseOnce?
    }

    private let file: String
    private let collections: [RowCollection]
    private let state = Mutex(State())
    /// Handlers run on this queue: not on the monitor's thread, which all stores share, and not on a writer's, which
    /// would wait for itself when a handler writes.
    private let queue = DispatchQueue(label: "SharedStore.ForeignCommits")

    init(file: String, collections: [RowCollection]) {
        self.file = file
        self.collections = collections
    }

    /// Calls the handler after foreign commits until the token is released; `nil` when the file cannot be watched.
    func observe(
        _ handler: @escaping @Sendable () -> Void,
        usage: @escaping @Sendable (RowCollection) -> RowUsage?
    ) -> ReleaseOnce? {
        let place = state.withLock { $0.handlers.insert(handler) }
        let watch = FileChangeMonitor.shared.observe(file + "-wal") { [weak self] in
            guard let self else {
                return
            }
            queue.async {
                for collection in self.collections {
                    guard let usage = usage(collection), !usage.isLastWriterHere else {
                        continue
                    }
                    self.noticed(usage.version, of: collection)
                }
            }
        }
        guard let watch else {
            _ = state.withLock { $0.handlers.remove(at: place) }
            return nil
        }
        return ReleaseOnce { [weak self] in
            watch.release()
            _ = self?.state.withLock { $0.handlers.remove(at: place) }
        }
    }

    func signal() {
        _ = unsafe utimensat(AT_FDCWD, file + "-wal", nil, 0)
    }

    func know(_ version: UInt64, of collection: RowCollection) {
        state.withLock { $0.known[collection] = max($0.known[collection] ?? 0, version) }
    }

    /// Reports a version with another writer.
    func noticed(_ version: UInt64, of collection: RowCollection) {
        let isNew = state.withLock { state in
            guard version > state.known[collection] ?? 0 else {
                return false
            }
            state.known[collection] = version
            return true
        }
        guard isNew else {
            return
        }
        queue.async {
            for handler in self.state.withLock({ $0.handlers.all }) { handler() }
        }
    }
}
