// SPDX-License-Identifier: MIT

public import RestEssentials
import Synchronization

extension ExpiringCache {
    /// Removes every entry.
    ///
    /// - Returns: The number of removed entries.
    /// - Throws: ``StoreError`` if the file cannot be written.
    @discardableResult
    public func removeAll() async throws(StoreError) -> Int {
        try await remove(.all).rows
    }

    /// Removes the entries with a tag.
    ///
    /// - Parameter tag: The tag.
    /// - Returns: The number of removed entries.
    /// - Throws: ``StoreError`` if the file cannot be written.
    @discardableResult
    public func removeAll(tag: String) async throws(StoreError) -> Int {
        try await remove(.tag(tag)).rows
    }

    /// Removes the entries whose key begins with a prefix.
    ///
    /// - Parameter prefix: The prefix, compared by its bytes; an empty one removes everything.
    /// - Returns: The number of removed entries.
    /// - Throws: ``StoreError`` if the file cannot be written.
    @discardableResult
    public func removeAll(prefix: String) async throws(StoreError) -> Int {
        try await remove(prefix.isEmpty ? .all : .prefix(prefix)).rows
    }

    /// Removes the entries for which a closure returns `true`.
    ///
    /// An entry that is replaced while the closure looks at it stays.
    ///
    /// - Parameter shouldRemove: Returns whether to remove an entry.
    /// - Returns: The number of removed entries.
    /// - Throws: ``StoreError`` if the file cannot be read or written.
    @discardableResult
    public func removeAll(where shouldRemove: (CacheEntryInfo) -> Bool) async throws(StoreError) -> Int {
        var removed = 0
        var last: String?
        while true {
            let after = last
            let page = try await withBacking { backing throws(StoreError) in
                try await backing.summaries(in: .cache, prefix: "", tag: nil, after: after, limit: 500)
            }
            for summary in page where shouldRemove(coder.info(summary)) {
                let step = RowStep.remove(key: summary.key, condition: .version(summary.version))
                let commit = try await withBacking { backing throws(StoreError) in
                    try await backing.commit([step], in: .cache)
                }
                guard case .committed(let version, _, _) = commit else {
                    continue
                }
                state.withLock { $0.tier.invalidated(RowKey(summary.key), version: version) }
                removed += 1
            }
            guard page.count == 500, let key = page.last?.key else {
                return removed
            }
            last = key
        }
    }

    /// Removes expired entries.
    ///
    /// Until then they stay for use while offline.
    ///
    /// - Parameters:
    ///   - now: The present time. Defaults to the system's clock.
    ///   - grace: The time for which an expired entry still stays. Defaults to zero.
    /// - Returns: The number of removed entries.
    /// - Throws: ``StoreError`` if the file cannot be written.
    @discardableResult
    public func sweep(now: Date = Date(), grace: Duration = .zero) async throws(StoreError) -> Int {
        let removal = try await remove(.expired(by: now.addingTimeInterval(-grace.timeInterval)))
        if removal.rows > 0 {
            configuration.onEvent?(
                CacheEvent(.swept, entryCount: removal.rows, byteCount: removal.bytes)
            )
        }
        return removal.rows
    }

    private func remove(_ selection: RowSelection) async throws(StoreError) -> RowRemoval {
        let removal = try await withBacking { backing throws(StoreError) in
            try await backing.remove(selection, in: .cache)
        }
        state.withLock { $0.tier.invalidatedAll(upTo: removal.usage.version) }
        return removal
    }
}
