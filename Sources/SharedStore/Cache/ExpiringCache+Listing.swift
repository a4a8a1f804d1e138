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
        try await summary(of: RowKey(key).string).map { coder.info($0).metadata }
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

/// The contents of an ``ExpiringCache`` and its activity since it was created.
public struct CacheStatistics: Sendable, Equatable {
    /// Reads that found a fresh entry.
    public var hits = 0
    /// Reads that found a stale entry.
    public var staleHits = 0
    /// Reads that found nothing.
    public var misses = 0
    /// Fresh and stale entries that were read from the memory tier.
    public var memoryHits = 0
    /// Entries stored.
    public var stores = 0
    /// Entries evicted to keep a limit.
    public var evictions = 0
    /// The entries in the cache now, including those of other processes; zero with an engine of your own, which knows.
    public var entryCount = 0
    /// The bytes of keys, metadata and bodies as they are stored now; zero with an engine of your own.
    public var byteCount = 0
    /// The bytes of bodies and metadata in the memory tier now.
    public var memoryByteCount = 0
}
