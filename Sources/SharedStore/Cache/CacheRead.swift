// SPDX-License-Identifier: MIT

/// The result of a read from an ``ExpiringCache``.
public enum CacheRead: Sendable, Equatable {
    /// There is a fresh entry.
    case fresh(CacheEntry)

    /// There is an entry, but it is too old or its age is unknown. It can be revalidated, or used while offline.
    case stale(CacheEntry)

    /// There is no entry.
    case miss

    /// The entry, fresh or stale.
    public var entry: CacheEntry? {
        switch self {
        case .fresh(let entry), .stale(let entry): entry
        case .miss: nil
        }
    }
}
