// SPDX-License-Identifier: MIT

/// A part of a collection's change feed.
package struct RowFeed: Sendable, Equatable {
    package var entries: [RowFeedEntry]
    /// The position after which to continue.
    package var position: UInt64
    /// A Boolean value that indicates whether entries after the requested position are missing.
    ///
    /// In that case everything must be read again.
    package var hasGap: Bool
    /// A Boolean value that indicates whether there is more to read.
    package var hasMore: Bool
}
