// SPDX-License-Identifier: MIT

import RestEssentials

/// One write transaction, shared by the jobs that were grouped into it.
///
/// It is used under the write connection's lock only.
final class WriteSession {
    /// The number of entries in a change feed.
    static let feedLength: UInt64 = 4096

    private static let beginning = Query("BEGIN IMMEDIATE")
    private static let end = Query("COMMIT")

    let connection: Connection
    let instance: UInt64
    private var heads: [(sql: CollectionSQL, usage: RowUsage)] = []

    /// The heads that others wrote before this transaction.
    private(set) var foreignHeads: [(collection: RowCollection, version: UInt64)] = []

    /// A Boolean value that tells whether a collection has a new version.
    private(set) var hasNewVersion = false

    /// A Boolean value that tells whether the current job has changed anything.
    ///
    /// Then its failure spoils the transaction.
    var hasWritten = false

    init(connection: Connection, instance: UInt64) {
        self.connection = connection
        self.instance = instance
    }

    /// Begins the transaction; waits for other processes up to the busy timeout.
    func begin() throws(StoreError) {
        try connection.statement(Self.beginning).run()
    }

    /// Writes the collections' heads and commits.
    func commit() throws(StoreError) {
        for (sql, usage) in heads {
            let statement = try connection.statement(sql.updateHead)
            statement.bind(usage.rows, at: 1)
            statement.bind(usage.bytes, at: 2)
            statement.bind(usage.version, at: 3)
            statement.bind(instance, at: 4)
            try statement.run()
        }
        try connection.statement(Self.end).run()
    }

    /// Returns the collection's present head within the transaction.
    func usage(of sql: CollectionSQL) throws(StoreError) -> RowUsage {
        heads[try headIndex(sql)].usage
    }

    private func headIndex(_ sql: CollectionSQL) throws(StoreError) -> Int {
        if let index = heads.firstIndex(where: { $0.sql.collection == sql.collection }) { return index }
        let usage = try RowReader(connection: connection, sql: sql).usage(instance: instance)
        if !usage.isLastWriterHere, usage.version > 0 { foreignHeads.append((sql.collection, usage.version)) }
        heads.append((sql, usage))
        return heads.count - 1
    }

    func nextVersion(_ sql: CollectionSQL) throws(StoreError) -> UInt64 {
        let index = try headIndex(sql)
        heads[index].usage.version += 1
        hasNewVersion = true
        heads[index].usage.isLastWriterHere = true
        hasWritten = true
        return heads[index].usage.version
    }

    func account(_ sql: CollectionSQL, rows: Int, bytes: Int) throws(StoreError) {
        let index = try headIndex(sql)
        heads[index].usage.rows += rows
        heads[index].usage.bytes += bytes
    }

    // MARK: - Steps

    /// The state of a row before a step.
    private struct Found {
        let id: Int64
        let version: UInt64
        let size: Int
        let tags: Data?
        let digest: RowDigest
        let isLarge: Bool
        let metadataSize: Int
        let expiresAt: Date?

        /// Returns whether a row that expires then must be found earlier than so far.
        func expiresLater(than date: Date?) -> Bool {
            guard let date else {
                return false
            }
            return expiresAt.map { date < $0 } ?? true
        }
    }

    private func find(_ key: String, _ sql: CollectionSQL) throws(StoreError) -> Found? {
        let statement = try connection.statement(sql.find)
        defer { statement.reset() }
        try statement.bind(key, at: 1)
        guard try statement.step() else {
            return nil
        }
        return Found(
            id: statement.int64(0),
            version: statement.uint64(1),
            size: statement.int(2),
            tags: statement.isNull(3) ? nil : statement.data(3),
            digest: RowDigest(bits: statement.uint64(4)),
            isLarge: statement.int(5) != 0,
            metadataSize: statement.int(6),
            expiresAt: statement.optionalDate(7)
        )
    }

    /// Applies the steps, or none of them when a condition does not hold.
    func apply(_ steps: [RowStep], _ sql: CollectionSQL) throws(StoreError) -> RowCommit {
        var conflicts: [Int] = []
        for (index, step) in steps.enumerated() where step.condition != .any {
            let found = try find(step.key, sql)
            let holds =
                switch step.condition {
                case .any: true
                case .absent: found == nil
                case .version(let version): found?.version == version
                }
            if !holds { conflicts.append(index) }
        }
        guard conflicts.isEmpty else {
            return .conflict(steps: conflicts)
        }
        var existed: [Bool] = []
        var version = try usage(of: sql).version
        if !steps.isEmpty { version = try nextVersion(sql) }
        for step in steps {
            switch step {
            case .put(let key, let value, let attributes, _):
                existed.append(try put(key, value, attributes, version, sql))
            case .refresh(let key, let metadata, let storedAt, let expiresAt):
                existed.append(try refresh(key, metadata, storedAt, expiresAt, version, sql))
            case .remove(let key, _):
                let found = try find(key, sql)
                existed.append(found != nil)
                if let found {
                    try delete(found.id, sql)
                    try appendFeed(.remove, key, version, sql)
                }
            case .check(let key, _):
                existed.append(try find(key, sql) != nil)
            }
        }
        return .committed(version: version, existed: existed, usage: try usage(of: sql))
    }

    private func put(
        _ key: String,
        _ value: Data,
        _ attributes: RowAttributes,
        _ version: UInt64,
        _ sql: CollectionSQL
    ) throws(StoreError) -> Bool {
        let found = try find(key, sql)
        let tags = TagList.encode(attributes.tags)
        let isLarge = value.count > CollectionSQL.inlineLimit
        let size = key.utf8.count + attributes.metadata.count + value.count
        let statement = try connection.statement(found == nil ? sql.insert : sql.update)
        // The update takes the row's identifier where the insertion takes the key.
        if let found { statement.bind(found.id, at: 1) } else { try statement.bind(key, at: 1) }
        statement.bind(version, at: 2)
        statement.bind(attributes.storedAt, at: 3)
        statement.bind(attributes.expiresAt, at: 4)
        statement.bind(RowDigest(key: key, attributes: attributes, tags: tags, value: value).bits, at: 5)
        statement.bind(value.count, at: 6)
        if let tags { try statement.bind(tags, at: 7) } else { statement.bindNull(at: 7) }
        try statement.bind(attributes.metadata, at: 8)
        if isLarge { statement.bindNull(at: 9) } else { try statement.bind(value, at: 9) }
        let oldSize = found.map { key.utf8.count + $0.metadataSize + $0.size } ?? 0
        try statement.run()
        let id = found?.id ?? connection.lastInsertedRow

        if let found {
            if found.expiresLater(than: attributes.expiresAt) {
                try updateExpiry(id, attributes.expiresAt, size, sql)
            }
        } else {
            let use = try connection.statement(sql.insertUse)
            use.bind(id, at: 1)
            use.bind(attributes.storedAt, at: 2)
            use.bind(attributes.expiresAt, at: 3)
            use.bind(size, at: 4)
            try use.run()
        }

        if found?.tags != tags {
            try removeTags(found?.tags, id, sql)
            for tag in attributes.tags {
                let insertion = try connection.statement(sql.insertTag)
                try insertion.bind(tag, at: 1)
                insertion.bind(id, at: 2)
                try insertion.run()
            }
        }
        if isLarge {
            let insertion = try connection.statement(sql.insertValue)
            insertion.bind(id, at: 1)
            try insertion.bind(zeroBytes: value.count, at: 2)
            try insertion.run()
            try connection.writeBlob(value, table: sql.valuesTable, column: "value", row: id)
        } else if found?.isLarge == true {
            try run(sql.deleteValue, id)
        }
        try account(sql, rows: found == nil ? 1 : 0, bytes: size - oldSize)
        try appendFeed(.put, key, version, sql)
        return found != nil
    }

    private func refresh(
        _ key: String,
        _ metadata: Data,
        _ storedAt: Date,
        _ expiresAt: Date?,
        _ version: UInt64,
        _ sql: CollectionSQL
    ) throws(StoreError) -> Bool {
        guard let found = try find(key, sql) else {
            return false
        }
        let attributes = RowAttributes(metadata: metadata, storedAt: storedAt, expiresAt: expiresAt)
        let size = key.utf8.count + metadata.count + found.size
        let oldSize = key.utf8.count + found.metadataSize + found.size
        let statement = try connection.statement(sql.refresh)
        statement.bind(found.id, at: 1)
        statement.bind(version, at: 2)
        statement.bind(storedAt, at: 3)
        statement.bind(expiresAt, at: 4)
        statement.bind(found.digest.refreshed(key: key, attributes: attributes, tags: found.tags).bits, at: 5)
        try statement.bind(metadata, at: 6)
        try statement.run()
        if found.expiresLater(than: expiresAt) { try updateExpiry(found.id, expiresAt, size, sql) }
        try account(sql, rows: 0, bytes: size - oldSize)
        try appendFeed(.put, key, version, sql)
        return true
    }

    private func updateExpiry(_ id: Int64, _ date: Date?, _ size: Int, _ sql: CollectionSQL) throws(StoreError) {
        let statement = try connection.statement(sql.updateExpiry)
        statement.bind(id, at: 1)
        statement.bind(date, at: 2)
        statement.bind(size, at: 3)
        try statement.run()
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
        let statement = try connection.statement(sql.appendFeed)
        try statement.bind(key, at: 1)
        statement.bind(kind.rawValue, at: 2)
        statement.bind(version, at: 3)
        statement.bind(instance, at: 4)
        try statement.run()
        let position = UInt64(bitPattern: connection.lastInsertedRow)
        guard position.isMultiple(of: 512), position > Self.feedLength else {
            return
        }
        let trim = try connection.statement(sql.trimFeed)
        trim.bind(position - Self.feedLength, at: 1)
        try trim.run()
    }
}
