// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// Opens a cache's file, and replaces a damaged or foreign one by a new one.
final class CacheRebuilder: Sendable {
    private let path: String
    private let options: SQLiteBacking.Options
    private let acquire: @Sendable (String) throws(StoreError) -> FileLock?
    private let turn = Mutex(())
    /// The identity of the file that was opened or found damaged last.
    ///
    /// A file that another process put in its place is not set aside.
    private let identity = Mutex<[UInt64]?>(nil)

    /// The maximum time that a use of the cache waits for another process that opens or replaces the file.
    ///
    /// It is short, because the thread is blocked meanwhile, and because the next use tries again.
    private static let patience: Duration = .seconds(1)

    init(
        path: String,
        configuration: ExpiringCache.Configuration,
        acquire: @escaping @Sendable (String) throws(StoreError) -> FileLock? = FileLock.acquire
    ) {
        self.path = path
        self.acquire = acquire
        var options = SQLiteBacking.Options()
        options.busyTimeout = configuration.busyTimeout
        self.options = options
    }

    /// Opens the file, and sets a damaged one aside first.
    func open() throws(StoreError) -> (backing: SQLiteBacking, event: CacheEvent?) {
        // Holds the lock so that no other process renames the file while it is opened.
        var lock: FileLock?
        do throws(StoreError) {
            lock = try self.lock(by: .now + options.busyTimeout)
        } catch  where error.code != .busy {
            // In a folder that cannot be written, no process can rename the file.
        }
        defer { lock?.release() }
        do throws(StoreError) {
            return (try openOnce(), nil)
        } catch  where isRebuildable(error) {
            guard lock == nil else {
                return try replace(because: error)
            }
            return try rebuild(because: error, by: .now + min(options.busyTimeout, Self.patience)) {}
        }
    }

    private func openOnce() throws(StoreError) -> SQLiteBacking {
        // Before the file is opened, because it may be replaced right afterwards.
        let known = SystemFile.identity(of: path)
        do throws(StoreError) {
            let backing = try SQLiteBacking(file: path, kind: .cache, options: options)
            identity.withLock { $0 = known ?? SystemFile.identity(of: path) }
            return backing
        } catch {
            if isRebuildable(error) { identity.withLock { $0 = known } }
            throw error
        }
    }

    /// Returns false for another kind of store.
    private func isRebuildable(_ error: StoreError) -> Bool {
        error.isFileDamage || (error.code == .foreignDatabase && error.sqliteCode != nil)
    }

    /// Runs the closure while no other thread rebuilds.
    ///
    /// The closure receives the instant until which it may wait for other processes. Threads that wait for each other
    /// have nearly the same one, so that their waits do not add up.
    func exclusively<Value: Sendable>(
        _ body: (ContinuousClock.Instant) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let deadline = ContinuousClock.now + min(options.busyTimeout, Self.patience)
        return try turn.withLock { _ throws(StoreError) in try body(deadline) }
    }

    /// Sets the file aside and opens a new one, unless another process has done so.
    ///
    /// `close` closes the engine on the damaged file, under the lock: SQLite removes the file's companions by their
    /// names when the last connection is closed, and these may be those of a new file by then. If an error is thrown
    /// for want of the lock, nothing was closed.
    func rebuild(
        because error: StoreError,
        by deadline: ContinuousClock.Instant,
        closing close: () -> Void
    ) throws(StoreError) -> (backing: SQLiteBacking, event: CacheEvent) {
        let lock: FileLock?
        do throws(StoreError) {
            // The folder may be gone with the file.
            try DatabaseFile.prepareFolder(of: path)
            lock = try self.lock(by: deadline)
        } catch let failure {
            let reason = "the damaged file cannot be replaced: \(failure.reason)"
            throw StoreError(failure.code, reason, file: path, underlying: error)
        }
        defer { lock?.release() }
        close()
        return try replace(because: error)
    }

    private func replace(
        because error: StoreError
    ) throws(StoreError) -> (backing: SQLiteBacking, event: CacheEvent) {
        let known = identity.withLock { $0 }
        if known != SystemFile.identity(of: path) {
            do throws(StoreError) {
                return (try openOnce(), CacheEvent(name: .rebuilt, error: error))
            } catch  where isRebuildable(error) {
                // It is damaged as well, and nobody else replaces it now.
            }
        }
        let target = try DatabaseFile.setAside(path, now: Date())
        let event = CacheEvent(name: .rebuilt, setAsideFile: target, error: error)
        return (try openOnce(), event)
    }

    /// Takes the lock of the one process that may open or replace the file.
    ///
    /// It is `nil` if the file system has no locks, in which case processes cannot exclude each other.
    private func lock(by deadline: ContinuousClock.Instant) throws(StoreError) -> FileLock? {
        do throws(StoreError) {
            return try FileLock.acquire("\(path).rebuilding", by: deadline, acquire)
        } catch  where error.code == .inputOutput {
            return nil
        }
    }
}
