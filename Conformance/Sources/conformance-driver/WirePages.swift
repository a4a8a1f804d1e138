// SPDX-License-Identifier: MIT

import RestClient

/// How a listing is cut into pages.
struct WirePages: Decodable {
    /// The values of `style`.
    enum Style: String, Decodable {
        case link
        case nextURL = "next-url"
        case cursor
        case page
        case offset
    }

    static let members = Members(["style", "items", "next", "parameter", "size", "sizeValue", "first"])

    let style: Style
    /// The names of the member that holds the items, separated by dots; empty for a top-level array.
    let items: String?
    /// The names of the member that holds the cursor or the URL of the next page.
    let next: String?
    let parameter: String?
    let size: String?
    let sizeValue: Int?
    let first: Int?

    /// The same rule as the library describes it.
    var rule: PageRule<JSONValue> {
        guard let size, let sizeValue else {
            return unsized
        }
        return unsized.size(sizeValue, as: size)
    }

    /// Reads the items of a page.
    func items(of page: JSONValue) throws -> [JSONValue] {
        guard case .array(let found) = page[path: items ?? ""] else {
            throw WireError(text: "the page has no list in '\(items ?? "")'")
        }
        return found
    }

    private var unsized: PageRule<JSONValue> {
        let next = next ?? "next"
        return switch style {
        case .link: .link
        case .nextURL: .nextURL { $0[path: next].flatMap(Self.text) }
        case .cursor: .cursor(parameter ?? "cursor") { $0[path: next].flatMap(Self.text) }
        case .page: .number(parameter ?? "page", first: first ?? 1)
        case .offset: .offset(parameter ?? "offset", first: first ?? 0)
        }
    }

    /// A cursor, which may be a number.
    private static func text(_ value: JSONValue) -> String? {
        value.stringValue ?? value.intValue.map(String.init)
    }
}
