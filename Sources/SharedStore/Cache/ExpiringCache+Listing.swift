// SPDX-License-Identifier: MIT

package import RestEssentials
import Synchronization

extension ExpiringCache {
    /// Returns entries without their bodies, in the order of their keys' bytes.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of these keys. Defaults to any.
    ///   - tag: The tag of these entries. Defaults to any.
    ///   - key: The key after which to begin, for the next page. Defaults to the first.
    ///   - limit: The maximum number of entries. Defaults to 1000.
    /// - Returns: The entries. Listing an entry does not count as a use.
    /// - Throws: ``StoreError`` if the file cannot be read.
    public func entries(
        prefix: String = "",
        tag: String? = nil,
        after key: String? = nil,
        limit: Int = 1000
    ) async throws(StoreError) -> [CacheEntryInfo] {
        try await flushTouches()
        let summaries = try await withEngine { engine throws(StoreError) in
            try await engine.rows.summaries(in: .cache, RowPage(prefix: prefix, tag: tag, after: key, limit: limit))
        }
        return summaries.map(coder.info)
    }

    /// Returns the metadata of an entry, without counting a read or a use.
    ///
    /// It is empty if it cannot be decoded, and `nil` if there is no entry.
    package func metadata(of key: String) async throws(StoreError) -> Data? {
        let summary = try await withEngine { engine throws(StoreError) in
            try await engine.rows.summary(RowKey(key).string, in: .cache)
        }
        return summary.map { coder.info($0).metadata }
    }

    /// Returns the contents of the cache and its activity since it was created.
    ///
    /// - Returns: The statistics. The contents include other processes' entries, the activity does not.
    /// - Throws: ``StoreError`` if the file cannot be read.
    public func statistics() async throws(StoreError) -> CacheStatistics {
        let usage = try await withEngine { engine throws(StoreError) in try engine.backing?.usageNow(of: .cache) }
        return state.withLock { state in
            var statistics = state.statistics
            statistics.entryCount = usage?.rows ?? 0
            statistics.byteCount = usage?.bytes ?? 0
            statistics.memoryByteCount = state.tier.byteCount
            return statistics
        }
    }
}
