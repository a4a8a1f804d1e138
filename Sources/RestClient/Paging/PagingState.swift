// SPDX-License-Identifier: MIT

/// How far a listing has been gone through, to be kept and gone on with, also by another process.
public struct PagingState: Sendable, Hashable, Codable {
    /// The position of the next page that was not delivered; `nil` at the end.
    public var position: PagePosition?

    /// How many pages were delivered.
    public var pageCount: Int

    /// How many items were delivered.
    public var itemCount: Int

    /// Creates a state.
    ///
    /// - Parameters:
    ///   - position: The position of the next page.
    ///   - pageCount: How many pages were delivered.
    ///   - itemCount: How many items were delivered.
    public init(position: PagePosition?, pageCount: Int = 0, itemCount: Int = 0) {
        self.position = position
        self.pageCount = pageCount
        self.itemCount = itemCount
    }
}
