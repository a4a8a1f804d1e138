// SPDX-License-Identifier: MIT

import CSQLite
import RestEssentials

struct RowReader {
    /// The versions that are reached; others are damaged.
    private static let versions: ClosedRange<Int64> = 0...(.max / 2)

    let connection: Connection
    let sql: CollectionSQL

    func row(_ key: String, valueLimit: Int) throws(StoreError) -> SmallRow {
        let statement = try connection.statement(sql.read, key)
        // The read transaction lasts until the reset, so a large value matches its row.
        defer { statement.reset() }
        guard try statement.step() else {
            return .absent
        }
        let size = statement.int(5)
        guard size <= valueLimit else {
            return .large
        }
        let tags = statement.optionalData(6)
        let attributes = RowAttributes(
            metadata: statement.data(7),
            storedAt: statement.date(2),
            expiresAt: statement.optionalDate(3),
            tags: tags.map(TagList.decode) ?? []
        )
        let value =
            statement.isNull(8)
            ? try largeValue(of: key, row: statement.int64(0), count: size)
            : statement.data(8)
        let digest = RowDigest(key: key, attributes: attributes, tags: tags, value: value)
        guard value.count == size, digest.bits == statement.uint64(4),
            Self.versions.contains(statement.int64(1))
        else {
            throw StoreError(.corrupt, "the row does not match its checksum", file: connection.file, key: key)
        }
        return .row(Row(value: value, attributes: attributes, version: statement.uint64(1)))
    }

    private func largeValue(of key: String, row: Int64, count: Int) throws(StoreError) -> Data {
        do throws(StoreError) {
            return try connection.readBlob(table: sql.valuesTable, column: "value", row: row, count: count)
        } catch  where error.sqliteCode == nil || error.sqliteCode == SQLITE_ERROR {
            // It is missing, or it has another length or type: the row is damaged, and not the file.
            throw StoreError(
                .corrupt,
                "the row's large value is missing or damaged",
                file: connection.file,
                key: key,
                underlying: error
            )
        }
    }

    func summaries(_ page: RowPage) throws(StoreError) -> [RowSummary] {
        let query = page.tag == nil ? sql.list : sql.listTagged
        let upperBound = Statement.UpperBound(prefix: page.prefix)
        let statement = try connection.statement(query, page.prefix, upperBound, page.key, page.limit)
        defer { statement.reset() }
        if let tag = page.tag { try statement.bind(tag, at: 5) }
        var summaries: [RowSummary] = []
        while try statement.step() {
            let attributes = RowAttributes(
                metadata: statement.data(5),
                storedAt: statement.date(2),
                expiresAt: statement.optionalDate(3),
                tags: statement.optionalData(4).map(TagList.decode) ?? []
            )
            summaries.append(
                RowSummary(
                    key: statement.text(0),
                    attributes: attributes,
                    version: statement.uint64(1),
                    lastUsedAt: statement.date(6),
                    size: statement.int(7)
                )
            )
        }
        return summaries
    }

    func usage(instance: UInt64) throws(StoreError) -> RowUsage {
        let statement = try connection.statement(sql.head)
        defer { statement.reset() }
        let isThere = try statement.step()
        guard isThere, Self.versions.contains(statement.int64(2)) else {
            let reason = "the collection's head is \(isThere ? "damaged" : "missing")"
            throw StoreError(.corrupt, reason, file: connection.file, sqliteCode: SQLITE_CORRUPT)
        }
        // Within limits, so that no sum overflows even if the head is damaged.
        let limit = Int.max / 2
        return RowUsage(
            rows: min(max(0, statement.int(0)), limit),
            bytes: min(max(0, statement.int(1)), limit),
            version: statement.uint64(2),
            isLastWriterHere: statement.uint64(3) == instance
        )
    }

    func feed(after position: UInt64?, limit: Int, instance: UInt64) throws(StoreError) -> RowFeed {
        let bounds = try connection.statement(sql.feedBounds)
        defer { bounds.reset() }
        _ = try bounds.step()
        let first = bounds.uint64(0)
        let last = bounds.uint64(1)
        guard let position, position < last else {
            return RowFeed(entries: [], position: position ?? last, hasGap: false, hasMore: false)
        }
        let statement = try connection.statement(sql.readFeed, position, limit)
        defer { statement.reset() }
        var entries: [RowFeedEntry] = []
        while try statement.step() {
            entries.append(
                RowFeedEntry(
                    position: statement.uint64(0),
                    key: statement.text(1),
                    kind: RowFeedEntry.Kind(rawValue: statement.int(2)) ?? .put,
                    version: statement.uint64(3),
                    isFromHere: statement.uint64(4) == instance
                )
            )
        }
        let end = entries.last?.position ?? last
        return RowFeed(entries: entries, position: end, hasGap: first > position + 1, hasMore: end < last)
    }

    /// Returns the least recently used rows to remove; `suffice` is false if not even the removal of all rows would.
    func leastRecentlyUsed(
        leavingRows rows: Int,
        bytes: Int,
        of usage: RowUsage
    ) throws(StoreError) -> (victims: [UsedRow], suffice: Bool) {
        var victims: [UsedRow] = []
        var remaining = usage
        guard !usage.keeps(rows: rows, bytes: bytes) else {
            return ([], true)
        }
        let statement = try connection.statement(sql.leastRecentlyUsed)
        defer { statement.reset() }
        while !remaining.keeps(rows: rows, bytes: bytes), try statement.step() {
            let victim = UsedRow(id: statement.int64(0), usedAt: statement.date(1))
            victims.append(victim)
            // The size in the table of uses may be outdated, so the row's own is read.
            guard let size = try size(of: victim.id) else {
                continue
            }
            remaining.rows -= 1
            remaining.bytes -= size
        }
        return (victims, remaining.keeps(rows: rows, bytes: bytes))
    }

    private func size(of row: Int64) throws(StoreError) -> Int? {
        let statement = try connection.statement(sql.sizeOfRow, row)
        defer { statement.reset() }
        return try statement.step() ? statement.int(0) : nil
    }
}

/// A row that may be evicted, unless it was used since.
struct UsedRow: Sendable {
    let id: Int64
    let usedAt: Date
}

/// The result of a read that refuses to block for long.
package enum SmallRow: Sendable, Equatable {
    case row(Row)
    case absent
    /// The row exists, but its value is larger than the limit.
    case large
}
