// SPDX-License-Identifier: MIT

import Dispatch
package import RestEssentials
import Synchronization

/// The engine on one SQLite file, which other processes may use at the same time.
///
/// Reads run on the calling thread over a pool of connections; writes go through one ``Writer`` that groups them.
package final class SQLiteBacking: Backing {
    package struct Options: Sendable {
        package var busyTimeout: Duration = .seconds(30)
        package var readers = 4
        package var pageCacheKiB = 8 * 1024
        /// True if every commit is forced to the disk, so that it survives a loss of power.
        package var survivesPowerLoss = false
        package init() {}
    }

    package let file: String
    package var isShared: Bool { true }
    let options: Options
    let kind: DatabaseKind
    private let collections: [CollectionSQL]
    private let readers: ReaderPool
    private let writer: Writer
    private let foreignCommits: ForeignCommits
    private let slowReads = DispatchQueue(label: "SharedStore.SlowReads")

    /// Distinguishes this backing's commits from all others.
    private let instance: UInt64

    /// The size above which values are not read on a cooperative thread.
    private static let slowReadLimit = 256 * 1024
    private static let removalLimit = 512
    /// The maximum number of rounds of an eviction; more would be needed only if others kept using the rows.
    private static let evictionRounds = 8

    /// Opens the file; creates it, its folder and its schema if they do not exist.
    package init(file: String, kind: DatabaseKind, options: Options = Options()) throws(StoreError) {
        self.file = file
        self.kind = kind
        self.options = options
        let instance = UInt64.random(in: 1 ... .max)
        self.instance = instance
        collections = kind.collections.map(CollectionSQL.init)
        try DatabaseFile.prepare(file)
        foreignCommits = ForeignCommits(file: file, collections: kind.collections)
        writer = Writer(
            connection: try Self.openWriting(file: file, kind: kind, options: options),
            instance: instance,
            foreignCommits: foreignCommits
        )
        readers = ReaderPool(count: options.readers) { () throws(StoreError) in
            let mode = DatabaseFile.isFrozen(file) ? Connection.Mode.frozen : .readOnly
            let connection = try Connection(file: file, mode: mode, busyTimeout: options.busyTimeout)
            try connection.execute("PRAGMA cache_size = -\(options.pageCacheKiB)")
            return connection
        }
        // This also checks that reading works.
        for collection in kind.collections { foreignCommits.know(try usageNow(of: collection).version, of: collection) }
    }

    deinit {
        // The last reference may be dropped on the writer's own queue, which must not wait for itself.
        DispatchQueue.global()
            .async { [readers, writer] in
                readers.close()
                writer.close()
            }
    }

    private static func openWriting(
        file: String,
        kind: DatabaseKind,
        options: Options
    ) throws(StoreError) -> sending Connection {
        let migrator = Migrator(kind: kind)
        if DatabaseFile.isFrozen(file) {
            // Every write on this connection fails.
            let connection = try Connection(file: file, mode: .frozen, busyTimeout: options.busyTimeout)
            guard try migrator.check(connection) else {
                throw StoreError(
                    .readOnly,
                    "the file has no current schema, and its folder cannot be written",
                    file: file
                )
            }
            return connection
        }
        let connection = try Connection(file: file, mode: .readWrite, busyTimeout: options.busyTimeout)
        // SQLite does not always wait when several processes create the file at once, so opening is repeated.
        let deadline = ContinuousClock.now + options.busyTimeout
        while true {
            do throws(StoreError) {
                try migrator.check(connection)
                _ = try connection.text("PRAGMA journal_mode = WAL")
                try migrator.migrate(connection)
                try connection.execute("PRAGMA synchronous = \(options.survivesPowerLoss ? "FULL" : "NORMAL")")
                // Darwin's fsync does not wait for the disk; elsewhere this changes nothing.
                if options.survivesPowerLoss { try connection.execute("PRAGMA fullfsync = 1") }
                try connection.execute("PRAGMA cache_size = -\(options.pageCacheKiB)")
                try connection.execute("PRAGMA journal_size_limit = 67108864")
                return connection
            } catch {
                connection.rollBack()
                guard error.code == .busy, ContinuousClock.now < deadline else {
                    throw DatabaseFile.explain(error, path: file)
                }
                _ = usleep(1000)
            }
        }
    }

    private func sql(_ collection: RowCollection) throws(StoreError) -> CollectionSQL {
        guard let sql = collections.first(where: { $0.collection == collection }) else {
            throw StoreError(.internalFailure, "the file has no collection \"\(collection.name)\"", file: file)
        }
        return sql
    }

    package var transactionCount: Int {
        writer.transactions.load(ordering: .relaxed)
    }

    package func close() {
        // The last connection to close moves the log into the file and removes it, which a read-only connection cannot
        // do.
        readers.close()
        writer.close()
    }

    // MARK: - Reading

    private func read<Value: Sendable>(
        _ collection: RowCollection,
        _ body: @Sendable (RowReader) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let sql = try sql(collection)
        return try readers.read { connection throws(StoreError) in
            try body(RowReader(connection: connection, sql: sql))
        }
    }

    package func rowNow(_ key: String, in collection: RowCollection) throws(StoreError) -> Row? {
        switch try smallRowNow(key, in: collection, valueLimit: .max) {
        case .row(let row): row
        case .absent, .large: nil
        }
    }

    /// Reads a row on the calling thread, unless its value is larger than the limit.
    package func smallRowNow(
        _ key: String,
        in collection: RowCollection,
        valueLimit: Int
    ) throws(StoreError) -> SmallRow {
        try read(collection) { reader throws(StoreError) in try reader.row(key, valueLimit: valueLimit) }
    }

    package func row(_ key: String, in collection: RowCollection) async throws(StoreError) -> Row? {
        switch try smallRowNow(key, in: collection, valueLimit: Self.slowReadLimit) {
        case .row(let row): row
        case .absent: nil
        case .large: try await slowly { () throws(StoreError) in try self.rowNow(key, in: collection) }
        }
    }

    package func summariesNow(in collection: RowCollection, _ page: RowPage) throws(StoreError) -> [RowSummary] {
        try read(collection) { reader throws(StoreError) in try reader.summaries(page) }
    }

    package func summary(_ key: String, in collection: RowCollection) async throws(StoreError) -> RowSummary? {
        try await summaries(in: collection, RowPage(prefix: key, limit: 1)).first
            .flatMap { summary in
                RowKey(summary.key) == RowKey(key) ? summary : nil
            }
    }

    package func summaries(in collection: RowCollection, _ page: RowPage) async throws(StoreError) -> [RowSummary] {
        try await slowly { () throws(StoreError) in try self.summariesNow(in: collection, page) }
    }

    package func usageNow(of collection: RowCollection) throws(StoreError) -> RowUsage {
        try read(collection) { [instance] reader throws(StoreError) in try reader.usage(instance: instance) }
    }

    package func feedNow(of collection: RowCollection, after position: UInt64?) throws(StoreError) -> RowFeed {
        try read(collection) { [instance] reader throws(StoreError) in
            try reader.feed(after: position, limit: 512, instance: instance)
        }
    }

    /// Runs a read that may take long outside the cooperative threads.
    private func slowly<Value: Sendable>(
        _ body: @escaping @Sendable () throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            slowReads.async { continuation.resume(returning: Result(catching: body)) }
        }
        return try result.get()
    }

    // MARK: - Writing

    private func prepared(_ steps: [RowStep]) throws(StoreError) -> [PreparedStep] {
        try steps.checkSize(file: file)
        return steps.map(PreparedStep.init)
    }

    package func commitNow(
        _ steps: [RowStep],
        in collection: RowCollection,
        committed: @escaping @Sendable (RowCommit) -> Void
    ) throws(StoreError) -> RowCommit {
        let sql = try sql(collection)
        let steps = try prepared(steps)
        return try writer.perform(committed: committed) { session throws(StoreError) in try session.apply(steps, sql) }
    }

    package func commit(_ steps: [RowStep], in collection: RowCollection) async throws(StoreError) -> RowCommit {
        let sql = try sql(collection)
        let steps = try prepared(steps)
        return try await writer.perform { session throws(StoreError) in try session.apply(steps, sql) }
    }

    package func commitLater(
        _ steps: [RowStep],
        in collection: RowCollection,
        committed: @escaping @Sendable (RowCommit) -> Void
    ) {
        guard let sql = try? sql(collection), let steps = try? prepared(steps) else {
            return
        }
        writer.performLater(committed: committed) { session throws(StoreError) in try session.apply(steps, sql) }
    }

    package func removeNow(
        _ selection: RowSelection,
        in collection: RowCollection,
        committed: @escaping @Sendable (RowRemoval) -> Void
    ) throws(StoreError) -> RowRemoval {
        let sql = try sql(collection)
        return try writer.perform(committed: committed) { session throws(StoreError) in
            try session.remove(selection, limit: .max, sql).removal
        }
    }

    package func remove(
        _ selection: RowSelection,
        in collection: RowCollection
    ) async throws(StoreError) -> RowRemoval {
        let sql = try sql(collection)
        // Removing everything needs no row lookups; any other removal goes in steps, so that others can write in
        // between.
        let limit = selection == .all ? Int.max : Self.removalLimit
        var total = RowRemoval(rows: 0, bytes: 0, usage: try usageNow(of: collection))
        while true {
            let step = try await writer.perform { session throws(StoreError) in
                try session.remove(selection, limit: limit, sql)
            }
            total.add(step.removal)
            if !step.hasMore { return total }
        }
    }

    package func touch(_ uses: [(key: String, at: Date)], in collection: RowCollection) async throws(StoreError) {
        let sql = try sql(collection)
        try await writer.perform { session throws(StoreError) in try session.touch(uses, sql) }
    }

    package func touchLater(_ uses: [(key: String, at: Date)], in collection: RowCollection) {
        guard let sql = try? sql(collection) else {
            return
        }
        writer.performLater { session throws(StoreError) in try session.touch(uses, sql) }
    }

    package func evict(
        in collection: RowCollection,
        toRows rows: Int,
        bytes: Int
    ) async throws(StoreError) -> RowRemoval {
        let sql = try sql(collection)
        var total = RowRemoval(rows: 0, bytes: 0, usage: try usageNow(of: collection))
        var isCounted = false
        // Rows may have been used later than their listed time; they stay, and are listed correctly in the next round.
        for _ in 0..<Self.evictionRounds {
            let usage = total.usage
            let (victims, suffice) = try await slowly { () throws(StoreError) in
                try self.read(collection) { reader throws(StoreError) in
                    try reader.leastRecentlyUsed(leavingRows: rows, bytes: bytes, of: usage)
                }
            }
            if !suffice, !isCounted {
                // The recorded size is larger than the sum of all rows, or some rows have no use: count again.
                isCounted = true
                total.usage = try await writer.perform { session throws(StoreError) in try session.recount(sql) }
                continue
            }
            if victims.isEmpty { break }
            var rest = victims[...]
            // Rows may have been replaced by smaller or larger ones since they were listed.
            while !rest.isEmpty, !total.usage.keeps(rows: rows, bytes: bytes) {
                let batch = Array(rest.prefix(Self.removalLimit))
                rest = rest.dropFirst(batch.count)
                let removal = try await writer.perform { session throws(StoreError) in
                    try session.remove(batch, untilRows: rows, bytes: bytes, sql)
                }
                total.add(removal)
            }
        }
        return total
    }

    // MARK: - Other processes

    package func acquireLease(
        _ name: String,
        owner: String,
        duration: Duration,
        now: Date
    ) async throws(StoreError) -> Lease? {
        let until = now.addingTimeInterval(duration.timeInterval)
        return try await writer.perform { session throws(StoreError) in
            try session.acquireLease(name, owner: owner, until: until, now: now)
        }
    }

    package func dropLeaseLater(_ lease: Lease, now: Date) {
        writer.performLater { session throws(StoreError) in try session.dropLease(lease, now: now) }
    }

    package func observeForeignCommits(_ handler: @escaping @Sendable () -> Void) -> ReleaseOnce? {
        foreignCommits.observe(handler) { [weak self] collection in try? self?.usageNow(of: collection) }
    }
}

/// A pool of reading connections, each behind its own lock, opened when first needed.
///
/// A read uses the first free connection, so that a program with one reader keeps one page cache warm. It waits for a
/// connection only if all are in use.
final class ReaderPool: Sendable {
    private enum Slot {
        case unopened
        case open(Connection)
        case closed
    }

    /// It is a class, since arrays cannot hold a `Mutex`.
    private final class Reader: Sendable {
        let slot = Mutex(Slot.unopened)
    }

    private let readers: [Reader]
    private let next = Atomic(0)
    private let open: @Sendable () throws(StoreError) -> Connection

    init(count: Int, open: @escaping @Sendable () throws(StoreError) -> Connection) {
        readers = (0..<max(1, count)).map { _ in Reader() }
        self.open = open
    }

    func read<Value: Sendable>(
        _ body: @Sendable (Connection) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        for reader in readers {
            let value = try reader.slot.withLockIfAvailable { slot throws(StoreError) in
                try use(&slot, body)
            }
            if let value { return value }
        }
        let turn = next.wrappingAdd(1, ordering: .relaxed).newValue
        return try readers[abs(turn % readers.count)].slot
            .withLock { slot throws(StoreError) in
                try use(&slot, body)
            }
    }

    private func use<Value: Sendable>(
        _ slot: inout Slot,
        _ body: @Sendable (Connection) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        while true {
            let connection = try connection(in: &slot)
            let result = Result { () throws(StoreError) in try body(connection) }
            guard connection.isOutdated else {
                return try result.get()
            }
            // The result of the read may mix two states of the file.
            slot = .unopened
        }
    }

    private func connection(in slot: inout Slot) throws(StoreError) -> Connection {
        switch slot {
        case .open(let connection) where !connection.isOutdated: return connection
        case .closed: throw StoreError(.closed, "the store was closed")
        case .open, .unopened:
            let connection = try open()
            slot = .open(connection)
            return connection
        }
    }

    func close() {
        for reader in readers {
            reader.slot.withLock { $0 = .closed }
        }
    }
}
