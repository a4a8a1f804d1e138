// SPDX-License-Identifier: MIT

import Synchronization

extension ExpiringCache {
    /// How a change of what stands beside a body ended.
    public enum Change: Sendable, Equatable {
        /// It was written.
        case changed
        /// The closure did not want it.
        case left
        /// There is no entry.
        case absent
    }

    /// Changes what stands beside an entry's body, depending on what is stored at that moment.
    ///
    /// The body is neither read nor written, and the change never meets another entry than the one that the closure
    /// saw: when the entry is written anew meanwhile, the closure is called again. An entry that was written with
    /// another codec is removed, as its body would have to be written anew.
    ///
    /// - Parameters:
    ///   - key: The entry's key.
    ///   - change: Changes `metadata`, `storedAt` and `expiresAt`, and tells whether to write them.
    /// - Returns: How it ended.
    /// - Throws: ``StoreError`` when the file cannot be read or written; `busy` when others kept writing the entry.
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

    /// Changes what stands beside the bodies of many entries; see ``update(_:_:)``.
    ///
    /// - Parameters:
    ///   - prefix: Only entries whose keys begin with it; the default is any.
    ///   - tag: Only entries with this tag; the default is any.
    ///   - change: Changes `metadata`, `storedAt` and `expiresAt`, and tells whether to write them.
    /// - Returns: The number of entries changed or removed. An entry that is written anew meanwhile stays as it is
    ///   then.
    /// - Throws: ``StoreError`` when the file cannot be read or written.
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
