// SPDX-License-Identifier: MIT

struct PageFacts: Sendable {
    var itemCount: Int

    /// The cursor or the whole URL of the next page; `nil` or empty if there is none.
    var next: String?

    /// The URL of the page after redirects, by which a page that refers to itself as the next one is detected.
    var url: String?

    var requestedURL: String?

    var total: Int?

    /// A Boolean value that indicates whether this is the last page, if the server reports it, as in `has_more`.
    var isLast: Bool?

    /// A hash by which two pages with the same bytes are detected, valid within this process.
    var digest: Int?

    var defect: RestClientError?
}

struct PageRequest: Sendable, Hashable {
    let url: String

    let allowsPlainHTTP: Bool
}
