// SPDX-License-Identifier: MIT

package import RestEssentials
import Synchronization

/// The engine in memory: the same rules on dictionaries under one lock.
package final class MemoryBacking: Backing {
    private struct State {
        var collections: [String: MemoryCollection] = [:]
        var leases: [RowKey: Lease] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    package init() {}

    package var isShared: Bool { false }

    package func close() {
        state.withLock { $0 = State(isClosed: true) }
    }

    package func observeForeignCommits(_ handler: @escaping @Sendable () -> Void) -> ReleaseOnce? { nil }

    private func withOpen<Value: Sendable>(_ body: (inout State) -> Value) throws(StoreError) -> Value {
        try state.withLock { state throws(StoreError) in
            guard !state.isClosed else {
                throw StoreError(.closed, "the store was closed")
            }
            return body(&state)
        }
    }

    private func with<Value: Sendable>(
        _ collection: RowCollection,
        _ body: (inout MemoryCollection) -> Value
    ) throws(StoreError) -> Value {
        try withOpen { state in
            let records = collection.recordsChanges
            return body(&state.collections[collection.name, default: MemoryCollection(recordsChanges: records)])
        }
    }

    /// Returns every row of a collection and refuses all further calls, in one step: no commit can come in between.
    func freeze(_ collection: RowCollection) throws(StoreError) -> [(key: String, row: Row)] {
        try withOpen { state in
            state.isClosed = true
            let rows = state.collections[collection.name]?.rows ?? [:]
            return rows.sorted { $0.key < $1.key }.map { ($0.key.string, $0.value.row) }
        }
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    func thaw() {
        state.withLock { $0.isClosed = false }
    }

    // MARK: - Reading

    package func rowNow(_ key: String, in collection: RowCollection) throws(StoreError) -> Row? {
        try with(collection) { $0.rows[RowKey(key)]?.row }
    }

    package func row(_ key: String, in collection: RowCollection) async throws(StoreError) -> Row? {
        try rowNow(key, in: collection)
    }

    package func summariesNow(in collection: RowCollection, _ page: RowPage) throws(StoreError) -> [RowSummary] {
        try with(collection) { $0.summaries(page) }
    }

    package func summary(_ key: String, in collection: RowCollection) async throws(StoreError) -> RowSummary? {
        try with(collection) { $0.summary(RowKey(key)) }
    }

    package func summaries(in collection: RowCollection, _ page: RowPage) async throws(StoreError) -> [RowSummary] {
        try summariesNow(in: collection, page)
    }

    package func usageNow(of collection: RowCollection) throws(StoreError) -> RowUsage {
        try with(collection) { $0.usage }
    }

    package func feedNow(of collection: RowCollection, after position: UInt64?) throws(StoreError) -> RowFeed {
        try with(collection) { $0.changes(after: position) }
    }

    // MARK: - Writing

    package func commitNow(
        _ steps: [RowStep],
        in collection: RowCollection,
        committed: @escaping @Sendable (RowCommit) -> Void
    ) throws(StoreError) -> RowCommit {
        try steps.checkSize(file: nil)
        return try with(collection) { rows in
            let commit = rows.apply(steps)
            // Under the lock, so that the order of calls is the order of commits.
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

    package func commit(_ steps: [RowStep], in collection: RowCollection) async throws(StoreError) -> RowCommit {
        try commitNow(steps, in: collection) { _ in }
    }

    package func removeNow(
        _ selection: RowSelection,
        in collection: RowCollection,
        committed: @escaping @Sendable (RowRemoval) -> Void
    ) throws(StoreError) -> RowRemoval {
        try with(collection) { rows in
            let removal = rows.remove(selection)
            committed(removal)
            return removal
        }
    }

    package func remove(
        _ selection: RowSelection,
        in collection: RowCollection
    ) async throws(StoreError) -> RowRemoval {
        try removeNow(selection, in: collection) { _ in }
    }

    package func touch(_ uses: [(key: String, at: Date)], in collection: RowCollection) async throws(StoreError) {
        try with(collection) { $0.touch(uses) }
    }

    package func touchLater(_ uses: [(key: String, at: Date)], in collection: RowCollection) {
        try? with(collection) { $0.touch(uses) }
    }

    package func evict(
        in collection: RowCollection,
        toRows rows: Int,
        bytes: Int
    ) async throws(StoreError) -> RowRemoval {
        try with(collection) { $0.evict(toRows: rows, bytes: bytes) }
    }

    // MARK: - Leases

    package func acquireLease(
        _ name: String,
        owner: String,
        duration: Duration,
        now: Date
    ) async throws(StoreError) -> Lease? {
        try withOpen { state in
            let (current, until) = (state.leases[RowKey(name)], now.addingTimeInterval(duration.timeInterval))
            let lease = Lease(name, owner: owner, until: until, now: now, after: current)
            state.leases[RowKey(name)] = lease ?? current
            return lease
        }
    }

    package func dropLeaseLater(_ lease: Lease, now: Date) {
        state.withLock { state in
            if state.leases[RowKey(lease.name)]?.owner == lease.owner {
                state.leases[RowKey(lease.name)] = nil
            }
            state.leases = state.leases.filter { $0.value.expiresAt > now }
        }
    }
}
