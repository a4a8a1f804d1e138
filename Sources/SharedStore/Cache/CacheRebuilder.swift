// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// Opens a cache's file, and replaces a damaged or foreign one by a new one.
final class CacheRebuilder: Sendable {
    private let path: String
    private let options: SQLiteBacking.Options
    /// The identity of the file when it was opened, so that a file that another process rebuilt is not set aside again.
    private let turn = Mutex(())
    private let identity = Mutex<[UInt64]?>(nil)

    init(path: String, configuration: ExpiringCache.Configuration) {
        self.path = path
        var options = SQLiteBacking.Options()
        options.busyTimeout = configuration.busyTimeout
        self.options = options
    }

    /// Opens the file, and sets a damaged one aside first.
    func open() throws(StoreError) -> (backing: SQLiteBacking, event: CacheEvent?) {
        do throws(StoreError) {
            return (try openOnce(), nil)
        } catch  where isRebuildable(error) {
            return try rebuild(because: error)
        }
    }

    private func openOnce() throws(StoreError) -> SQLiteBacking {
        let backing = try SQLiteBacking(file: path, kind: .cache, options: options)
        identity.withLock { $0 = SystemFile.identity(of: path) }
        return backing
    }

    /// Returns whether a new file may replace one that cannot be opened.
    ///
    /// That is never so for another kind of store.
    private func isRebuildable(_ error: StoreError) -> Bool {
        error.isFileDamage || (error.code == .foreignDatabase && error.sqliteCode != nil)
    }

    /// Runs the closure while no other process rebuilds.
    func exclusively<Value: Sendable>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
        try turn.withLock { _ throws(StoreError) in try body() }
    }

    /// Sets the file aside and opens a new one.
    func rebuild(because error: StoreError) throws(StoreError) -> (backing: SQLiteBacking, event: CacheEvent) {
        let known = identity.withLock { $0 }
        var target: String?
        if known == nil || known == SystemFile.identity(of: path) {
            target = try DatabaseFile.setAside(path, now: Date())
        }
        return (try openOnce(), CacheEvent(name: .rebuilt, setAsideFile: target, error: error))
    }
}
