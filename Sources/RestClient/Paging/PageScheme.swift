// SPDX-License-Identifier: MIT

struct PageScheme: Sendable, Hashable {
    enum Style: Sendable, Hashable {
        case offset(parameter: String, first: Int)
        case number(parameter: String, first: Int)
        case cursor(parameter: String)
        case link(relation: String)
        case nextURL
    }

    let style: Style
    var size: Int?
    var sizeParameter: String?
    var pageLimit: Int?
    var prefetches = false
    var origins = PageOrigins.any
    var endsWithShortPage = true

    private init(_ style: Style) {
        self.style = style
    }

    /// Returns a scheme for pages by the number of their first item, which grows by the number of received items.
    static func offset(_ parameter: String = "offset", first: Int = 0) -> PageScheme {
        PageScheme(.offset(parameter: parameter, first: first))
    }

    static func number(_ parameter: String = "page", first: Int = 1) -> PageScheme {
        PageScheme(.number(parameter: parameter, first: first))
    }

    static func cursor(_ parameter: String = "cursor") -> PageScheme {
        PageScheme(.cursor(parameter: parameter))
    }

    /// The scheme for pages whose URL is in `Link` (RFC 8288) of the previous page, with the relation `next`.
    static let link = PageScheme.link(relation: "next")

    static func link(relation: String) -> PageScheme {
        PageScheme(.link(relation: relation))
    }

    static let nextURL = PageScheme(.nextURL)
}
