// SPDX-License-Identifier: MIT
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension WriteSession {
    /// Removes a row and all that belongs to it; returns its size, or `nil` when it is gone or was used since.
    @discardableResult
    func delete(_ id: Int64, unusedSince usedAt: Date? = nil, _ sql: CollectionSQL) throws(StoreError) -> Int? {
        let statement = try connection.statement(sql.describe)
        statement.bind(id, at: 1)
        guard try statement.step() else {
            statement.reset()
            return nil
        }
        let tags = statement.isNull(1) ? nil : statement.data(1)
        let isLarge = statement.int(2) != 0
        let size = statement.int(3)
        let lastUsedAt = statement.date(4)
        statement.reset()
        if let usedAt, lastUsedAt > usedAt { return nil }
        hasWritten = true
        try run(sql.delete, id)
        try run(sql.deleteUse, id)
        try removeTags(tags, id, sql)
        if isLarge { try run(sql.deleteValue, id) }
        try account(sql, rows: -1, bytes: -size)
        return size
    }

    func removeTags(_ tags: Data?, _ id: Int64, _ sql: CollectionSQL) throws(StoreError) {
        guard let tags else { return }
        for tag in TagList.decode(tags) {
            let statement = try connection.statement(sql.deleteTag)
            try statement.bind(tag, at: 1)
            statement.bind(id, at: 2)
            try statement.run()
        }
    }

    func run(_ text: String, _ id: Int64) throws(StoreError) {
        let statement = try connection.statement(text)
        statement.bind(id, at: 1)
        try statement.run()
    }

    /// Removes up to so many of the rows selected.
    func remove(_ selection: RowSelection, limit: Int, _ sql: CollectionSQL) throws(StoreError) -> RowRemoval {
        if selection == .all, limit == .max { return try removeAll(sql) }
        let statement: Statement
        switch selection {
        case .all:
            statement = try connection.statement(sql.all)
            statement.bind(limit, at: 1)
        case .prefix(let prefix):
            statement = try connection.statement(sql.prefixed)
            try statement.bind(prefix, at: 1)
            try RowReader.bind(upperBoundOf: prefix, to: statement, at: 2)
            statement.bind(limit, at: 3)
        case .tag(let tag):
            statement = try connection.statement(sql.tagged)
            try statement.bind(tag, at: 1)
            statement.bind(limit, at: 2)
        case .expired(let date):
            statement = try connection.statement(sql.expired)
            statement.bind(date, at: 1)
            statement.bind(limit, at: 2)
        }
        var identifiers: [Int64] = []
        while try statement.step() { identifiers.append(statement.int64(0)) }
        statement.reset()
        return try remove(identifiers.map { UsedRow(id: $0, usedAt: .distantFuture) }, sql)
    }

    /// Removes rows unless they were used since.
    func remove(_ rows: [UsedRow], _ sql: CollectionSQL) throws(StoreError) -> RowRemoval {
        var removal = RowRemoval(rows: 0, bytes: 0, usage: try usage(of: sql))
        var version: UInt64?
        for row in rows {
            let key = sql.collection.recordsChanges ? try self.key(of: row.id, sql) : nil
            guard let size = try delete(row.id, unusedSince: row.usedAt, sql) else { continue }
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
        let statement = try connection.statement(sql.describe)
        defer { statement.reset() }
        statement.bind(id, at: 1)
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
        for statement in sql.clear { try connection.statement(statement).run() }
        try account(sql, rows: -before.rows, bytes: -before.bytes)
        return RowRemoval(rows: before.rows, bytes: before.bytes, keys: keys, usage: try usage(of: sql))
    }

    /// Notes last uses; does not count as a commit of the collection, as nothing that anyone reads has changed.
    func touch(_ uses: [(key: String, at: Date)], _ sql: CollectionSQL) throws(StoreError) {
        guard !uses.isEmpty else { return }
        hasWritten = true
        for use in uses {
            let statement = try connection.statement(sql.touch)
            try statement.bind(use.key, at: 1)
            statement.bind(use.at, at: 2)
            try statement.run()
        }
    }
}
