// SPDX-License-Identifier: MIT

package struct RowFeed: Sendable, Equatable {
    package var entries: [RowFeedEntry]
    package var position: UInt64
    /// True if entries after the requested position are missing, so that everything must be read again.
    package var hasGap: Bool
    package var hasMore: Bool
}

package struct RowFeedEntry: Sendable, Equatable {
    package enum Kind: Int, Sendable {
        case put = 0
        case remove = 1
    }

    package var position: UInt64
    package var key: String
    package var kind: Kind
    package var version: UInt64
    package var isFromHere: Bool
}
