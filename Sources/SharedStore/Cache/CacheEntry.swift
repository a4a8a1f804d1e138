// SPDX-License-Identifier: MIT

public import RestEssentials

/// An entry of an ``ExpiringCache``.
public struct CacheEntry: Sendable, Equatable {
    /// The bytes of the entry.
    public var body: Data

    /// A small blob beside the body, for example a validator; it can change without the body being written again.
    public var metadata: Data

    /// The time at which the entry was made, set by its writer.
    public var storedAt: Date

    /// The time from which the entry is stale, set by its writer; `nil` for never.
    ///
    /// The entry is already stale at exactly that time.
    public var expiresAt: Date?

    /// The tags, by which entries are removed together.
    public var tags: Set<String>

    /// Creates an entry.
    ///
    /// - Parameters:
    ///   - body: The bytes.
    ///   - metadata: A small blob beside them. Defaults to empty.
    ///   - storedAt: The time at which the entry was made. Defaults to now.
    ///   - expiresAt: The time from which it is stale. Defaults to never.
    ///   - tags: The tags, by which entries are removed together. Defaults to none.
    public init(
        body: Data,
        metadata: Data = Data(),
        storedAt: Date = Date(),
        expiresAt: Date? = nil,
        tags: Set<String> = []
    ) {
        self.body = body
        self.metadata = metadata
        self.storedAt = storedAt
        self.expiresAt = expiresAt
        self.tags = tags
    }
}

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

/// The result of a read from an ``ExpiringCache``.
public enum CacheRead: Sendable, Equatable {
    /// The entry is fresh.
    case fresh(CacheEntry)

    /// The entry is too old, or its age is unknown. It can be revalidated, or used while offline.
    case stale(CacheEntry)

    /// The entry does not exist.
    case miss

    /// The entry, fresh or stale.
    public var entry: CacheEntry? {
        switch self {
        case .fresh(let entry), .stale(let entry): entry
        case .miss: nil
        }
    }
}
