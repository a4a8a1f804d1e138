// SPDX-License-Identifier: MIT

public import RestEssentials
import Synchronization

/// A cache of bytes with an expiry, in memory or on one SQLite file.
///
/// A read returns a fresh entry, a stale one or a miss. Stale entries stay until they are swept or evicted, for
/// revalidation and for use while offline. The least recently used entries are evicted when a limit is reached. Several
/// processes may use one file.
///
/// ```swift
/// let cache = try ExpiringCache(file: folder.appending(path: "cache.sqlite"))
/// try await cache.store(CacheEntry(body: body, expiresAt: Date() + 3600, tags: ["orders"]), for: "orders/7")
/// if case .fresh(let entry) = try await cache.read("orders/7", maxAge: .seconds(60)) { show(entry.body) }
/// ```
///
/// A small entry is read on the calling thread. Any operation that may wait for the disk for long runs elsewhere.
/// Synchronous code reads with ``readNow(_:maxAge:now:)``. Stored entries survive the death of the process
/// (`synchronous=NORMAL`); the last stores may be lost, but nothing is damaged, when the machine loses power.
///
/// A file that is damaged or belongs to another program is set aside, under a name that ends in `.damaged-` and the
/// time, and replaced by a new one; see ``Configuration/onEvent``. A file of a newer release is not touched.
public final class ExpiringCache: Sendable {
    struct State {
        var engine: Engine {
            didSet { isInMemory = engine.backing is MemoryBacking }
        }
        /// Kept because asking the engine for its type at each read took 1,600 instructions.
        private(set) var isInMemory: Bool
        var tier: MemoryTier
        var statistics = CacheStatistics()
        var recovery: CacheEvent?
        /// The damage of a file that could not be replaced yet; the engine is closed, and the next use replaces it.
        var damage: StoreError?
        var isClosed = false
        var token: ReleaseOnce?
        /// True if the memory tier is current: no other process writes to the file, or its commits are detected.
        var isTierReliable = true
        /// True if more than half of a limit was used at the last store, so that the order of eviction matters.
        var isNearLimit: Bool
        var isEvicting = false
        var mustEvictAgain = false

        var backing: (any Backing)? { engine.backing }
    }

    let configuration: Configuration
    let coder: CacheRowCoder
    let state: Mutex<State>
    let rebuilder: CacheRebuilder?

    /// Creates a cache in memory, which ends with the object.
    ///
    /// - Parameter configuration: The limits. Defaults to the default configuration.
    public convenience init(configuration: Configuration = .init()) {
        self.init(backing: MemoryBacking(), configuration: configuration)
    }

    /// Creates a cache on a file.
    ///
    /// Creates the file (0600) and its folders (0700) if they do not exist.
    ///
    /// - Parameters:
    ///   - file: The SQLite file. Caches of other processes may use the same one, other kinds of stores may not.
    ///   - configuration: The limits. Defaults to the default configuration.
    /// - Throws: ``StoreError`` if the file cannot be used, for example with `notADirectory`, `permissionDenied` or
    ///   `newerSchema`.
    public convenience init(file: URL, configuration: Configuration = .init()) throws(StoreError) {
        let path = try FilePath.path(of: file)
        let rebuilder = CacheRebuilder(path: path, configuration: configuration)
        let (backing, recovery) = try rebuilder.open()
        self.init(.builtIn(backing), configuration, rebuilder, recovery: recovery)
    }

    /// Creates a cache on an engine of your own.
    ///
    /// - Parameters:
    ///   - backend: The engine; see there for what it must do.
    ///   - configuration: The memory tier, the codec and the limit of an entry; the engine has its own limits.
    public convenience init(backend: any CacheBackend, configuration: Configuration = .init()) {
        self.init(.custom(CustomBacking(backend)), configuration)
    }

    package convenience init(backing: any Backing, configuration: Configuration) {
        self.init(.builtIn(backing), configuration)
    }

    private init(
        _ engine: Engine,
        _ configuration: Configuration,
        _ rebuilder: CacheRebuilder? = nil,
        recovery: CacheEvent? = nil
    ) {
        self.configuration = configuration
        coder = CacheRowCoder(codec: configuration.codec)
        self.rebuilder = rebuilder
        state = Mutex(
            State(
                engine: engine,
                isInMemory: engine.backing is MemoryBacking,
                tier: MemoryTier(byteLimit: max(0, configuration.memoryByteLimit)),
                recovery: recovery,
                isNearLimit: engine.backing != nil
            )
        )
        if let usage = try? engine.backing?.usageNow(of: .cache) {
            state.withLock { $0.isNearLimit = isNearLimit(usage) }
        }
        follow(engine)
        if let recovery { configuration.onEvent?(recovery) }
    }

    /// The last event about a damaged or foreign file, which `onEvent` also received; `nil` if there was none.
    package var recovery: CacheEvent? {
        state.withLock { $0.recovery }
    }

    /// Finishes pending operations and closes the file.
    ///
    /// Every later call throws `closed`.
    public func close() {
        state.withLock { state in
            state.isClosed = true
            state.token = nil
            state.tier.reset()
            return state.engine
        }
        .rows.close()
    }

    // MARK: - Writing

    /// Stores an entry.
    ///
    /// Replaces an entry with the same key.
    ///
    /// Returns once the entry is written. Concurrent stores share a transaction.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - key: The key. Any text is allowed, even with NUL in it.
    /// - Throws: ``StoreError``; with `entryTooLarge` if the entry exceeds a limit.
    public func store(_ entry: CacheEntry, for key: String) async throws(StoreError) {
        _ = try await store(entry, for: RowKey(key), .any)
    }

    /// Stores an entry that depends on what is stored by then, also by other processes.
    ///
    /// `makeEntry` returns the entry that replaces the stored one, or `nil` to leave it. It is called again if the
    /// entry was changed meanwhile, until the cache gives up with `busy`.
    package func store(
        for key: String,
        _ makeEntry: (CacheEntryInfo?) -> CacheEntry?
    ) async throws(StoreError) -> Bool {
        let key = RowKey(key)
        for _ in 0..<Self.changeLimit {
            let summary = try await summary(of: key.string)
            guard let entry = makeEntry(summary.map(coder.info)) else {
                return false
            }
            if try await store(entry, for: key, .unchanged(summary?.version)) { return true }
        }
        throw Self.overtaken(key.string)
    }

    static var changeLimit: Int { 64 }

    static func overtaken(_ key: String) -> StoreError {
        StoreError(.busy, "other writers kept changing the entry", key: key)
    }

    private func store(
        _ entry: CacheEntry,
        for key: RowKey,
        _ condition: RowCondition
    ) async throws(StoreError) -> Bool {
        let limit = min(configuration.entryByteLimit, configuration.byteLimit ?? .max, [RowStep].valueLimit)
        let size = key.string.utf8.count + entry.metadata.count + entry.body.count
        guard size <= limit else {
            throw StoreError(.entryTooLarge, "the entry has \(size) bytes, the limit is \(limit)", key: key.string)
        }
        let step = try coder.step(entry, key: key.string, condition: condition)
        guard case .committed(let version, _, let usage) = try await commit([step]) else {
            return false
        }
        state.withLock { state in
            state.statistics.stores += 1
            state.isNearLimit = isNearLimit(usage)
            state.tier.stored(entry, for: key, version: version)
        }
        if isOverLimit(usage) { try await evict() }
        return true
    }

    /// Removes an entry.
    ///
    /// - Parameter key: The entry's key.
    /// - Returns: `true` if the entry existed.
    /// - Throws: ``StoreError`` if the file cannot be written.
    @discardableResult
    public func remove(_ key: String) async throws(StoreError) -> Bool {
        let rowKey = RowKey(key)
        let step = RowStep.remove(key: rowKey.string, condition: .any)
        guard case .committed(let version, let existed, _) = try await commit([step]) else {
            return false
        }
        state.withLock { $0.tier.invalidated(rowKey, version: version) }
        return existed.first ?? false
    }

    func commit(_ steps: [RowStep]) async throws(StoreError) -> RowCommit {
        try await withEngine { engine throws(StoreError) in try await engine.rows.commit(steps, in: .cache) }
    }

    func summary(of key: String) async throws(StoreError) -> RowSummary? {
        try await withEngine { engine throws(StoreError) in try await engine.rows.summary(key, in: .cache) }
    }

    /// Runs an operation on the engine, again if the file was damaged and has been rebuilt.
    func withEngine<Value: Sendable>(
        _ body: (Engine) async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let engine = state.withLock { $0.engine }
        do throws(StoreError) {
            return try await body(engine)
        } catch {
            try rebuild(engine, because: error)
        }
        return try await body(state.withLock { $0.engine })
    }
}

extension ExpiringCache {
    package var isShared: Bool { state.withLock { $0.engine.rows.isShared } }

    /// Acquires the temporary exclusive right to fetch an entry; returns `nil` if it has another holder.
    ///
    /// Each lease has its own owner, so leases also exclude each other within a process. It expires after the duration
    /// if its holder dies. With a custom engine it excludes no other process: each one fetches for itself.
    package func acquireLease(_ name: String, for duration: Duration, now: Date) async throws(StoreError) -> Lease? {
        let owner = String(UInt64.random(in: .min ... .max), radix: 36)
        return try await withEngine { engine throws(StoreError) -> Lease? in
            guard let backing = engine.backing else {
                return Lease(name: name, owner: owner, expiresAt: now.addingTimeInterval(duration.timeInterval))
            }
            return try await backing.acquireLease(name, owner: owner, duration: duration, now: now)
        }
    }

    /// Releases a lease later, after everything that was stored before.
    package func dropLease(_ lease: Lease, now: Date) {
        state.withLock { $0.backing }?.dropLeaseLater(lease, now: now)
    }
}

extension ExpiringCache {
    package var memoryByteLimit: Int { configuration.memoryByteLimit }

    /// Creates an empty cache, with the limits of this one's memory tier, for entries that must never be written to a
    /// file; it encodes nothing.
    package func makeMemoryOnly() -> ExpiringCache {
        var limits = Configuration()
        limits.byteLimit = configuration.memoryByteLimit
        limits.entryByteLimit = min(configuration.entryByteLimit, configuration.memoryByteLimit / 8)
        limits.memoryByteLimit = configuration.memoryByteLimit
        limits.onEvent = configuration.onEvent
        return ExpiringCache(configuration: limits)
    }
}

/// Opens a cache's file, and replaces a damaged or foreign one by a new one.
final class CacheRebuilder: Sendable {
    private let path: String
    private let options: SQLiteBacking.Options
    private let acquire: @Sendable (String) throws(StoreError) -> FileLock?
    private let turn = Mutex(())
    /// The identity of the file that was opened or found damaged last; one that another process put there stays.
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

    /// Runs the closure while no other thread rebuilds, with the instant until which it may wait for other processes:
    /// nearly the same for threads that wait for each other, so that their waits do not add up.
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
            try PrivateFolder.create(above: path)
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
