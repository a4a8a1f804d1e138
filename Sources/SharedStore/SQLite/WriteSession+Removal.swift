// SPDX-License-Identifier: MIT

import RestEssentials

extension WriteSession {
    /// The condition for the removal of a row that was found through the table of uses.
    enum Reason {
        case selected
        /// The row was not used after this time.
        case unusedSince(Date)
        case expired(by: Date)

        fileprivate func holds(lastUsedAt: Date, expiresAt: Date?) -> Bool {
            switch self {
            case .selected: true
            case .unusedSince(let date): lastUsedAt <= date
            case .expired(let date): expiresAt.map { $0 <= date } ?? false
            }
        }
    }

    /// Removes a row and everything that belongs to it; `nil` if it does not exist or the condition does not hold.
    ///
    /// In the latter case the table of uses is corrected, so that the row is not found again for the same reason.
    @discardableResult
    func delete(_ id: Int64, because reason: Reason = .selected, _ sql: CollectionSQL) throws(StoreError) -> Int? {
        let statement = try connection.statement(sql.describe, id)
        guard try statement.step() else {
            statement.reset()
            // After damage, the table of uses may list a row that does not exist; it must not be found again.
            hasWritten = true
            try connection.run(sql.deleteUse, id)
            return nil
        }
        let tags = statement.optionalData(1)
        let isLarge = statement.int(2) != 0
        let size = statement.int(3)
        let lastUsedAt = statement.date(4)
        let expiresAt = statement.optionalDate(5)
        statement.reset()
        hasWritten = true
        guard reason.holds(lastUsedAt: lastUsedAt, expiresAt: expiresAt) else {
            try connection.run(sql.updateUse, id, lastUsedAt, expiresAt, size)
            return nil
        }
        try connection.run(sql.delete, id)
        try connection.run(sql.deleteUse, id)
        try removeTags(tags, id, sql)
        if isLarge { try connection.run(sql.deleteValue, id) }
        try account(sql, rows: -1, bytes: -size)
        return size
    }

    func removeTags(_ tags: Data?, _ id: Int64, _ sql: CollectionSQL) throws(StoreError) {
        for tag in tags.map(TagList.decode) ?? [] { try connection.run(sql.deleteTag, tag, id) }
    }

    struct RemovalStep: Sendable {
        var removal: RowRemoval
        var hasMore: Bool
    }

    func remove(_ selection: RowSelection, limit: Int, _ sql: CollectionSQL) throws(StoreError) -> RemovalStep {
        if selection == .all, limit == .max { return RemovalStep(removal: try removeAll(sql), hasMore: false) }
        let statement: Statement
        var reason = Reason.selected
        switch selection {
        case .all:
            statement = try connection.statement(sql.all, limit)
        case .prefix(let prefix):
            statement = try connection.statement(sql.prefixed, prefix, Statement.UpperBound(prefix: prefix), limit)
        case .tag(let tag):
            statement = try connection.statement(sql.tagged, tag, limit)
        case .expired(let date):
            statement = try connection.statement(sql.expired, date, limit)
            reason = .expired(by: date)
        }
        var rows: [(id: Int64, reason: Reason)] = []
        while try statement.step() { rows.append((statement.int64(0), reason)) }
        statement.reset()
        let removal = try remove(rows, sql)
        // After damage, the tag may list rows that do not exist or do not have it.
        if case .tag(let tag) = selection {
            for row in rows { try connection.run(sql.deleteTag, tag, row.id) }
        }
        return RemovalStep(removal: removal, hasMore: rows.count == limit)
    }

    /// Removes rows unless they were used since, until these limits hold.
    func remove(
        _ rows: [UsedRow],
        untilRows limit: Int,
        bytes: Int,
        _ sql: CollectionSQL
    ) throws(StoreError) -> RowRemoval {
        try remove(rows.map { ($0.id, .unusedSince($0.usedAt)) }, sql) { $0.keeps(rows: limit, bytes: bytes) }
    }

    private func remove(
        _ rows: [(id: Int64, reason: Reason)],
        _ sql: CollectionSQL,
        until isDone: (RowUsage) -> Bool = { _ in false }
    ) throws(StoreError) -> RowRemoval {
        var removal = RowRemoval(rows: 0, bytes: 0, usage: try usage(of: sql))
        var version: UInt64?
        for row in rows {
            if isDone(try usage(of: sql)) { break }
            let key = sql.collection.recordsChanges ? try self.key(of: row.id, sql) : nil
            guard let size = try delete(row.id, because: row.reason, sql) else {
                continue
            }
            removal.rows += 1
            removal.bytes += size
            let current: UInt64
            if let version { current = version } else { current = try nextVersion(sql) }
            version = current
            if let key {
                removal.keys.append(key)
                try appendFeed(.remove, key, current, sql)
            }
        }
        removal.usage = try usage(of: sql)
        return removal
    }

    private func key(of id: Int64, _ sql: CollectionSQL) throws(StoreError) -> String? {
        let statement = try connection.statement(sql.describe, id)
        defer { statement.reset() }
        return try statement.step() ? statement.text(0) : nil
    }

    private func removeAll(_ sql: CollectionSQL) throws(StoreError) -> RowRemoval {
        let before = try usage(of: sql)
        let version = try nextVersion(sql)
        var keys: [String] = []
        if sql.collection.recordsChanges {
            let list = try connection.statement(sql.allKeys)
            while try list.step() { keys.append(list.text(0)) }
            list.reset()
            for key in keys { try appendFeed(.remove, key, version, sql) }
        }
        for query in sql.clear { try connection.run(query) }
        try account(sql, rows: -before.rows, bytes: -before.bytes)
        return RowRemoval(rows: before.rows, bytes: before.bytes, keys: keys, usage: try usage(of: sql))
    }

    /// Counts the rows, and makes the table of uses list each of them once, after damage.
    func recount(_ sql: CollectionSQL) throws(StoreError) -> RowUsage {
        hasWritten = true
        for query in sql.repairUses { try connection.run(query) }
        let statement = try connection.statement(sql.count)
        defer { statement.reset() }
        _ = try statement.step()
        let before = try usage(of: sql)
        try account(sql, rows: statement.int(0) - before.rows, bytes: statement.int(1) - before.bytes)
        return try usage(of: sql)
    }

    /// Records the last uses of rows: no commit of the collection, because the visible contents do not change.
    func touch(_ uses: [(key: String, at: Date)], _ sql: CollectionSQL) throws(StoreError) {
        guard !uses.isEmpty else {
            return
        }
        hasWritten = true
        for use in uses {
            try connection.run(sql.touch, use.key, use.at)
        }
    }
}
