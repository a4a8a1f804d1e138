// SPDX-License-Identifier: MIT

import Synchronization

extension ExpiringCache {
    /// The result of an update of an entry's metadata.
    public enum Change: Sendable, Equatable {
        /// It was written.
        case changed
        /// The closure declined the change.
        case left
        /// The entry does not exist.
        case absent
    }

    /// Updates an entry's metadata and dates, depending on their current values.
    ///
    /// The body is neither read nor written. The update applies only to the entry that the closure saw:
    /// if the entry is replaced meanwhile, the closure is called again. An entry that was written with another codec
    /// is removed, as its body would have to be written again.
    ///
    /// - Parameters:
    ///   - key: The entry's key.
    ///   - change: Changes `metadata`, `storedAt` and `expiresAt`, and returns whether to write them.
    /// - Returns: The result.
    /// - Throws: ``StoreError`` if the file cannot be read or written; `busy` if other writers kept changing the entry.
    public func update(
        _ key: String,
        _ change: (inout CacheEntryInfo) -> Bool
    ) async throws(StoreError) -> Change {
        var isCurrent = true
        let result = try await apply(to: RowKey(key).string, repeats: true) { summary throws(StoreError) in
            isCurrent = coder.isCurrent(summary)
            return try steps(of: change, to: summary)
        }
        return result == .changed && !isCurrent ? .absent : result
    }

    /// Updates the metadata and dates of many entries, as ``update(_:_:)`` does; returns the number of those that were
    /// changed or removed.
    package func updateAll(
        prefix: String = "",
        tag: String? = nil,
        _ change: (inout CacheEntryInfo) -> Bool
    ) async throws(StoreError) -> Int {
        try await forEach(prefix: prefix, tag: tag, repeats: true) { summary throws(StoreError) in
            try steps(of: change, to: summary)
        }
    }

    /// Returns the steps that write the change of an entry; `nil` if the closure declines it.
    private func steps(
        of change: (inout CacheEntryInfo) -> Bool,
        to summary: RowSummary
    ) throws(StoreError) -> [RowStep]? {
        var info = coder.info(summary)
        guard change(&info) else {
            return nil
        }
        guard coder.isCurrent(summary) else {
            return [.remove(key: summary.key, condition: .version(summary.version))]
        }
        let refresh = RowStep.refresh(
            key: summary.key,
            metadata: try coder.metadata(info.metadata, info.storedAt, info.expiresAt, key: summary.key),
            storedAt: info.storedAt,
            expiresAt: info.expiresAt
        )
        return [.check(key: summary.key, condition: .version(summary.version)), refresh]
    }

    /// Applies steps to each entry, and returns how many entries they changed.
    ///
    /// An entry that is replaced meanwhile stays as it is, unless `repeats` is true.
    func forEach(
        prefix: String = "",
        tag: String? = nil,
        repeats: Bool = false,
        _ steps: (RowSummary) throws(StoreError) -> [RowStep]?
    ) async throws(StoreError) -> Int {
        var changed = 0
        var next: RowPage? = RowPage(prefix: prefix, tag: tag)
        while let page = next {
            let rows = try await withEngine { engine throws(StoreError) in
                try await engine.rows.summaries(in: .cache, page)
            }
            for summary in rows {
                let change = try await apply(to: summary.key, summary, repeats: repeats, steps)
                if change == .changed { changed += 1 }
            }
            next = page.next(after: rows)
        }
        return changed
    }

    /// Applies steps to an entry, as it was listed if it was; if `repeats` is true, again whenever it was replaced
    /// meanwhile.
    private func apply(
        to key: String,
        _ listed: RowSummary? = nil,
        repeats: Bool,
        _ steps: (RowSummary) throws(StoreError) -> [RowStep]?
    ) async throws(StoreError) -> Change {
        var summary = listed
        for _ in 0..<Self.changeLimit {
            if summary == nil { summary = try await self.summary(of: key) }
            guard let current = summary else {
                return .absent
            }
            guard let steps = try steps(current) else {
                return .left
            }
            if case .committed(let version, _, _) = try await commit(steps) {
                state.withLock { $0.tier.invalidated(RowKey(key), version: version) }
                return .changed
            }
            guard repeats else {
                return .left
            }
            summary = nil
        }
        throw Self.overtaken(key)
    }
}
