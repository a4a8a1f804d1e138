// SPDX-License-Identifier: MIT

public import RestEssentials
import Synchronization

/// Typed values that are shared across a program, kept in memory or on one SQLite file, and observable.
///
/// A write goes to the disk first, then to memory, then to the observers. Reads are answered from memory once a value
/// was read or written. Several processes may share a file: changes of one reach the memory and the observers of the
/// others within a few milliseconds, and ``compareAndSet(_:expected:new:)``, ``modify(_:_:)`` and ``transaction(_:)``
/// lose no update between them.
///
/// ```swift
/// let data = try SharedData(file: folder.appending(path: "shared.sqlite"))
/// try data.set(session, for: .session)
/// for await change in data.changes(for: .session) { show(change.newValue) }
/// ```
///
/// Every call may be made from any thread. Calls block the calling thread while they read from or write to the disk;
/// with the default ``Durability-swift.enum/powerLoss`` a write waits for the disk to confirm it.
///
/// A file that is damaged, or is no database, is an error and is never set aside: nothing stored is lost.
public final class SharedData: Sendable {
    /// The codec, its key and the schema with which a value was read or written.
    struct Reader: Equatable, Sendable {
        var codec: String
        var variant: String
        var schemaVersion: Int
    }

    /// What is known of a value.
    struct Loaded {
        enum Content {
            /// The value, the end of its life, and the codec and schema it was read with: another must read for itself.
            case value(any Sendable, expiresAt: Date?, reader: Reader)
            case absent
            /// Someone else changed it, and it was not read since.
            case unknown
        }

        /// The commit after which this holds; nothing older may take its place.
        var version: UInt64
        var content: Content
        /// A Boolean value that tells whether this very object made that commit.
        var isFromHere = false
    }

    /// One observer with what it was told last.
    struct Registration {
        let observer: any ValueObserving
        var last: (any Sendable)?
        var version: UInt64
    }

    struct State {
        var backing: any EmbeddedBacking
        var file: String?
        var loaded: [RowKey: Loaded] = [:]
        /// Grows with every change, so that a load knows whether it was overtaken.
        var generation: UInt64 = 0
        var observers: [RowKey: [Int: Registration]] = [:]
        var allObservers: [Int: AllValuesObserver] = [:]
        var nextObserver = 0
        var feedPosition: UInt64 = 0
        var watch: (any Sendable)?
        /// Whether others' changes are noticed without asking.
        var isWatching = true
    }

    let configuration: Configuration
    let state: Mutex<State>
    let delivery = OrderedDelivery()
    /// Held while the memory is carried over to a file.
    let attachment = Mutex(())
    /// Held while others' changes are taken in.
    let feedTurn = Mutex(())

    /// Creates shared data in memory, which end with the object unless ``attach(file:)`` is called.
    public convenience init() {
        self.init(configuration: Configuration())
    }

    /// Creates shared data in memory, which end with the object unless ``attach(file:)`` is called.
    ///
    /// - Parameter configuration: The habits, for the file too that may be attached later.
    public init(configuration: Configuration) {
        self.configuration = configuration
        state = Mutex(State(backing: MemoryBacking()))
    }

    /// Opens shared data on a file, creating the file (0600) and its folders (0700) when missing.
    ///
    /// - Parameters:
    ///   - file: The SQLite file; other processes may use the same one.
    ///   - configuration: The habits; the default is the default configuration.
    /// - Throws: ``StoreError`` when the file cannot be used; with `notADatabase` or `corrupt` when it is damaged.
    public init(file: URL, configuration: Configuration = Configuration()) throws(StoreError) {
        self.configuration = configuration
        let path = try FilePath.path(of: file)
        let backing = try Self.open(path, configuration)
        let position = try backing.feedNow(of: .shared, after: nil).position
        state = Mutex(State(backing: backing, file: path, feedPosition: position))
        follow(backing)
    }

    deinit {
        let finish = state.withLock { state in
            state.watch = nil
            let observers = state.observers.values.flatMap { $0.values.map { $0.observer.finish } }
            return observers + state.allObservers.values.map(\.finish)
        }
        for finish in finish { finish() }
    }

    static func open(_ path: String, _ configuration: Configuration) throws(StoreError) -> SQLiteBacking {
        var options = SQLiteBacking.Options()
        options.busyTimeout = configuration.busyTimeout
        options.readers = configuration.readerLimit
        options.synchronous = configuration.durability == .powerLoss ? .full : .normal
        return try SQLiteBacking(file: path, kind: .shared, options: options)
    }

    /// The file, or `nil` while the values lie in memory only.
    public var file: URL? {
        state.withLock { $0.file }.map { URL(filePath: $0) }
    }

    /// Finishes what is under way and closes the file; every later call throws `closed`.
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
    /// - Returns: The value, or the key's default while there is none or it has expired.
    /// - Throws: ``StoreError`` when there is a value that cannot be read, for example with `wrongKey`, `tampered`,
    ///   `decodingFailed` or `corrupt`.
    public func value<Value>(for key: SharedKey<Value>) throws(StoreError) -> Value? {
        try load(key).value ?? key.defaultValue
    }

    /// Lists the names of all values that have not expired, in the order of their bytes.
    ///
    /// - Parameter prefix: Only names that begin with it; the default is any.
    /// - Returns: The names, also of values never read by this process.
    /// - Throws: ``StoreError`` when the file cannot be read.
    public func names(prefix: String = "") throws(StoreError) -> [String] {
        var names: [String] = []
        var last: String?
        let now = configuration.now()
        while true {
            let after = last
            let page = try withBacking { backing throws(StoreError) in
                try backing.summariesNow(in: .shared, prefix: prefix, tag: nil, after: after, limit: 1000)
            }
            names += page.filter { $0.attributes.expiresAt.map { $0 > now } ?? true }.map(\.key)
            guard page.count == 1000, let key = page.last?.key else {
                return names
            }
            last = key
        }
    }

    /// Reads a value without its default, with the commit that wrote it.
    func load<Value>(_ key: SharedKey<Value>) throws(StoreError) -> (value: Value?, version: UInt64) {
        let rowKey = RowKey(key.name)
        let now = configuration.now()
        let reader = try key.reader
        if !state.withLock({ $0.isWatching }) { catchUp() }
        let (loaded, generation) = state.withLock { ($0.loaded[rowKey], $0.generation) }
        if let loaded {
            switch loaded.content {
            case .absent: return (nil, loaded.version)
            case .value(let value, let expiresAt, reader):
                if let expiresAt, expiresAt <= now { return (nil, loaded.version) }
                if let value = value as? Value { return (value, loaded.version) }
            case .value, .unknown: break
            }
        }
        guard let row = try row(rowKey.string) else {
            memoize(.absent, loaded?.version ?? 0, rowKey, generation)
            return (nil, loaded?.version ?? 0)
        }
        guard row.attributes.expiresAt.map({ $0 > now }) ?? true else {
            return (nil, row.version)
        }
        let decoded = try key.decode(row)
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

    /// Keeps what was read in memory, unless anything changed meanwhile.
    private func memoize(_ content: Loaded.Content, _ version: UInt64, _ key: RowKey, _ generation: UInt64) {
        state.withLock { state in
            guard state.generation == generation else {
                return
            }
            let isFromHere = state.loaded[key].map { $0.isFromHere && $0.version == version } ?? false
            state.loaded[key] = Loaded(version: version, content: content, isFromHere: isFromHere)
        }
    }

    func row(_ key: String) throws(StoreError) -> Row? {
        try withBacking { backing throws(StoreError) in try backing.rowNow(key, in: .shared) }
    }

    /// Writes a value again as its key would write it today, without waiting and only if nobody else wrote meanwhile.
    private func rewrite<Value>(_ key: SharedKey<Value>, _ value: Value?, _ row: Row) {
        guard let value, var fresh = try? key.row(for: value, now: row.attributes.storedAt) else {
            return
        }
        fresh.attributes.expiresAt = row.attributes.expiresAt
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
                self?.state
                    .withLock { state in
                        if state.loaded[rowKey]?.version == old { state.loaded[rowKey]?.version = version }
                        for number in (state.observers[rowKey] ?? [:]).keys {
                            state.observers[rowKey]?[number]?.version = version
                        }
                    }
            }
    }

    /// Runs an operation on the engine; again when the values were carried over to a file meanwhile.
    func withBacking<Result>(
        _ body: (any EmbeddedBacking) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        while true {
            let backing = state.withLock { $0.backing }
            do throws(StoreError) {
                return try body(backing)
            } catch  where error.code == .closed && backing is MemoryBacking {
                attachment.withLock { _ in }
                if state.withLock({ $0.backing is MemoryBacking }) { throw error }
            }
        }
    }
}
