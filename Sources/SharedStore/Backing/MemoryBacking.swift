// SPDX-License-Identifier: MIT
import Synchronization

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The engine without a file: the same rules on dictionaries under one lock.
package final class MemoryBacking: EmbeddedBacking {
    /// A row and what is known of its use.
    private struct Stored {
        var row: Row
        var lastUsedAt: Date
        var size: Int
        /// Breaks ties of the last use in the order of insertion.
        var order: UInt64
    }

    private struct Collection {
        var rows: [RowKey: Stored] = [:]
        var bytes = 0
        var version: UInt64 = 0
        var feed: [RowFeedEntry] = []
        var position: UInt64 = 0

        var usage: RowUsage {
            RowUsage(rows: rows.count, bytes: bytes, version: version, isLastWriterHere: true)
        }
    }

    private struct State {
        var collections: [RowCollection: Collection] = [:]
        var leases: [RowKey: Lease] = [:]
        var isClosed = false
        var order: UInt64 = 0
    }

    private let state = Mutex(State())

    package init() {}

    package var isShared: Bool { false }

    private func withState<Value: Sendable>(
        _ body: (inout State) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try state.withLock { state throws(StoreError) in
            guard !state.isClosed else { throw StoreError(.closed, "the store was closed") }
            return try body(&state)
        }
    }

    package func close() {
        state.withLock { $0 = State(isClosed: true) }
    }

    // MARK: - Reading

    package func rowNow(_ key: String, in collection: RowCollection) throws(StoreError) -> Row? {
        try withState { state throws(StoreError) in state.collections[collection]?.rows[RowKey(key)]?.row }
    }

    package func row(_ key: String, in collection: RowCollection) async throws(StoreError) -> Row? {
        try rowNow(key, in: collection)
    }

    package func smallRowNow(
        _ key: String,
        in collection: RowCollection,
        valueLimit: Int
    ) throws(StoreError) -> SmallRow {
        // Handing out a value copies nothing here, so none is too large.
        try rowNow(key, in: collection).map(SmallRow.row) ?? .absent
    }

    package func summariesNow(
        in collection: RowCollection,
        prefix: String,
        tag: String?,
        after key: String?,
        limit: Int
    ) throws(StoreError) -> [RowSummary] {
        let prefix = RowKey(prefix)
        let after = key.map(RowKey.init)
        let tag = tag.map(RowKey.init)
        return try withState { state throws(StoreError) in
            let rows = state.collections[collection]?.rows ?? [:]
            let matching = rows.filter { key, stored in
                key.hasPrefix(prefix) && after.map { $0 < key } ?? true
                    && tag.map { tag in stored.row.attributes.tags.contains { RowKey($0) == tag } } ?? true
            }
            return matching.sorted { $0.key < $1.key }.prefix(limit)
                .map { key, stored in
                    RowSummary(
                        key: key.string,
                        attributes: stored.row.attributes,
                        version: stored.row.version,
                        lastUsedAt: stored.lastUsedAt,
                        size: stored.size
                    )
                }
        }
    }

    package func summaries(
        in collection: RowCollection,
        prefix: String,
        tag: String?,
        after key: String?,
        limit: Int
    ) async throws(StoreError) -> [RowSummary] {
        try summariesNow(in: collection, prefix: prefix, tag: tag, after: key, limit: limit)
    }

    package func usageNow(of collection: RowCollection) throws(StoreError) -> RowUsage {
        try withState { state throws(StoreError) in state.collections[collection, default: Collection()].usage }
    }

    package func usage(of collection: RowCollection) async throws(StoreError) -> RowUsage {
        try usageNow(of: collection)
    }

    package func feedNow(of collection: RowCollection, after position: UInt64?) throws(StoreError) -> RowFeed {
        try withState { state throws(StoreError) in
            let stored = state.collections[collection, default: Collection()]
            guard let position, position < stored.position else {
                return RowFeed(
                    entries: [],
                    position: position ?? stored.position,
                    hasGap: false,
                    hasMore: false
                )
            }
            let entries = stored.feed.filter { $0.position > position }
            return RowFeed(
                entries: entries,
                position: stored.position,
                hasGap: entries.first.map { $0.position > position + 1 } ?? false,
                hasMore: false
            )
        }
    }

    package func feed(of collection: RowCollection, after position: UInt64?) async throws(StoreError) -> RowFeed {
        try feedNow(of: collection, after: position)
    }

    package func observeForeignCommits(_ handler: @escaping @Sendable () -> Void) -> (any Sendable)? {
        nil
    }

    // MARK: - Writing

    package func commitNow(
        _ steps: [RowStep],
        in collection: RowCollection,
        committed: @escaping @Sendable (RowCommit) -> Void
    ) throws(StoreError) -> RowCommit {
        try withState { state throws(StoreError) in
            var stored = state.collections.removeValue(forKey: collection) ?? Collection()
            let commit = Self.apply(steps, to: &stored, recordsChanges: collection.recordsChanges, order: &state.order)
            state.collections[collection] = stored
            committed(commit)
            return commit
        }
    }

    package func commitLater(
        _ steps: [RowStep],
        in collection: RowCollection,
        committed: @escaping @Sendable (RowCommit) -> Void
    ) {
        _ = try? commitNow(steps, in: collection, committed: committed)
    }

    /// Lists every row of a collection and refuses all further calls, in one step: no commit can slip in between.
    func freeze(_ collection: RowCollection) throws(StoreError) -> [(key: String, row: Row)] {
        try withState { state throws(StoreError) in
            state.isClosed = true
            let rows = state.collections[collection]?.rows ?? [:]
            return rows.sorted { $0.key < $1.key }.map { ($0.key.string, $0.value.row) }
        }
    }

    /// Takes calls again after ``freeze(_:)``.
    func thaw() {
        state.withLock { $0.isClosed = false }
    }

    package func commit(_ steps: [RowStep], in collection: RowCollection) async throws(StoreError) -> RowCommit {
        try commitNow(steps, in: collection) { _ in }
    }

    private static func apply(
        _ steps: [RowStep],
        to collection: inout Collection,
        recordsChanges: Bool,
        order: inout UInt64
    ) -> RowCommit {
        let conflicts = steps.indices.filter { index in
            let stored = collection.rows[RowKey(steps[index].key)]
            switch steps[index].condition {
            case .any: return false
            case .absent: return stored != nil
            case .version(let version): return stored?.row.version != version
            }
        }
        guard conflicts.isEmpty else { return .conflict(steps: conflicts) }
        if !steps.isEmpty { collection.version += 1 }
        var existed: [Bool] = []
        for step in steps {
            order += 1
            let key = RowKey(step.key)
            let old = collection.rows[key]
            existed.append(old != nil)
            switch step {
            case .put(_, let value, let attributes, _):
                let size = key.string.utf8.count + attributes.metadata.count + value.count
                let row = Row(value: value, attributes: attributes, version: collection.version)
                collection.rows[key] = Stored(
                    row: row,
                    lastUsedAt: attributes.storedAt,
                    size: size,
                    order: old?.order ?? order
                )
                collection.bytes += size - (old?.size ?? 0)
                append(.put, step.key, to: &collection, recordsChanges)
            case .refresh(_, let metadata, let storedAt, let expiresAt):
                guard var stored = old else { continue }
                stored.size += metadata.count - stored.row.attributes.metadata.count
                stored.row.attributes.metadata = metadata
                stored.row.attributes.storedAt = storedAt
                stored.row.attributes.expiresAt = expiresAt
                stored.row.version = collection.version
                collection.bytes += stored.size - (old?.size ?? 0)
                collection.rows[key] = stored
                append(.put, step.key, to: &collection, recordsChanges)
            case .remove:
                guard let old else { continue }
                collection.rows[key] = nil
                collection.bytes -= old.size
                append(.remove, step.key, to: &collection, recordsChanges)
            case .check: break
            }
        }
        return .committed(version: collection.version, existed: existed, usage: collection.usage)
    }

    private static func append(
        _ kind: RowFeedEntry.Kind,
        _ key: String,
        to collection: inout Collection,
        _ recordsChanges: Bool
    ) {
        guard recordsChanges else { return }
        collection.position += 1
        collection.feed.append(
            RowFeedEntry(
                position: collection.position,
                key: key,
                kind: kind,
                version: collection.version,
                isFromHere: true
            )
        )
        if collection.feed.count > 8192 { collection.feed.removeFirst(4096) }
    }

    package func removeNow(
        _ selection: RowSelection,
        in collection: RowCollection,
        committed: @escaping @Sendable (RowRemoval) -> Void
    ) throws(StoreError) -> RowRemoval {
        try withState { state throws(StoreError) in
            var stored = state.collections.removeValue(forKey: collection) ?? Collection()
            let keys = stored.rows.filter { Self.isSelected($0.key, $0.value.row, selection) }.keys
            let removal = Self.remove(
                Array(keys),
                isAll: selection == .all,
                from: &stored,
                recordsChanges: collection.recordsChanges
            )
            state.collections[collection] = stored
            committed(removal)
            return removal
        }
    }

    private static func isSelected(_ key: RowKey, _ row: Row, _ selection: RowSelection) -> Bool {
        switch selection {
        case .all: true
        case .prefix(let prefix): key.hasPrefix(RowKey(prefix))
        case .tag(let tag): row.attributes.tags.contains { RowKey($0) == RowKey(tag) }
        case .expired(let date): row.attributes.expiresAt.map { $0 <= date } ?? false
        }
    }

    private static func remove(
        _ keys: [RowKey],
        isAll: Bool,
        from collection: inout Collection,
        recordsChanges: Bool
    ) -> RowRemoval {
        var removal = RowRemoval(rows: 0, bytes: 0, usage: collection.usage)
        if !keys.isEmpty || isAll { collection.version += 1 }
        for key in keys.sorted() {
            guard let old = collection.rows.removeValue(forKey: key) else { continue }
            removal.rows += 1
            removal.bytes += old.size
            collection.bytes -= old.size
            if recordsChanges { removal.keys.append(key.string) }
            append(.remove, key.string, to: &collection, recordsChanges)
        }
        removal.usage = collection.usage
        return removal
    }

    package func remove(
        _ selection: RowSelection,
        in collection: RowCollection
    ) async throws(StoreError) -> RowRemoval {
        try removeNow(selection, in: collection) { _ in }
    }

    package func touch(_ uses: [(key: String, at: Date)], in collection: RowCollection) async throws(StoreError) {
        try withState { state throws(StoreError) in
            for use in uses {
                state.collections[collection]?.rows[RowKey(use.key)]?.lastUsedAt = use.at
            }
        }
    }

    package func touchLater(_ uses: [(key: String, at: Date)], in collection: RowCollection) {
        state.withLock { state in
            for use in uses {
                state.collections[collection]?.rows[RowKey(use.key)]?.lastUsedAt = use.at
            }
        }
    }

    package func evict(
        in collection: RowCollection,
        toRows rows: Int,
        bytes: Int
    ) async throws(StoreError) -> RowRemoval {
        try withState { state throws(StoreError) in
            var stored = state.collections.removeValue(forKey: collection) ?? Collection()
            var victims: [RowKey] = []
            if stored.rows.count > rows || stored.bytes > bytes {
                var remaining = (rows: stored.rows.count, bytes: stored.bytes)
                let byAge = stored.rows.sorted {
                    ($0.value.lastUsedAt, $0.value.order) < ($1.value.lastUsedAt, $1.value.order)
                }
                for (key, old) in byAge where remaining.rows > rows || remaining.bytes > bytes {
                    victims.append(key)
                    remaining.rows -= 1
                    remaining.bytes -= old.size
                }
            }
            let removal = Self.remove(
                victims,
                isAll: false,
                from: &stored,
                recordsChanges: collection.recordsChanges
            )
            state.collections[collection] = stored
            return removal
        }
    }

    // MARK: - Leases

    package func acquireLease(
        _ name: String,
        owner: String,
        duration: Duration,
        now: Date
    ) async throws(StoreError) -> Lease? {
        try withState { state throws(StoreError) in
            let current = state.leases[RowKey(name)]
            if let current, current.owner != owner, current.expiresAt > now { return nil }
            let fence = (current?.fence ?? 0) + (current?.owner == owner ? 0 : 1)
            let lease = Lease(
                name: name,
                owner: owner,
                expiresAt: now.addingTimeInterval(duration.timeInterval),
                fence: fence
            )
            state.leases[RowKey(name)] = lease
            return lease
        }
    }

    package func releaseLease(_ lease: Lease) async throws(StoreError) -> Bool {
        try withState { state throws(StoreError) in
            guard let current = state.leases[RowKey(lease.name)], current.owner == lease.owner,
                current.fence == lease.fence
            else { return false }
            state.leases[RowKey(lease.name)] = Lease(
                name: lease.name,
                owner: "",
                expiresAt: Date(timeIntervalSinceReferenceDate: 0),
                fence: lease.fence
            )
            return true
        }
    }
}
