// SPDX-License-Identifier: MIT

public import RestEssentials

/// An entry without its body, for listings and for choosing what to remove.
public struct CacheEntryInfo: Sendable, Equatable {
    /// The entry's key.
    public var key: String
    /// The blob beside the body.
    public var metadata: Data
    /// When the entry was made.
    public var storedAt: Date
    /// When it stops being fresh; `nil` for never.
    public var expiresAt: Date?
    /// When it was last stored or read; may lag behind by the reads that were not written down yet.
    public var lastUsedAt: Date
    /// The bytes of key, metadata and body as they are stored.
    public var byteCount: Int
    /// The names under which it is removed together with others.
    public var tags: Set<String>
}
