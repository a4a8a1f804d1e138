// SPDX-License-Identifier: MIT

import Synchronization

extension ExpiringCache {
    /// The result of an update of an entry's metadata.
    public enum Change: Sendable, Equatable {
        /// It was written.
        case changed
        /// The closure declined it.
        case left
        /// There is no entry.
        case absent
    }

    /// Updates an entry's metadata and dates, depending on their present values.
    ///
    /// The body is neither read nor written. The update applies only to the entry that the closure saw:
    /// if the entry is replaced meanwhile, the closure is called again. An entry that was written with another codec
    /// is removed, as its body would have to be written again.
    ///
    /// - Parameters:
    ///   - key: The entry's key.
    ///   - change: Changes `metadata`, `storedAt` and `expiresAt`, and returns whether to write them.
    /// - Returns: The result.
    /// - Throws: ``StoreError`` if the file cannot be read or written; `busy` if others kept writing the entry.
    public func update(
        _ key: String,
        _ change: (inout CacheEntryInfo) -> Bool
    ) async throws(StoreError) -> Change {
        for _ in 0..<16 {
            let page = try await withBacking { backing throws(StoreError) in
                try await backing.summaries(in: .cache, prefix: key, tag: nil, after: nil, limit: 1)
            }
            guard let summary = page.first, RowKey(summary.key) == RowKey(key) else {
                return .absent
            }
            if let result = try await apply(change, to: summary) { return result }
        }
        throw StoreError(.busy, "others kept writing the entry", key: key)
    }

    /// Updates the metadata and dates of many entries; see ``update(_:_:)``.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the keys of these entries. Defaults to any.
    ///   - tag: The tag of these entries. Defaults to any.
    ///   - change: Changes `metadata`, `storedAt` and `expiresAt`, and returns whether to write them.
    /// - Returns: The number of entries changed or removed. An entry that is replaced meanwhile is left alone.
    /// - Throws: ``StoreError`` if the file cannot be read or written.
    @discardableResult
    public func updateAll(
        prefix: String = "",
        tag: String? = nil,
        _ change: (inout CacheEntryInfo) -> Bool
    ) async throws(StoreError) -> Int {
        var changed = 0
        var last: String?
        while true {
            let after = last
            let page = try await withBacking { backing throws(StoreError) in
                try await backing.summaries(in: .cache, prefix: prefix, tag: tag, after: after, limit: 500)
            }
            for summary in page {
                switch try await apply(change, to: summary) {
                case .changed, .absent: changed += 1
                case .left, nil: break
                }
            }
            guard page.count == 500, let key = page.last?.key else {
                return changed
            }
            last = key
        }
    }

    /// Writes the change of one entry; `nil` when the entry is no longer the one that was listed.
    private func apply(
        _ change: (inout CacheEntryInfo) -> Bool,
        to summary: RowSummary
    ) async throws(StoreError) -> Change? {
        var info = coder.info(summary)
        guard change(&info) else {
            return .left
        }
        let isCurrent = coder.isCurrent(summary)
        var steps: [RowStep] = [.remove(key: summary.key, condition: .version(summary.version))]
        if isCurrent {
            steps = [
                .check(key: summary.key, condition: .version(summary.version)),
                .refresh(
                    key: summary.key,
                    metadata: try coder.metadata(info.metadata, key: summary.key),
                    storedAt: info.storedAt,
                    expiresAt: info.expiresAt
                ),
            ]
        }
        let commit = try await withBacking { backing throws(StoreError) in
            try await backing.commit(steps, in: .cache)
        }
        guard case .committed(let version, _, _) = commit else {
            return nil
        }
        state.withLock { $0.tier.invalidated(RowKey(summary.key), version: version) }
        return isCurrent ? .changed : .absent
    }
}
