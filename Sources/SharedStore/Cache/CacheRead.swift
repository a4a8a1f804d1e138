// SPDX-License-Identifier: MIT

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
