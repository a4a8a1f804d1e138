// SPDX-License-Identifier: MIT

import RestEssentials

/// How a listing is cut into pages, and where a page says how it goes on.
///
/// ```swift
/// .offset("offset").size(100, as: "limit")
/// .cursor("after") { $0.meta.endCursor }
/// .nextURL { $0.next }
/// .link
/// ```
///
/// ``RequestNode/pages(_:items:)`` goes through a listing by such a rule.
public struct PageRule<Model: Sendable>: Sendable {
    /// The rule, apart from how a page's model is read.
    private(set) var scheme: PageScheme
    /// Reads the cursor or the URL of the next page.
    let next: @Sendable (Model) -> String?
    /// Reads the number of all items.
    private(set) var total: @Sendable (Model) -> Int? = { _ in nil }
    /// Reads whether there are more pages.
    private(set) var hasMore: @Sendable (Model) -> Bool? = { _ in nil }

    private init(_ scheme: PageScheme, next: @escaping @Sendable (Model) -> String? = { _ in nil }) {
        self.scheme = scheme
        self.next = next
    }

    /// Pages by the number of their first item, which grows by the items received.
    ///
    /// The listing ends with an empty page, with a page of fewer items than asked for by ``size(_:as:)``, or where
    /// ``total(_:)`` or ``hasMore(_:)`` says so.
    ///
    /// - Parameters:
    ///   - parameter: The query item that holds the number.
    ///   - first: The number of the first item; zero by default.
    /// - Returns: The rule.
    public static func offset(_ parameter: String = "offset", first: Int = 0) -> PageRule {
        PageRule(.offset(parameter, first: first))
    }

    /// Pages by their number; the listing ends as one of ``offset(_:first:)``.
    ///
    /// - Parameters:
    ///   - parameter: The query item that holds the number.
    ///   - first: The number of the first page; 1 by default.
    /// - Returns: The rule.
    public static func number(_ parameter: String = "page", first: Int = 1) -> PageRule {
        PageRule(.number(parameter, first: first))
    }

    /// Pages behind a cursor that the page before gives; a page without one is the last.
    ///
    /// - Parameters:
    ///   - parameter: The query item that holds the cursor.
    ///   - next: Reads the cursor of the next page.
    /// - Returns: The rule.
    public static func cursor(
        _ parameter: String = "cursor",
        next: @escaping @Sendable (Model) -> String?
    ) -> PageRule {
        PageRule(.cursor(parameter), next: next)
    }

    /// Pages at the URL that the page before gives in its header field `Link` (RFC 8288) with the relation `next`.
    public static var link: PageRule { PageRule(.link) }

    /// Pages at the URL that the page before gives in its header field `Link` (RFC 8288).
    ///
    /// - Parameter relation: The type of the relation, as in `prev` to go backwards.
    /// - Returns: The rule.
    public static func link(relation: String) -> PageRule {
        PageRule(.link(relation: relation))
    }

    /// Pages at the URL, perhaps a relative one, that the page before gives in its body.
    ///
    /// - Parameter next: Reads the URL of the next page.
    /// - Returns: The rule.
    public static func nextURL(_ next: @escaping @Sendable (Model) -> String?) -> PageRule {
        PageRule(.nextURL, next: next)
    }
}

// MARK: - Verbs

extension PageRule {
    /// Sets how many items a page is asked to have; the server's default if it is not set.
    ///
    /// - Parameters:
    ///   - size: The number of items, at least 1.
    ///   - parameter: The query item that holds it.
    /// - Returns: A changed copy.
    public consuming func size(_ size: Int, as parameter: String) -> Self {
        scheme.size = max(1, size)
        scheme.sizeParameter = parameter
        return self
    }

    /// Reads the number of all items, which ends a listing that is counted.
    ///
    /// - Parameter total: Reads the number from a page.
    /// - Returns: A changed copy.
    public consuming func total(_ total: @escaping @Sendable (Model) -> Int?) -> Self {
        self.total = total
        return self
    }

    /// Reads whether there are more pages; `false` ends the listing.
    ///
    /// - Parameter hasMore: Reads it from a page.
    /// - Returns: A changed copy.
    public consuming func hasMore(_ hasMore: @escaping @Sendable (Model) -> Bool?) -> Self {
        self.hasMore = hasMore
        return self
    }

    /// Limits how many pages are loaded; the listing ends there without an error.
    ///
    /// - Parameter pages: The number of pages; any number by default.
    /// - Returns: A changed copy.
    public consuming func limit(_ pages: Int?) -> Self {
        scheme.pageLimit = pages.map { max(0, $0) }
        return self
    }

    /// Loads the next page while the present one is used.
    ///
    /// - Returns: A changed copy.
    public consuming func prefetching() -> Self {
        scheme.prefetches = true
        return self
    }

    /// Sets where the next page may lie, if the server names its URL; anywhere by default.
    ///
    /// A page at another origin than the first one is loaded without credentials, unless a registered server has that
    /// origin, whose own are sent then.
    ///
    /// - Parameter origins: Where it may lie.
    /// - Returns: A changed copy.
    public consuming func origins(_ origins: PageOrigins) -> Self {
        scheme.origins = origins
        return self
    }

    /// Goes on after a page with fewer items than asked for, as long as it has any.
    ///
    /// Servers that filter send such pages.
    ///
    /// - Returns: A changed copy.
    public consuming func continuingAfterShortPages() -> Self {
        scheme.endsWithShortPage = false
        return self
    }
}

// MARK: - Reading a page

extension PageRule {
    /// Returns the facts that a page tells.
    ///
    /// - Parameters:
    ///   - response: The page.
    ///   - itemCount: How many items it has.
    ///   - url: The URL of the request for it.
    func facts(of response: Response<Model>, itemCount: Int, requested url: String) -> PageFacts {
        var facts = PageFacts(
            itemCount: itemCount,
            total: total(response.model),
            isLast: hasMore(response.model).map { !$0 },
            digest: response.body.isEmpty ? nil : response.body.hashValue
        )
        do throws(RestClientError) {
            let base = try PageURL.base(response.raw.url ?? url)
            facts.url = base.textForSending
            facts.next = try next(after: response, at: base)
        } catch {
            facts.defect = error
        }
        return facts
    }

    private func next(after response: Response<Model>, at base: HTTPURL) throws(RestClientError) -> String? {
        let reference: String?
        switch scheme.style {
        case .offset, .number: return nil
        case .cursor: return next(response.model)
        case .nextURL: reference = next(response.model)
        case .link(let relation): reference = PageURL.reference(relation, in: response.links, of: base)
        }
        guard let reference, !reference.isEmpty else {
            return nil
        }
        return try PageURL.url(reference, of: base, origins: scheme.origins).textForSending
    }
}
