// SPDX-License-Identifier: MIT

import RestEssentials

/// The rows of one collection in memory: the rules of a ``Backing`` as a pure value without a lock.
struct MemoryCollection {
    struct Stored {
        var row: Row
        var lastUsedAt: Date
        var size: Int
        /// Breaks ties of the last use in the order of insertion.
        var insertion: UInt64
    }

    /// The minimum number of entries in the change feed.
    static let feedLength = 4096

    let recordsChanges: Bool
    private(set) var rows: [RowKey: Stored] = [:]
    private var order = OrderedKeys()
    private(set) var feed: [RowFeedEntry] = []
    private(set) var position: UInt64 = 0
    private var bytes = 0
    private var version: UInt64 = 0
    private var insertions: UInt64 = 0

    init(recordsChanges: Bool) {
        self.recordsChanges = recordsChanges
    }

    var usage: RowUsage {
        RowUsage(rows: rows.count, bytes: bytes, version: version, isLastWriterHere: true)
    }

    // MARK: - Steps

    mutating func apply(_ steps: [RowStep]) -> RowCommit {
        let conflicts = steps.indices.filter { index in
            !steps[index].condition.holds(for: rows[RowKey(steps[index].key)]?.row.version)
        }
        guard conflicts.isEmpty else {
            return .conflict(steps: conflicts)
        }
        if !steps.isEmpty { version += 1 }
        let existed = steps.map { apply($0) }
        return .committed(version: version, existed: existed, usage: usage)
    }

    /// Applies a step whose condition holds; returns whether the row existed.
    private mutating func apply(_ step: RowStep) -> Bool {
        let key = RowKey(step.key)
        let old = rows[key]
        switch step {
        case .put(_, let value, let attributes, _):
            insertions += 1
            let size = key.string.utf8.count + attributes.metadata.count + value.count
            rows[key] = Stored(
                row: Row(value: value, attributes: attributes, version: version),
                lastUsedAt: max(old?.lastUsedAt ?? .distantPast, attributes.storedAt),
                size: size,
                insertion: old?.insertion ?? insertions
            )
            if old == nil {
                order.insert(key, count: rows.count)
            }
            bytes += size - (old?.size ?? 0)
            record(.put, key)
        case .refresh(_, let metadata, let storedAt, let expiresAt):
            guard var stored = old else {
                return false
            }
            stored.size += metadata.count - stored.row.attributes.metadata.count
            stored.row.attributes.metadata = metadata
            stored.row.attributes.storedAt = storedAt
            stored.lastUsedAt = max(stored.lastUsedAt, storedAt)
            stored.row.attributes.expiresAt = expiresAt
            stored.row.version = version
            bytes += stored.size - (old?.size ?? 0)
            rows[key] = stored
            record(.put, key)
        case .remove:
            guard let old else {
                return false
            }
            rows[key] = nil
            order.remove(count: rows.count)
            bytes -= old.size
            record(.remove, key)
        case .check: break
        }
        return old != nil
    }

    private mutating func record(_ kind: RowFeedEntry.Kind, _ key: RowKey) {
        guard recordsChanges else {
            return
        }
        position += 1
        feed.append(
            RowFeedEntry(position: position, key: key.string, kind: kind, version: version, isFromHere: true)
        )
        if feed.count >= 2 * Self.feedLength { feed.removeFirst(feed.count - Self.feedLength) }
    }

    mutating func touch(_ uses: [(key: String, at: Date)]) {
        for use in uses { rows[RowKey(use.key)]?.lastUsedAt = use.at }
    }

    // MARK: - Removal

    mutating func remove(_ selection: RowSelection) -> RowRemoval {
        remove(rows.filter { selection.holds(for: $0.key, $0.value.row.attributes) }.map(\.key))
    }

    mutating func evict(toRows limit: Int, bytes byteLimit: Int) -> RowRemoval {
        var remaining = usage
        guard !remaining.keeps(rows: limit, bytes: byteLimit) else {
            return remove([])
        }
        var victims: [RowKey] = []
        let oldestFirst = rows.sorted {
            ($0.value.lastUsedAt, $0.value.insertion) < ($1.value.lastUsedAt, $1.value.insertion)
        }
        for (key, stored) in oldestFirst where !remaining.keeps(rows: limit, bytes: byteLimit) {
            victims.append(key)
            remaining.rows -= 1
            remaining.bytes -= stored.size
        }
        return remove(victims)
    }

    private mutating func remove(_ keys: [RowKey]) -> RowRemoval {
        var removal = RowRemoval(rows: 0, bytes: 0, usage: usage)
        if !keys.isEmpty { version += 1 }
        for key in keys.sorted() {
            guard let old = rows.removeValue(forKey: key) else {
                continue
            }
            order.remove(count: rows.count)
            removal.rows += 1
            removal.bytes += old.size
            bytes -= old.size
            if recordsChanges { removal.keys.append(key.string) }
            record(.remove, key)
        }
        removal.usage = usage
        return removal
    }

    // MARK: - Reading

    mutating func summaries(_ page: RowPage) -> [RowSummary] {
        let prefix = RowKey(page.prefix)
        let after = page.key.map(RowKey.init)
        var summaries: [RowSummary] = []
        for key in order.keys(from: max(prefix, after ?? prefix), in: rows) {
            guard summaries.count < page.limit, key.hasPrefix(prefix) else {
                break
            }
            guard key != after, let stored = rows[key],
                page.tag.map(stored.row.attributes.has(tag:)) ?? true
            else {
                continue
            }
            summaries.append(Self.summary(key, stored))
        }
        return summaries
    }

    func summary(_ key: RowKey) -> RowSummary? {
        rows[key].map { Self.summary(key, $0) }
    }

    private static func summary(_ key: RowKey, _ stored: Stored) -> RowSummary {
        RowSummary(
            key: key.string,
            attributes: stored.row.attributes,
            version: stored.row.version,
            lastUsedAt: stored.lastUsedAt,
            size: stored.size
        )
    }

    func changes(after position: UInt64?) -> RowFeed {
        guard let position, position < self.position else {
            return RowFeed(entries: [], position: position ?? self.position, hasGap: false, hasMore: false)
        }
        let entries = feed.filter { $0.position > position }
        let hasGap = entries.first.map { $0.position > position + 1 } ?? false
        return RowFeed(entries: entries, position: self.position, hasGap: hasGap, hasMore: false)
    }
}

/// The keys of a collection in the order of their bytes, which the first listing sorts; later ones merge in the keys
/// that were inserted since, and skip those that were removed: a pure value.
struct OrderedKeys {
    /// The keys at the time of the last listing, sorted; `nil` before the first one.
    private var sorted: [RowKey]?
    /// The keys that were inserted since, in any order; some may be in `sorted`, too.
    private var inserted: [RowKey] = []
    private var removed = 0

    /// Records that a key was inserted into a collection of that many rows.
    mutating func insert(_ key: RowKey, count: Int) {
        guard sorted != nil else {
            return
        }
        inserted.append(key)
        forgetIfStale(count)
    }

    /// Records that a key was removed from a collection that has that many rows left.
    mutating func remove(count: Int) {
        guard sorted != nil else {
            return
        }
        removed += 1
        forgetIfStale(count)
    }

    /// Forgets the order once more keys have changed than there are: sorting again then costs no more than merging.
    private mutating func forgetIfStale(_ count: Int) {
        if inserted.count + removed > count {
            self = OrderedKeys()
        }
    }

    /// Returns the keys in order, from the first one that is not below a bound.
    ///
    /// Keys without a row may still be in the result.
    mutating func keys<Value>(from bound: RowKey, in rows: [RowKey: Value]) -> ArraySlice<RowKey> {
        let keys = upToDate(rows)
        sorted = keys
        inserted = []
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < bound {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return keys[low...]
    }

    private mutating func upToDate<Value>(_ rows: [RowKey: Value]) -> [RowKey] {
        guard let sorted else {
            removed = 0
            return rows.keys.sorted()
        }
        guard !inserted.isEmpty else {
            return sorted
        }
        removed = 0
        var last: RowKey?
        // Two sorted runs are merged in linear time.
        return (sorted + inserted.sorted()).sorted()
            .filter { key in
                defer { last = key }
                return key != last && rows[key] != nil
            }
    }
}
