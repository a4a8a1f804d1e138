// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// Lets an engine of the user's own take the place of the built-in ones beneath a cache.
///
/// Each entry carries the version of its row before its metadata. Writes of one key follow one another, so that the
/// conditions of a step are compared with the entry that the step replaces; other processes may come in between.
final class CustomBacking: BasicBacking {
    private struct State {
        /// The writers that wait for their turn, for each key that is being written.
        var lines: [RowKey: [UInt64]] = [:]
        var waiters = Waiters<UInt64, Void>()
        var lastWaiter: UInt64 = 0
        var version: UInt64 = 0
        var isClosed = false

        /// Returns a version above all that this process has used or read and, by the clock, others have used.
        mutating func nextVersion() -> UInt64 {
            let time = UInt64(min(max(0, Date().timeIntervalSince1970 * 1_000_000), 0x1p52)) << 10
            version = max(version + 1, time + .random(in: 0..<1_024))
            return version
        }
    }

    private static let versionLength = 8
    /// A version that is never reached.
    ///
    /// Versions from the clock are below 2⁶²; an entry with one of 2⁶³ or more is damaged.
    private static let versionLimit: UInt64 = 1 << 63

    private let engine: any CacheBackend
    private let state = Mutex(State())

    init(_ engine: any CacheBackend) {
        self.engine = engine
    }

    var isShared: Bool { engine.isShared }

    func close() {
        state.withLock { $0.isClosed = true }
    }

    // MARK: - The engine

    private func ask<Value>(
        _ key: String? = nil,
        _ body: (any CacheBackend) async throws -> Value
    ) async throws(StoreError) -> Value {
        guard state.withLock({ !$0.isClosed }) else {
            throw StoreError(.closed, "the store was closed", key: key)
        }
        do {
            return try await body(engine)
        } catch {
            let name = String(describing: type(of: engine))
            throw StoreError(.engineFailed, "the cache engine \(name) failed", key: key, underlying: error)
        }
    }

    /// Calls the engine for one key, when all earlier writers of the key have finished.
    private func inTurn<Value>(
        _ key: String,
        _ body: () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let row = RowKey(key)
        let turn = state.withLock { state -> UInt64? in
            guard state.lines[row] != nil else {
                state.lines[row] = []
                return nil
            }
            state.lastWaiter += 1
            state.lines[row, default: []].append(state.lastWaiter)
            return state.lastWaiter
        }
        if let turn {
            await Waiters<UInt64, Void>
                .wait { continuation in
                    state.withLock { $0.waiters.park(turn, continuation) }
                } onCancel: {
                    nil
                }
        }
        defer {
            let next = state.withLock { state -> Waiters<UInt64, Void>.Wakeup? in
                guard var line = state.lines[row], !line.isEmpty else {
                    state.lines[row] = nil
                    return nil
                }
                let next = line.removeFirst()
                state.lines[row] = line
                return state.waiters.settle(next, with: ())
            }
            next?.resume()
        }
        return try await body()
    }

    private func stored(_ key: String) async throws(StoreError) -> Row? {
        guard let entry = try await ask(key, { try await $0.entry(for: key) }) else {
            return nil
        }
        guard entry.metadata.count >= Self.versionLength else {
            throw StoreError(.corrupt, "the cache engine returned an entry that the cache did not store", key: key)
        }
        let version = entry.metadata.prefix(Self.versionLength).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard version < Self.versionLimit else {
            throw StoreError(.corrupt, "the cache engine returned an entry with a damaged version", key: key)
        }
        // The clock may have been set back since the entry was written.
        state.withLock { $0.version = max($0.version, version) }
        var attributes = entry.attributes
        attributes.metadata = Data(entry.metadata.dropFirst(Self.versionLength))
        return Row(value: entry.body, attributes: attributes, version: version)
    }

    private func store(_ value: Data, _ attributes: RowAttributes, _ key: String) async throws(StoreError) -> UInt64 {
        let version = state.withLock { $0.nextVersion() }
        var metadata = Data()
        metadata.reserveCapacity(Self.versionLength + attributes.metadata.count)
        for shift in 0..<Self.versionLength {
            metadata.append(UInt8(truncatingIfNeeded: version >> (shift * 8)))
        }
        metadata.append(attributes.metadata)
        var entry = CacheEntry(value, attributes)
        entry.metadata = metadata
        try await ask(key) { [entry] in try await $0.store(entry, for: key) }
        return version
    }

    private var usage: RowUsage {
        RowUsage(rows: 0, bytes: 0, version: state.withLock { $0.version }, isLastWriterHere: true)
    }

    // MARK: - Reading

    func row(_ key: String, in collection: RowCollection) async throws(StoreError) -> Row? {
        try await stored(key)
    }

    func summary(_ key: String, in collection: RowCollection) async throws(StoreError) -> RowSummary? {
        try await stored(key).map { Self.summary($0, key) }
    }

    func summaries(in collection: RowCollection, _ page: RowPage) async throws(StoreError) -> [RowSummary] {
        let after = page.key.map(RowKey.init)
        let keys = try await keys(prefix: page.prefix).filter { key in after.map { $0 < key } ?? true }.sorted()
        var summaries: [RowSummary] = []
        for key in keys where summaries.count < page.limit {
            // An entry may have been dropped since its key was listed, or belong to somebody else.
            guard let row = try await readable(key.string),
                page.tag.map(row.attributes.has(tag:)) ?? true
            else {
                continue
            }
            summaries.append(Self.summary(row, key.string))
        }
        return summaries
    }

    private func keys(prefix: String) async throws(StoreError) -> [RowKey] {
        let start = RowKey(prefix)
        return try await ask { try await $0.keys(prefix: prefix) }.map { RowKey($0) }.filter { $0.hasPrefix(start) }
    }

    private func readable(_ key: String) async throws(StoreError) -> Row? {
        do throws(StoreError) {
            return try await stored(key)
        } catch {
            guard error.code == .corrupt else {
                throw error
            }
            return nil
        }
    }

    private static func summary(_ row: Row, _ key: String) -> RowSummary {
        RowSummary(
            key: key,
            attributes: row.attributes,
            version: row.version,
            lastUsedAt: row.attributes.storedAt,
            size: key.utf8.count + row.attributes.metadata.count + row.value.count
        )
    }

    // MARK: - Writing

    func commit(_ steps: [RowStep], in collection: RowCollection) async throws(StoreError) -> RowCommit {
        guard let key = steps.first?.key else {
            return .committed(version: usage.version, existed: [], usage: usage)
        }
        guard steps.allSatisfy({ RowKey($0.key) == RowKey(key) }) else {
            throw StoreError(.internalFailure, "an engine of the user's own writes one key at a time", key: key)
        }
        return try await inTurn(key) { () throws(StoreError) in
            let row = steps.contains(where: Self.reads) ? try await readable(key) : nil
            let conflicts = steps.indices.filter { !steps[$0].condition.holds(for: row?.version) }
            guard conflicts.isEmpty else {
                return .conflict(steps: conflicts)
            }
            var existed: [Bool] = []
            var version = state.withLock { $0.nextVersion() }
            for step in steps {
                var isThere = row != nil
                switch step {
                case .put(_, let value, let attributes, _):
                    version = try await store(value, attributes, key)
                case .refresh(_, let metadata, let storedAt, let expiresAt):
                    if var changed = row {
                        changed.attributes.metadata = metadata
                        changed.attributes.storedAt = storedAt
                        changed.attributes.expiresAt = expiresAt
                        version = try await store(changed.value, changed.attributes, key)
                    }
                case .remove:
                    isThere = try await ask(key) { try await $0.remove(key) }
                case .check:
                    break
                }
                existed.append(isThere)
            }
            return .committed(version: version, existed: existed, usage: usage)
        }
    }

    private static func reads(_ step: RowStep) -> Bool {
        switch step {
        case .put(_, _, _, let condition), .remove(_, let condition): condition != .any
        case .refresh, .check: true
        }
    }

    func remove(_ selection: RowSelection, in collection: RowCollection) async throws(StoreError) -> RowRemoval {
        var prefix = ""
        if case .prefix(let text) = selection {
            prefix = text
        }
        var removal = RowRemoval(rows: 0, bytes: 0, usage: usage)
        for key in try await keys(prefix: prefix) {
            let isRemoved = try await inTurn(key.string) { () throws(StoreError) in
                guard try await isSelected(key, by: selection) else {
                    return false
                }
                return try await ask(key.string) { try await $0.remove(key.string) }
            }
            removal.rows += isRemoved ? 1 : 0
        }
        removal.usage.version = state.withLock { $0.nextVersion() }
        return removal
    }

    private func isSelected(_ key: RowKey, by selection: RowSelection) async throws(StoreError) -> Bool {
        switch selection {
        case .all, .prefix: true
        case .tag, .expired: try await readable(key.string).map { selection.holds(for: key, $0.attributes) } ?? false
        }
    }
}

extension ExpiringCache {
    enum Engine: Sendable {
        case builtIn(any Backing)
        case custom(CustomBacking)

        var rows: any BasicBacking {
            switch self {
            case .builtIn(let backing): backing
            case .custom(let backing): backing
            }
        }

        /// The built-in engine; `nil` for a custom one, which has its own limits, excludes no other process, and
        /// cannot be used synchronously.
        var backing: (any Backing)? {
            switch self {
            case .builtIn(let backing): backing
            case .custom: nil
            }
        }
    }
}
