// SPDX-License-Identifier: MIT

import Synchronization

extension ExpiringCache {
    /// Lists entries without their bodies, in the order of their keys' bytes.
    ///
    /// - Parameters:
    ///   - prefix: Only keys that begin with it; the default is any.
    ///   - tag: Only entries with this tag; the default is any.
    ///   - key: Only keys behind this one, for the next page; the default is from the first.
    ///   - limit: The most entries returned; the default is 1000.
    /// - Returns: The entries; listing one is no use of it.
    /// - Throws: ``StoreError`` when the file cannot be read.
    public func entries(
        prefix: String = "",
        tag: String? = nil,
        after key: String? = nil,
        limit: Int = 1000
    ) async throws(StoreError) -> [CacheEntryInfo] {
        try await flushTouches()
        let summaries = try await withBacking { backing throws(StoreError) in
            try await backing.summaries(in: .cache, prefix: prefix, tag: tag, after: key, limit: max(0, limit))
        }
        return summaries.map(coder.info)
    }

    /// Lists the keys of all entries, in the order of their bytes.
    ///
    /// - Parameters:
    ///   - prefix: Only keys that begin with it; the default is any.
    ///   - tag: Only entries with this tag; the default is any.
    /// - Returns: The keys.
    /// - Throws: ``StoreError`` when the file cannot be read.
    public func keys(prefix: String = "", tag: String? = nil) async throws(StoreError) -> [String] {
        var keys: [String] = []
        while true {
            let page = try await entries(prefix: prefix, tag: tag, after: keys.last)
            keys += page.map(\.key)
            if page.count < 1000 { return keys }
        }
    }

    /// Tells what the cache holds and what it did since it was created.
    ///
    /// - Returns: The statistics; what it holds includes other processes' entries, what it did does not.
    /// - Throws: ``StoreError`` when the file cannot be read.
    public func statistics() async throws(StoreError) -> CacheStatistics {
        let usage = try await withBacking { backing throws(StoreError) in try await backing.usage(of: .cache) }
        return state.withLock { state in
            var statistics = state.statistics
            statistics.entryCount = usage.rows
            statistics.byteCount = usage.bytes
            statistics.memoryByteCount = state.tier.byteCount
            return statistics
        }
    }
}
