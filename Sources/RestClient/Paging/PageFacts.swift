// SPDX-License-Identifier: MIT

/// The facts that a page tells of itself and of the one behind it, as far as they are known.
struct PageFacts: Sendable {
    /// How many items the page has.
    var itemCount: Int

    /// The cursor or the whole URL of the next page; `nil` or empty if there is none.
    var next: String?

    /// The whole URL of the page, redirects followed, by which a page that names itself as the next one is known.
    var url: String?

    /// How many items the listing has in all.
    var total: Int?

    /// A Boolean value that tells whether this is the last page, if the server says so, as in `has_more`.
    var isLast: Bool?

    /// A number by which two pages of the same bytes are known, as long as this process lives.
    var digest: Int?

    /// The reason why the next page cannot be loaded, although there is one.
    var defect: RestClientError?
}
