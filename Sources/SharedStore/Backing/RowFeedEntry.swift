// SPDX-License-Identifier: MIT

/// One entry of a collection's change feed.
package struct RowFeedEntry: Sendable, Equatable {
    package enum Kind: Int, Sendable {
        case put = 0
        case remove = 1
    }

    /// The position in the feed.
    package var position: UInt64
    package var key: String
    package var kind: Kind
    /// The commit that made the change.
    package var version: UInt64
    /// A Boolean value that indicates whether this backing made the change.
    package var isFromHere: Bool
}
