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
    /// The maximum number of pages that are loaded.
    var pageLimit: Int?
    /// True if the next page is loaded while the current one is used.
    var prefetches = false
    /// The origins allowed for the next page, if the server sends its URL.
    var origins = PageOrigins.any
    /// True if a page with fewer items than requested is the last one.
    var endsWithShortPage = true

    private init(_ style: Style) {
        self.style = style
    }

    /// Returns a scheme for pages by the number of their first item, which grows by the number of received items.
    static func offset(_ parameter: String = "offset", first: Int = 0) -> PageScheme {
        PageScheme(.offset(parameter: parameter, first: first))
    }

    /// Returns a scheme for pages by their number.
    static func number(_ parameter: String = "page", first: Int = 1) -> PageScheme {
        PageScheme(.number(parameter: parameter, first: first))
    }

    /// Returns a scheme for pages after a cursor from the previous page.
    static func cursor(_ parameter: String = "cursor") -> PageScheme {
        PageScheme(.cursor(parameter: parameter))
    }

    /// The scheme for pages whose URL is in `Link` (RFC 8288) of the previous page, with the relation `next`.
    static let link = PageScheme.link(relation: "next")

    /// Returns a scheme for pages whose URL is in `Link` (RFC 8288) of the previous page.
    static func link(relation: String) -> PageScheme {
        PageScheme(.link(relation: relation))
    }

    /// The scheme for pages whose URL is in the body of the previous page.
    static let nextURL = PageScheme(.nextURL)
}
