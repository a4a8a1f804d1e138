// SPDX-License-Identifier: MIT

import Dispatch
import RestEssentials
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Notices commits that another process (or another backing in this one) made to the same file.
///
/// Two signs are followed: the file's write-ahead log was signalled, and one of our own transactions found a
/// collection's head written by someone else. The head's version and writer then tell whether anything is new.
///
/// A write to the log is no sign: it comes before the commit can be seen, by as long as the disk takes to confirm it.
/// So whoever has committed sets the log's timestamps, which others are told of.
final class ForeignCommits: Sendable {
    private struct State {
        var handlers: [Int: @Sendable () -> Void] = [:]
        var nextHandler = 0
        /// The last version of each collection that is known here.
        var known: [RowCollection: UInt64] = [:]
        var watch: ReleaseOnce?
    }

    private let file: String
    private let collections: [RowCollection]
    private let state = Mutex(State())
    /// Handlers run here: not on the monitor's thread, which all stores share, and not on a writer's, which would wait
    /// for itself when a handler writes.
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
        let number = state.withLock { state in
            state.nextHandler += 1
            state.handlers[state.nextHandler] = handler
            return state.nextHandler
        }
        let watch = FileChangeMonitor.shared.observe(file + "-wal") { [weak self] in
            guard let self else {
                return
            }
            queue.async { self.check(usage) }
        }
        guard let watch else {
            state.withLock { $0.handlers[number] = nil }
            return nil
        }
        return ReleaseOnce { [weak self] in
            watch.release()
            self?.state.withLock { $0.handlers[number] = nil }
        }
    }

    /// Tells the others that there is a commit to be seen.
    func signal() {
        _ = unsafe utimensat(AT_FDCWD, file + "-wal", nil, 0)
    }

    /// Notes how far everything known here goes.
    func know(_ version: UInt64, of collection: RowCollection) {
        state.withLock { $0.known[collection] = max($0.known[collection] ?? 0, version) }
    }

    /// Tells that someone else wrote this version.
    func noticed(_ version: UInt64, of collection: RowCollection) {
        let isNew = state.withLock { state in
            guard version > state.known[collection] ?? 0 else {
                return false
            }
            state.known[collection] = version
            return true
        }
        if isNew { queue.async { self.call() } }
    }

    private func call() {
        let handlers = state.withLock { Array($0.handlers.values) }
        for handler in handlers { handler() }
    }

    private func check(_ usage: (RowCollection) -> RowUsage?) {
        for collection in collections {
            guard let usage = usage(collection), !usage.isLastWriterHere else {
                continue
            }
            noticed(usage.version, of: collection)
        }
    }
}
