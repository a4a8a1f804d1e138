// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// Opens a cache's file, and replaces a damaged or foreign one by a new one.
final class CacheRebuilder: Sendable {
    private let path: String
    private let options: SQLiteBacking.Options
    private let turn = Mutex(())
    /// The identity of the file that was opened or found damaged last.
    ///
    /// A file that another process put in its place is not set aside.
    private let identity = Mutex<[UInt64]?>(nil)

    init(path: String, configuration: ExpiringCache.Configuration) {
        self.path = path
        var options = SQLiteBacking.Options()
        options.busyTimeout = configuration.busyTimeout
        self.options = options
    }

    /// Opens the file, and sets a damaged one aside first.
    func open() throws(StoreError) -> (backing: SQLiteBacking, event: CacheEvent?) {
        // Not while another process renames the file and its companions. In a folder that cannot be written, none does.
        let lock = try? lock()
        defer { lock?.release() }
        do throws(StoreError) {
            return (try openOnce(), nil)
        } catch  where isRebuildable(error) {
            return try lock == nil ? rebuild(because: error) : replace(because: error)
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

    /// Returns whether a new file may replace one that cannot be opened.
    ///
    /// That is never so for another kind of store.
    private func isRebuildable(_ error: StoreError) -> Bool {
        error.isFileDamage || (error.code == .foreignDatabase && error.sqliteCode != nil)
    }

    /// Runs the closure while no other thread rebuilds.
    func exclusively<Value: Sendable>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
        try turn.withLock { _ throws(StoreError) in try body() }
    }

    /// Sets the file aside and opens a new one, unless another process has done so.
    func rebuild(because error: StoreError) throws(StoreError) -> (backing: SQLiteBacking, event: CacheEvent) {
        let lock: FileLock
        do throws(StoreError) {
            lock = try self.lock()
        } catch let failure {
            let reason = "the damaged file cannot be replaced: \(failure.reason)"
            throw StoreError(failure.code, reason, file: path, underlying: error)
        }
        defer { lock.release() }
        return try replace(because: error)
    }

    private func replace(because error: StoreError) throws(StoreError) -> (backing: SQLiteBacking, event: CacheEvent) {
        let known = identity.withLock { $0 }
        if known != SystemFile.identity(of: path) {
            do throws(StoreError) {
                return (try openOnce(), CacheEvent(name: .rebuilt, error: error))
            } catch  where isRebuildable(error) {
                // It is damaged as well, and nobody else replaces it now.
            }
        }
        let target = try DatabaseFile.setAside(path, now: Date())
        return (try openOnce(), CacheEvent(name: .rebuilt, setAsideFile: target, error: error))
    }

    /// Takes the lock of the one process that may open or replace the file.
    ///
    /// Waits for others up to the busy timeout.
    private func lock() throws(StoreError) -> FileLock {
        let deadline = ContinuousClock.now + options.busyTimeout
        while true {
            if let lock = try FileLock.acquire("\(path).rebuilding") { return lock }
            guard ContinuousClock.now < deadline else {
                throw StoreError(.busy, "another process keeps opening the file", file: path)
            }
            _ = usleep(1000)
        }
    }
}
