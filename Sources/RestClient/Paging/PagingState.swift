// SPDX-License-Identifier: MIT

/// The position in a listing, which can be stored and resumed, even by another process.
public struct PagingState: Sendable, Hashable, Codable {
    /// The position of the first page that was not delivered; `nil` at the end.
    public var position: PagePosition?

    /// The number of delivered pages, and of responses without content that linked to the next one.
    public var pageCount: Int

    /// The number of delivered items.
    public var itemCount: Int

    /// Creates a state.
    ///
    /// - Parameters:
    ///   - position: The position of the next page.
    ///   - pageCount: The number of delivered pages.
    ///   - itemCount: The number of delivered items.
    public init(position: PagePosition?, pageCount: Int = 0, itemCount: Int = 0) {
        self.position = position
        self.pageCount = pageCount
        self.itemCount = itemCount
    }
}

extension PagingState: MirroredByDescription {
    /// The position and the counts, with the secrets of a URL masked.
    ///
    /// The encoded form has the real values.
    public var description: String {
        "\(position?.description ?? "the end") after \(pageCount) pages with \(itemCount) items"
    }
}
