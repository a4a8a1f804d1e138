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

    init(_ style: Style) {
        self.style = style
    }
}

/// The origins allowed for the next page, if the server sends its URL.
public enum PageOrigins: Sendable, Hashable {
    /// Any origin; the rules for whole URLs apply, so another origin receives no token.
    case any
    /// The origin of the previous page; the URL of another origin is an error.
    case same
}
