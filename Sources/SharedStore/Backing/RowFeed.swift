// SPDX-License-Identifier: MIT

/// A stretch of a collection's change feed.
package struct RowFeed: Sendable, Equatable {
    package var entries: [RowFeedEntry]
    /// The position to go on from.
    package var position: UInt64
    /// Whether entries between the position asked for and the first one here are gone; then everything must be re-read.
    package var hasGap: Bool
    /// Whether there is more to read.
    package var hasMore: Bool
}
