// SPDX-License-Identifier: MIT

public import RestEssentials
import Synchronization

/// Typed, observable values that are shared across a program, in memory or in one SQLite file.
///
/// A write goes to disk first, then to memory, then to the observers. Reads are served from memory once a value was
/// read or written. Several processes may share a file: changes made by one reach memory and observers of the others
/// within a few milliseconds. ``compareAndSet(_:expected:new:)``, ``modify(_:_:)`` and ``transaction(_:)`` lose no
/// updates between processes.
///
/// ```swift
/// let data = try SharedData(file: folder.appending(path: "shared.sqlite"))
/// try data.set(session, for: .session)
/// for await change in data.changes(for: .session) { show(change.newValue) }
/// ```
///
/// Every call may be made from any thread. Calls block the calling thread while they read from or write to the disk;
/// with the default ``Durability-swift.enum/powerLoss`` a write waits until the disk has confirmed it.
///
/// A file that is damaged or not a database causes an error. It is never set aside, so nothing stored is lost.
public final class SharedData: Sendable {
    struct Reader: Equatable, Sendable {
        var codec: String
        var variant: String
        var schemaVersion: Int
        /// A Boolean value that indicates whether a ``RollbackGuard`` has accepted the value.
        var isGuarded: Bool
    }

    struct Loaded {
        enum Content {
            /// The value, its expiry, and the codec and schema with which it was read: a key with another codec or
            /// schema must read it again.
            case value(any Sendable, expiresAt: Date?, reader: Reader)
            case absent
            /// Another process changed the value, and it has not been read since.
            case unknown
        }

        /// The commit to which this state belongs; nothing older may replace the state.
        var version: UInt64
        var content: Content
        var isFromHere = false
        /// A Boolean value that indicates whether a read found that commit before the feed reported it, so that
        /// observers have not been notified yet.
        var isAheadOfFeed = false

        var isAbsent: Bool {
            if case .absent = content { true } else { false }
        }
    }

    struct Registration {
        let observer: any ValueObserving
        var last: (any Sendable)?
        /// The commit of the latest change that was delivered or queued.
        var version: UInt64
    }

    struct State {
        var backing: any Backing
        var file: String?
        var loaded: [RowKey: Loaded] = [:]
        /// Incremented by every change, so that a load detects whether it was overtaken.
        var generation: UInt64 = 0
        /// The guards of keys that were used, for removals that know no keys.
        var guards: [RowKey: RollbackGuard] = [:]
        var observers: [RowKey: [Int: Registration]] = [:]
        var allObservers: [Int: Subscriber<SharedDataChange>] = [:]
        var nextObserver = 0
        /// The openers of rows in a file that values in memory would replace; none for values that may replace any row.
        var openers: [RowKey: Opener] = [:]
        var feedPosition: UInt64 = 0
        /// The version up to which the feed reports nothing any more.
        var feedVersion: UInt64 = 0
        var watch: ReleaseOnce?
        /// A Boolean value that indicates whether other processes' changes are detected without polling.
        var isWatching = true
    }

    /// Checks that the key of a value in memory can open a row of a file, which the value's own row would replace.
    typealias Opener = @Sendable (_ stored: Row, _ row: Row) throws(StoreError) -> Void

    let configuration: Configuration
    let state: Mutex<State>
    let delivery = OrderedDelivery()
    /// Held while values are moved from memory to a file.
    let attachment = Mutex(())
    /// Held while other processes' changes are applied to memory.
    let feedTurn = Mutex(())
    /// True while a writer of values in memory has the turn, because others have overtaken it.
    let isTurnTaken = Atomic(false)

    /// Creates shared data in memory, which are lost with the object unless ``attach(file:)`` is called.
    ///
    /// - Parameter configuration: The options, also for a file that is attached later. Defaults to the default
    ///   configuration.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        state = Mutex(State(backing: MemoryBacking()))
    }

    /// Opens shared data on a file.
    ///
    /// Creates the file (0600) and its folders (0700) if they do not exist.
    ///
    /// - Parameters:
    ///   - file: The SQLite file. Other processes may use the same one.
    ///   - configuration: The options. Defaults to the default configuration.
    /// - Throws: ``StoreError`` if the file cannot be used; with `notADatabase` or `corrupt` if it is damaged.
    public init(file: URL, configuration: Configuration = Configuration()) throws(StoreError) {
        self.configuration = configuration
        let path = try FilePath.path(of: file)
        let backing = try Self.open(path, configuration)
        // Before the position, because all later commits must be reported.
        let version = try backing.usageNow(of: .shared).version
        let position = try backing.feedNow(of: .shared, after: nil).position
        state = Mutex(State(backing: backing, file: path, feedPosition: position, feedVersion: version))
        follow(backing)
    }

    deinit {
        let (observers, allObservers) = state.withLock { state in
            state.watch = nil
            return (state.observers.values.flatMap { $0.values.map(\.observer) }, state.allObservers.values)
        }
        for observer in observers { observer.finish() }
        for observer in allObservers { observer.finish() }
    }

    static func open(_ path: String, _ configuration: Configuration) throws(StoreError) -> SQLiteBacking {
        var options = SQLiteBacking.Options()
        options.busyTimeout = configuration.busyTimeout
        options.readers = 2
        options.survivesPowerLoss = configuration.durability == .powerLoss
        return try SQLiteBacking(file: path, kind: .shared, options: options)
    }

    /// The file; `nil` while values are in memory only.
    public var file: URL? {
        state.withLock { $0.file }.map { URL(filePath: $0) }
    }

    /// Finishes pending operations and closes the file.
    ///
    /// Every later call throws `closed`.
    public func close() {
        state.withLock { state in
            state.watch = nil
            state.loaded = [:]
            state.isWatching = true
            return state.backing
        }
        .close()
    }

    // MARK: - Reading

    /// Returns the value of a key.
    ///
    /// - Parameter key: The key.
    /// - Returns: The value, or the key's default if there is none or it has expired.
    /// - Throws: ``StoreError`` if the stored value cannot be read, for example with `wrongKey`, `tampered`,
    ///   `decodingFailed` or `corrupt`.
    public func value<Value>(for key: SharedKey<Value>) throws(StoreError) -> Value? {
        try load(key).value ?? key.defaultValue
    }

    /// Returns the names of all values that have not expired, in the order of their bytes.
    ///
    /// - Parameter prefix: The prefix of these names. Defaults to any.
    /// - Returns: The names, including those of values that this process never read.
    /// - Throws: ``StoreError`` if the file cannot be read.
    public func names(prefix: String = "") throws(StoreError) -> [String] {
        let now = configuration.now()
        return try summaries(prefix: prefix).filter { !$0.attributes.hasExpired(at: now) }.map(\.key)
    }

    func summaries(prefix: String = "") throws(StoreError) -> [RowSummary] {
        var summaries: [RowSummary] = []
        var next: RowPage? = RowPage(prefix: prefix)
        while let page = next {
            let rows = try withBacking { backing throws(StoreError) in try backing.summariesNow(in: .shared, page) }
            summaries += rows
            next = page.next(after: rows)
        }
        return summaries
    }

    /// Reads a value without the key's default, with the commit that wrote it.
    func load<Value>(_ key: SharedKey<Value>) throws(StoreError) -> (value: Value?, version: UInt64) {
        let rowKey = RowKey(key.name)
        let now = configuration.now()
        let reader = try key.reader
        noteGuard(of: key)
        if !state.withLock({ $0.isWatching }) { catchUp() }
        let (loaded, generation) = state.withLock { ($0.loaded[rowKey], $0.generation) }
        if let loaded {
            switch loaded.content {
            case .absent where key.rollbackGuard == nil: return (nil, loaded.version)
            case .value(let value, let expiresAt, reader):
                if let expiresAt, expiresAt <= now { return (nil, loaded.version) }
                if let value = value as? Value { return (value, loaded.version) }
            case .value, .absent, .unknown: break
            }
        }
        return try checked(key) { row throws(StoreError) -> (value: Value?, version: UInt64) in
            let decoded = try decode(row, key)
            guard let row else {
                memoize(.absent, loaded?.version ?? 0, rowKey, generation)
                return (nil, loaded?.version ?? 0)
            }
            guard let decoded else {
                return (nil, row.version)
            }
            if let value = decoded.value {
                memoize(
                    .value(value, expiresAt: row.attributes.expiresAt, reader: reader),
                    row.version,
                    rowKey,
                    generation
                )
            }
            if !decoded.isCurrent { rewrite(key, decoded.value, row) }
            return (decoded.value, row.version)
        }
    }

    /// Keeps a result in memory, unless anything changed meanwhile.
    private func memoize(_ content: Loaded.Content, _ version: UInt64, _ key: RowKey, _ generation: UInt64) {
        state.withLock { state in
            guard state.generation == generation else {
                return
            }
            var loaded = Loaded(version: version, content: content)
            let former = state.loaded[key]
            if loaded.isAbsent, former?.isAbsent == false {
                // Observers know a value until the feed reports that it was removed.
                state.loaded[key]?.content = .unknown
                return
            }
            if let former, former.version == version {
                loaded.isFromHere = former.isFromHere
                loaded.isAheadOfFeed = former.isAheadOfFeed
            } else {
                loaded.isAheadOfFeed = version > max(former?.version ?? 0, state.feedVersion)
            }
            state.loaded[key] = loaded
        }
    }

    /// Decodes a row; `nil` if there is none, or if it has expired.
    func decode<Value>(_ row: Row?, _ key: SharedKey<Value>) throws(StoreError) -> SharedKey<Value>.Decoded? {
        guard let row, !row.attributes.hasExpired(at: configuration.now()) else {
            try key.checkAbsence()
            return nil
        }
        return try key.decode(row)
    }

    func row(_ key: String) throws(StoreError) -> Row? {
        try withBacking { backing throws(StoreError) in try backing.rowNow(key, in: .shared)?.withEarlierExpiry() }
    }

    /// Reads a row, and passes it to a closure that compares it with the mark of the key's guard.
    func checked<Value, Result>(
        _ key: SharedKey<Value>,
        _ body: (Row?) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let name = RowKey(key.name).string
        return try Self.settled { version throws(StoreError) -> Result in
            let row = try self.row(name)
            version = row?.version
            return try body(row)
        } mark: { () throws(StoreError) -> RollbackMark? in
            try key.rollbackState(of: nil)?.mark
        }
    }

    /// Reads a row and compares it with its mark.
    ///
    /// Other processes may change the value and raise its mark between the two. So what seems to be rolled back is read
    /// again, until neither the row nor the mark has changed since.
    ///
    /// `read` sets the version of the row, and compares the row with its mark. By `mark` a change is noticed although
    /// the row was absent each time; it returns `nil` if an absent row is never taken for rolled back.
    static func settled<Result>(
        _ read: (_ version: inout UInt64?) throws(StoreError) -> Result,
        mark: () throws(StoreError) -> RollbackMark?
    ) throws(StoreError) -> Result {
        var former: (version: UInt64?, mark: RollbackMark?)?
        while true {
            var version: UInt64?
            do throws(StoreError) {
                return try read(&version)
            } catch  where error.code == .rolledBack {
                let latest = (version: version, mark: try mark())
                if let former, former == latest { throw error }
                former = latest
            }
        }
    }

    /// Rewrites a value with its key's current codec, without waiting, unless it was changed meanwhile.
    private func rewrite<Value>(_ key: SharedKey<Value>, _ value: Value?, _ row: Row) {
        // It is the same value, so that its change keeps its number; one that had none is numbered as the first.
        let change: UInt64?
        do throws(StoreError) {
            change = try key.rollbackState(of: row).map { $0.stored ?? 1 }
        } catch {
            return
        }
        guard let value, let reader = try? key.reader,
            let fresh = try? key.row(
                for: value,
                change: change,
                storedAt: row.attributes.storedAt,
                expiresAt: row.attributes.expiresAt
            )
        else {
            return
        }
        let step = RowStep.put(
            key: key.name,
            value: fresh.value,
            attributes: fresh.attributes,
            condition: .version(row.version)
        )
        let rowKey = RowKey(key.name)
        let old = row.version
        state.withLock { $0.backing }
            .commitLater([step], in: .shared) { [weak self] commit in
                guard case .committed(let version, _, _) = commit else {
                    return
                }
                self?.state.withLock { $0.noteRewriting(of: rowKey, from: old, to: version, by: reader) }
            }
    }

    /// Runs an operation on the engine, again if the values were moved to a file meanwhile.
    func withBacking<Result>(
        _ body: (any Backing) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        while true {
            let backing = state.withLock { $0.backing }
            do throws(StoreError) {
                return try body(backing)
            } catch  where error.code == .closed && backing is MemoryBacking {
                // Values that could not be moved are still in memory, which accepts calls again.
                let isClosed = attachment.withLock { _ in
                    let current = state.withLock { $0.backing }
                    return (current as? MemoryBacking)?.isClosed ?? false
                }
                if isClosed { throw error }
            }
        }
    }
}

extension SharedData.State {
    /// Notes that a value was written again with the codec and schema of a reader: the same value, as a later version.
    mutating func noteRewriting(of key: RowKey, from old: UInt64, to version: UInt64, by reader: SharedData.Reader) {
        generation += 1
        if var rewritten = loaded[key], rewritten.version == old {
            rewritten.version = version
            switch rewritten.content {
            case .value(_, _, reader): break
            // Another key read it meanwhile, which may not be able to open it any more.
            case .value, .absent, .unknown: rewritten.content = .unknown
            }
            loaded[key] = rewritten
        }
        // Any other observer has yet to receive the value itself.
        for number in (observers[key] ?? [:]).keys where observers[key]?[number]?.version == old {
            observers[key]?[number]?.version = version
        }
    }
}
