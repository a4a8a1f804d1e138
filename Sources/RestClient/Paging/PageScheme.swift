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

    struct Parameter: Sendable, Hashable {
        let name: String
        let value: String
    }

    var first: PagePosition {
        switch style {
        case .offset(_, let first): .offset(first)
        case .number(_, let first): .number(first)
        case .cursor, .link, .nextURL: .start
        }
    }

    func accepts(_ position: PagePosition) -> Bool {
        switch (style, position) {
        case (.offset, .offset(let number)), (.number, .number(let number)): number >= 0
        case (.cursor, .cursor(let text)), (.link, .url(let text)), (.nextURL, .url(let text)): !text.isEmpty
        case (.cursor, .start), (.link, .start), (.nextURL, .start): true
        default: false
        }
    }

    /// Returns the query items of the request for a page; none for a page at a URL from the server, which contains
    /// them.
    func parameters(for position: PagePosition) -> [Parameter] {
        var parameters: [Parameter] = []
        switch (style, position) {
        case (_, .url): return []
        case (.offset(let name, _), .offset(let number)), (.number(let name, _), .number(let number)):
            parameters.append(Parameter(name: name, value: String(number)))
        case (.cursor(let name), .cursor(let text)):
            parameters.append(Parameter(name: name, value: text))
        default: break
        }
        if let size, let sizeParameter {
            parameters.append(Parameter(name: sizeParameter, value: String(size)))
        }
        return parameters
    }

    /// Returns the position after a page.
    ///
    /// An empty page ends a counted listing; a page without a cursor ends any other, where an empty page may be
    /// followed by more.
    func position(after position: PagePosition, _ facts: PageFacts) -> PagePosition? {
        guard facts.isLast != true else {
            return nil
        }
        switch (style, position) {
        case (.offset(_, let first), .offset(let number)):
            let (next, overflows) = number.addingReportingOverflow(facts.itemCount)
            guard !overflows, goesOn(facts, received: next.subtractingReportingOverflow(first).partialValue) else {
                return nil
            }
            return .offset(next)
        case (.number(_, let first), .number(let number)):
            let (next, overflows) = number.addingReportingOverflow(1)
            let received = size.flatMap { Self.received(in: number, from: first, size: $0, facts) }
            guard !overflows, goesOn(facts, received: received) else {
                return nil
            }
            return .number(next)
        case (.cursor, _):
            return facts.next.flatMap { $0.isEmpty ? nil : .cursor($0) }
        case (.link, _), (.nextURL, _):
            return facts.next.flatMap { $0.isEmpty ? nil : .url($0) }
        default:
            return nil
        }
    }

    private static func received(in number: Int, from first: Int, size: Int, _ facts: PageFacts) -> Int? {
        let (pages, isTooFar) = number.subtractingReportingOverflow(first)
        let (before, isTooMany) = pages.multipliedReportingOverflow(by: size)
        let (sum, isTooLarge) = before.addingReportingOverflow(facts.itemCount)
        return isTooFar || isTooMany || isTooLarge ? nil : sum
    }

    private func goesOn(_ facts: PageFacts, received: Int?) -> Bool {
        if facts.itemCount <= 0 {
            return false
        }
        if let total = facts.total, let received {
            return received < total
        }
        if facts.isLast == nil, endsWithShortPage, let size {
            return facts.itemCount >= size
        }
        return true
    }
}

/// The origins allowed for the next page, if the server sends its URL.
public enum PageOrigins: Sendable, Hashable {
    /// Any origin; the rules for whole URLs apply, so another origin receives no token.
    case any
    /// The origin of the previous page; the URL of another origin is an error.
    case same
}
