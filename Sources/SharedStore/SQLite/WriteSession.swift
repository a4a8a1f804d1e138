// SPDX-License-Identifier: MIT

import RestEssentials

/// One write transaction, shared by the jobs that were grouped into it; used under the connection's lock only.
final class WriteSession {
    static let feedLength: UInt64 = 4096

    private static let beginning = Query("BEGIN IMMEDIATE")
    private static let end = Query("COMMIT")

    let connection: Connection
    let instance: UInt64
    private var heads: [(sql: CollectionSQL, usage: RowUsage, hasChanged: Bool)] = []
    private(set) var foreignHeads: [(collection: RowCollection, version: UInt64)] = []
    private(set) var hasNewVersion = false

    /// True if the current job has changed anything, so that its failure spoils the transaction.
    var hasWritten = false

    init(connection: Connection, instance: UInt64) {
        self.connection = connection
        self.instance = instance
    }

    /// Begins the transaction; waits for other processes up to the busy timeout.
    func begin() throws(StoreError) {
        try connection.run(Self.beginning)
    }

    /// Writes the heads of the collections that have changed, and commits: a store that cannot be written can be used
    /// until something changes.
    func commit() throws(StoreError) {
        // A size below zero shows that the head or a removed row was damaged.
        for head in heads where min(head.usage.rows, head.usage.bytes) < 0 { _ = try recount(head.sql) }
        for (sql, usage, hasChanged) in heads where hasChanged {
            try connection.run(sql.updateHead, usage.rows, usage.bytes, usage.version, instance)
        }
        try connection.run(Self.end)
    }

    func usage(of sql: CollectionSQL) throws(StoreError) -> RowUsage {
        heads[try headIndex(sql)].usage
    }

    private func headIndex(_ sql: CollectionSQL) throws(StoreError) -> Int {
        if let index = heads.firstIndex(where: { $0.sql.collection == sql.collection }) { return index }
        let usage = try RowReader(connection: connection, sql: sql).usage(instance: instance)
        if !usage.isLastWriterHere, usage.version > 0 { foreignHeads.append((sql.collection, usage.version)) }
        heads.append((sql, usage, false))
        return heads.count - 1
    }

    func nextVersion(_ sql: CollectionSQL) throws(StoreError) -> UInt64 {
        let index = try headIndex(sql)
        heads[index].usage.version += 1
        hasNewVersion = true
        heads[index].usage.isLastWriterHere = true
        heads[index].hasChanged = true
        hasWritten = true
        return heads[index].usage.version
    }

    func account(_ sql: CollectionSQL, rows: Int, bytes: Int) throws(StoreError) {
        let index = try headIndex(sql)
        heads[index].usage.rows += rows
        heads[index].usage.bytes += bytes
        heads[index].hasChanged = true
    }

    // MARK: - Steps

    private struct Found {
        let id: Int64
        let version: UInt64
        let size: Int
        let tags: Data?
        let digest: RowDigest
        let isLarge: Bool
        let metadataSize: Int
        let expiresAt: Date?

        /// Returns true if a row with the given expiry must be found earlier than before.
        func expiresLater(than date: Date?) -> Bool {
            guard let date else {
                return false
            }
            return expiresAt.map { date < $0 } ?? true
        }
    }

    private func find(_ key: String, _ sql: CollectionSQL) throws(StoreError) -> Found? {
        let statement = try connection.statement(sql.find, key)
        defer { statement.reset() }
        guard try statement.step() else {
            return nil
        }
        return Found(
            id: statement.int64(0),
            version: statement.uint64(1),
            size: statement.int(2),
            tags: statement.optionalData(3),
            digest: RowDigest(bits: statement.uint64(4)),
            isLarge: statement.int(5) != 0,
            metadataSize: statement.int(6),
            expiresAt: statement.optionalDate(7)
        )
    }

    /// Applies the steps, or none of them when a condition does not hold.
    func apply(_ steps: [PreparedStep], _ sql: CollectionSQL) throws(StoreError) -> RowCommit {
        var conflicts: [Int] = []
        // What the conditions found.
        var checked: [RowKey: Found?] = [:]
        for (index, prepared) in steps.enumerated() where prepared.step.condition != .any {
            let step = prepared.step
            let found = try find(step.key, sql)
            checked.updateValue(found, forKey: RowKey(step.key))
            if !step.condition.holds(for: found?.version) { conflicts.append(index) }
        }
        guard conflicts.isEmpty else {
            return .conflict(steps: conflicts)
        }
        var existed: [Bool] = []
        var version = try usage(of: sql).version
        if !steps.isEmpty { version = try nextVersion(sql) }
        for prepared in steps {
            let step = prepared.step
            let found: Found?
            if !checked.isEmpty, let known = Self.known(to: step, in: &checked) {
                found = known
            } else {
                found = try find(step.key, sql)
            }
            existed.append(found != nil)
            switch step {
            case .put(let key, let value, let attributes, _):
                try put(key, value, attributes, prepared, version, over: found, sql)
            case .refresh(let key, let metadata, let storedAt, let expiresAt):
                guard let found else {
                    break
                }
                try refresh(found, key, metadata, storedAt, expiresAt, version, sql)
            case .remove(let key, _):
                guard let found else {
                    break
                }
                try delete(found.id, sql)
                try appendFeed(.remove, key, version, sql)
            case .check:
                break
            }
        }
        return .committed(version: version, existed: existed, usage: try usage(of: sql))
    }

    /// Returns what a condition found for the key of a step, unless an earlier step may have changed the row.
    private static func known(to step: RowStep, in checked: inout [RowKey: Found?]) -> Found?? {
        let key = RowKey(step.key)
        if case .check = step { return checked[key] }
        return checked.removeValue(forKey: key)
    }

    private func put(
        _ key: String,
        _ value: Data,
        _ attributes: RowAttributes,
        _ prepared: PreparedStep,
        _ version: UInt64,
        over found: Found?,
        _ sql: CollectionSQL
    ) throws(StoreError) {
        let tags = prepared.tags
        let isLarge = value.count > CollectionSQL.inlineLimit
        let size = key.utf8.count + attributes.metadata.count + value.count
        let oldSize = found.map { key.utf8.count + $0.metadataSize + $0.size } ?? 0
        let digest = prepared.digest ?? RowDigest(key: key, attributes: attributes, tags: tags, value: value)
        let (storedAt, expiresAt) = (attributes.storedAt, attributes.expiresAt)
        let inlined = isLarge ? nil : value
        // The update takes the row's identifier where the insertion takes the key.
        let statement = try connection.statement(found == nil ? sql.insert : sql.update)
        if let found { try statement.bind(found.id, at: 1) } else { try statement.bind(key, at: 1) }
        // One by one, because a list of values of several types is bound more slowly.
        try statement.bind(version, at: 2)
        try statement.bind(storedAt, at: 3)
        try statement.bind(expiresAt, at: 4)
        try statement.bind(digest.bits, at: 5)
        try statement.bind(value.count, at: 6)
        try statement.bind(tags, at: 7)
        try statement.bind(attributes.metadata, at: 8)
        try statement.bind(inlined, at: 9)
        try statement.run()
        let id = found?.id ?? connection.lastInsertedRow

        if found == nil {
            try connection.run(sql.insertUse, id, storedAt, expiresAt, size)
        } else if found?.expiresLater(than: expiresAt) == true {
            try connection.run(sql.updateExpiry, id, expiresAt, size)
        }

        if found?.tags != tags {
            try removeTags(found?.tags, id, sql)
            for tag in attributes.tags {
                try connection.run(sql.insertTag, tag, id)
            }
        }
        if isLarge {
            try connection.run(sql.insertValue, id, Statement.ZeroBytes(count: value.count))
            try connection.writeBlob(value, table: sql.valuesTable, column: "value", row: id)
        } else if found?.isLarge == true {
            try connection.run(sql.deleteValue, id)
        }
        try account(sql, rows: found == nil ? 1 : 0, bytes: size - oldSize)
        try appendFeed(.put, key, version, sql)
    }

    private func refresh(
        _ found: Found,
        _ key: String,
        _ metadata: Data,
        _ storedAt: Date,
        _ expiresAt: Date?,
        _ version: UInt64,
        _ sql: CollectionSQL
    ) throws(StoreError) {
        let attributes = RowAttributes(metadata: metadata, storedAt: storedAt, expiresAt: expiresAt)
        let size = key.utf8.count + metadata.count + found.size
        let oldSize = key.utf8.count + found.metadataSize + found.size
        let digest = found.digest.refreshed(key: key, attributes: attributes, tags: found.tags).bits
        try connection.run(sql.refresh, found.id, version, storedAt, expiresAt, digest, metadata)
        if found.expiresLater(than: expiresAt) { try connection.run(sql.updateExpiry, found.id, expiresAt, size) }
        try account(sql, rows: 0, bytes: size - oldSize)
        try appendFeed(.put, key, version, sql)
    }

    // MARK: - Feed

    func appendFeed(
        _ kind: RowFeedEntry.Kind,
        _ key: String,
        _ version: UInt64,
        _ sql: CollectionSQL
    ) throws(StoreError) {
        guard sql.collection.recordsChanges else {
            return
        }
        try connection.run(sql.appendFeed, key, kind.rawValue, version, instance)
        let position = UInt64(bitPattern: connection.lastInsertedRow)
        guard position.isMultiple(of: 512), position > Self.feedLength else {
            return
        }
        try connection.run(sql.trimFeed, position - Self.feedLength)
    }
}

extension WriteSession {
    private static let readLease = Query("SELECT owner, expires_at FROM leases WHERE name = ?1")
    private static let writeLease = Query("INSERT OR REPLACE INTO leases VALUES (?1, ?2, ?3)")
    private static let dropLease = Query("DELETE FROM leases WHERE name = ?1 AND owner = ?2")
    private static let dropEndedLeases = Query("DELETE FROM leases WHERE expires_at <= ?1")

    func acquireLease(_ name: String, owner: String, until: Date, now: Date) throws(StoreError) -> Lease? {
        let current = try lease(name)
        guard let granted = Lease(name, owner: owner, until: until, now: now, after: current) else {
            return nil
        }
        hasWritten = true
        try connection.run(Self.writeLease, name, owner, until)
        return granted
    }

    /// Removes a released lease, and all leases that have expired.
    func dropLease(_ lease: Lease, now: Date) throws(StoreError) {
        hasWritten = true
        try connection.run(Self.dropLease, lease.name, lease.owner)
        try connection.run(Self.dropEndedLeases, now)
    }

    private func lease(_ name: String) throws(StoreError) -> Lease? {
        let statement = try connection.statement(Self.readLease, name)
        defer { statement.reset() }
        return try statement.step() ? Lease(name: name, owner: statement.text(0), expiresAt: statement.date(1)) : nil
    }
}

/// A step with what can be computed before its transaction, so that one writer has less to do for many callers.
struct PreparedStep: Sendable {
    /// The size of a value above which its checksum is left to the writer, because the caller may be the main actor.
    private static let sizeLimit = 64 * 1024

    let step: RowStep
    /// The stored form of the row's tags; `nil` for none, or if the step writes no row.
    let tags: Data?
    /// The row's checksum; `nil` if it is left to the writer, or if the step writes no row.
    let digest: RowDigest?

    init(_ step: RowStep) {
        self.step = step
        guard case .put(let key, let value, let attributes, _) = step else {
            self.tags = nil
            self.digest = nil
            return
        }
        let encoded = TagList.encode(attributes.tags)
        let isSmall = max(value.count, attributes.metadata.count) <= Self.sizeLimit
        self.tags = encoded
        self.digest = isSmall ? RowDigest(key: key, attributes: attributes, tags: encoded, value: value) : nil
    }
}
