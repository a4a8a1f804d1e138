// SPDX-License-Identifier: MIT

public import RestEssentials

/// An entry without its body, for listings and for selective removal.
public struct CacheEntryInfo: Sendable, Equatable {
    /// The entry's key.
    public var key: String
    /// The blob beside the body.
    public var metadata: Data
    /// The time at which the entry was made.
    public var storedAt: Date
    /// The time from which it is stale; `nil` for never.
    public var expiresAt: Date?
    /// The time of the last store or read.
    ///
    /// Recent reads that have not been written yet are not included.
    public var lastUsedAt: Date
    /// The size in bytes of key, metadata and body, as stored.
    public var byteCount: Int
    /// The tags.
    public var tags: Set<String>
}
