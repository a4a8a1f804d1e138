// SPDX-License-Identifier: MIT

/// The response of an ``ExpiringCache`` to a read.
public enum CacheRead: Sendable, Equatable {
    /// There is an entry, and it may be used as it is.
    case fresh(CacheEntry)

    /// There is an entry, but it is too old or its age is unknown; good for revalidation or while offline.
    case stale(CacheEntry)

    /// There is none.
    case miss

    /// The entry, fresh or stale.
    public var entry: CacheEntry? {
        switch self {
        case .fresh(let entry), .stale(let entry): entry
        case .miss: nil
        }
    }
}
