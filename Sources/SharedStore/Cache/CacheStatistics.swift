// SPDX-License-Identifier: MIT

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
