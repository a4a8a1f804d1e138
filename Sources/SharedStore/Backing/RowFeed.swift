// SPDX-License-Identifier: MIT

/// A part of a collection's change feed.
package struct RowFeed: Sendable, Equatable {
    package var entries: [RowFeedEntry]
    /// The position after which to continue.
    package var position: UInt64
    /// True if entries after the requested position are missing, so that everything must be read again.
    package var hasGap: Bool
    /// True if there is more to read.
    package var hasMore: Bool
}

/// One entry of a collection's change feed.
package struct RowFeedEntry: Sendable, Equatable {
    package enum Kind: Int, Sendable {
        case put = 0
        case remove = 1
    }

    package var position: UInt64
    package var key: String
    package var kind: Kind
    /// The commit that made the change.
    package var version: UInt64
    /// True if this backing made the change.
    package var isFromHere: Bool
}
