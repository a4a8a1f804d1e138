// SPDX-License-Identifier: MIT

/// The way in which a listing is divided into pages, without the closures that read a page's model.
struct PageScheme: Sendable, Hashable {
    /// The kinds of paging.
    enum Style: Sendable, Hashable {
        case offset(parameter: String, first: Int)
        case number(parameter: String, first: Int)
        case cursor(parameter: String)
        case link(relation: String)
        case nextURL
    }

    let style: Style
    /// The requested number of items per page.
    var size: Int?
    /// The query item for this number.
    var sizeParameter: String?
    /// How many pages are loaded at most.
    var pageLimit: Int?
    /// True if the next page is loaded while the present one is used.
    var prefetches = false
    /// Where the next page may lie, if the server names its URL.
    var origins = PageOrigins.any
    /// True if a page with fewer items than asked for is the last one.
    var endsWithShortPage = true

    private init(_ style: Style) {
        self.style = style
    }

    /// Pages by the number of their first item, which grows by the items received.
    static func offset(_ parameter: String = "offset", first: Int = 0) -> PageScheme {
        PageScheme(.offset(parameter: parameter, first: first))
    }

    /// Pages by their number.
    static func number(_ parameter: String = "page", first: Int = 1) -> PageScheme {
        PageScheme(.number(parameter: parameter, first: first))
    }

    /// Pages behind a mark that the page before gives.
    static func cursor(_ parameter: String = "cursor") -> PageScheme {
        PageScheme(.cursor(parameter: parameter))
    }

    /// Pages at the URL that the page before gives in `Link` (RFC 8288) with the relation `next`.
    static let link = PageScheme.link(relation: "next")

    /// Pages at the URL that the page before gives in `Link` (RFC 8288).
    static func link(relation: String) -> PageScheme {
        PageScheme(.link(relation: relation))
    }

    /// Pages at the URL that the page before gives in its body.
    static let nextURL = PageScheme(.nextURL)
}
