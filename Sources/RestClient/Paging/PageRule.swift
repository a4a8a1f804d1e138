// SPDX-License-Identifier: MIT

public import RestEssentials

/// The way in which a listing is divided into pages, and in which a page refers to the next one.
///
/// ```swift
/// .offset("offset").size(100, as: "limit")
/// .cursor("after") { $0.meta.endCursor }
/// .nextURL { $0.next }
/// .link
/// ```
///
/// ``RequestNode/pages(_:items:)`` iterates over a listing by such a rule.
public struct PageRule<Model: Sendable>: Sendable {
    private(set) var scheme: PageScheme
    let next: @Sendable (Model) -> String?
    private(set) var total: @Sendable (Model) -> Int? = { _ in nil }
    private(set) var hasMore: @Sendable (Model) -> Bool? = { _ in nil }

    private init(_ style: PageScheme.Style, next: @escaping @Sendable (Model) -> String? = { _ in nil }) {
        scheme = PageScheme(style)
        self.next = next
    }

    /// Returns a rule for pages by the number of their first item, which grows by the number of received items.
    ///
    /// The listing ends with an empty page, with a response without content, with a page of fewer items than requested
    /// by ``size(_:as:)``, or when ``total(_:)`` or ``hasMore(_:)`` indicates it.
    ///
    /// - Parameters:
    ///   - parameter: The query item for the number.
    ///   - first: The number of the first item; zero by default.
    /// - Returns: The rule.
    public static func offset(_ parameter: String = "offset", first: Int = 0) -> PageRule {
        PageRule(.offset(parameter: parameter, first: first))
    }

    /// Returns a rule for pages by their number; the listing ends as with ``offset(_:first:)``.
    ///
    /// - Parameters:
    ///   - parameter: The query item for the number.
    ///   - first: The number of the first page; 1 by default.
    /// - Returns: The rule.
    public static func number(_ parameter: String = "page", first: Int = 1) -> PageRule {
        PageRule(.number(parameter: parameter, first: first))
    }

    /// Returns a rule for pages after a cursor from the previous page; a page without a cursor is the last.
    ///
    /// - Parameters:
    ///   - parameter: The query item for the cursor.
    ///   - next: Reads the cursor of the next page: a text, or a number like the identifier of the last item.
    /// - Returns: The rule.
    public static func cursor<Cursor: LosslessStringConvertible & Sendable>(
        _ parameter: String = "cursor",
        next: @escaping @Sendable (Model) -> Cursor?
    ) -> PageRule {
        PageRule(.cursor(parameter: parameter)) { next($0)?.description }
    }

    /// The rule for pages whose URL is in the header field `Link` (RFC 8288) of the previous page, with the relation
    /// `next`.
    ///
    /// A response without content that has such a link is passed over.
    public static var link: PageRule { .link(relation: "next") }

    /// Returns a rule for pages whose URL is in the header field `Link` (RFC 8288) of the previous page.
    ///
    /// - Parameter relation: The type of the relation, as in `prev` to go backwards.
    /// - Returns: The rule.
    public static func link(relation: String) -> PageRule {
        PageRule(.link(relation: relation))
    }

    /// Returns a rule for pages whose URL, possibly a relative one, is in the body of the previous page.
    ///
    /// - Parameter next: Reads the URL of the next page.
    /// - Returns: The rule.
    public static func nextURL(_ next: @escaping @Sendable (Model) -> String?) -> PageRule {
        PageRule(.nextURL, next: next)
    }

    /// Returns a rule for pages whose URL, possibly a relative one, is in the body of the previous page.
    ///
    /// - Parameter next: Reads the URL of the next page.
    /// - Returns: The rule.
    public static func nextURL(_ next: @escaping @Sendable (Model) -> URL?) -> PageRule {
        PageRule(.nextURL) { next($0)?.relativeString }
    }

    // MARK: - Options

    /// Sets the requested number of items per page; the server's default if it is not set.
    ///
    /// - Parameters:
    ///   - size: The number of items, at least 1.
    ///   - parameter: The query item for the number.
    /// - Returns: A changed copy.
    public consuming func size(_ size: Int, as parameter: String) -> Self {
        scheme.size = max(1, size)
        scheme.sizeParameter = parameter
        return self
    }

    /// Sets how the total number of items is read, at which a counted listing ends.
    ///
    /// - Parameter total: Reads the number from a page.
    /// - Returns: A changed copy.
    public consuming func total(_ total: @escaping @Sendable (Model) -> Int?) -> Self {
        self.total = total
        return self
    }

    /// Sets how a page says whether more pages follow; `false` ends the listing.
    ///
    /// - Parameter hasMore: Reads the value from a page.
    /// - Returns: A changed copy.
    public consuming func hasMore(_ hasMore: @escaping @Sendable (Model) -> Bool?) -> Self {
        self.hasMore = hasMore
        return self
    }

    /// Limits the number of pages that are loaded; the listing ends there without an error.
    ///
    /// - Parameter pages: The number of pages; unlimited by default.
    /// - Returns: A changed copy.
    public consuming func limit(_ pages: Int?) -> Self {
        scheme.pageLimit = pages.map { max(0, $0) }
        return self
    }

    /// Loads the next page while the current one is used.
    ///
    /// - Returns: A changed copy.
    public consuming func prefetching() -> Self {
        scheme.prefetches = true
        return self
    }

    /// Sets the origins allowed for the next page, if the server sends its URL; any origin by default.
    ///
    /// A page at another origin than the first one is loaded without credentials, unless a registered server has that
    /// origin; then that server's credentials are sent. A page in plain HTTP after one by HTTPS is an error, unless
    /// ``RedirectPolicy/allowingPlainHTTP()`` of the call's redirects allows it; no credentials of the call, the
    /// manager or the environment are sent there.
    ///
    /// - Parameter origins: The allowed origins.
    /// - Returns: A changed copy.
    public consuming func origins(_ origins: PageOrigins) -> Self {
        scheme.origins = origins
        return self
    }

    /// Continues after a page with fewer items than requested, as long as it has any.
    ///
    /// Servers that filter send such pages.
    ///
    /// - Returns: A changed copy.
    public consuming func continuingAfterShortPages() -> Self {
        scheme.endsWithShortPage = false
        return self
    }

    // MARK: - Reading a page

    func facts(of response: Response<Model?>, itemCount: Int, requested request: PageRequest) -> PageFacts {
        var facts = PageFacts(
            itemCount: itemCount,
            total: response.model.flatMap { total($0) },
            isLast: response.model.flatMap { hasMore($0) }.map { !$0 },
            digest: response.body.isEmpty ? nil : Self.digest(response.body)
        )
        do throws(RestClientError) {
            let base = try PageURL.base(response.raw.url ?? request.url)
            facts.url = base.textForSending
            facts.requestedURL = try? PageURL.base(request.url).textForSending
            facts.next = try next(after: response, at: base, allowsPlainHTTP: request.allowsPlainHTTP)
        } catch {
            facts.defect = error
        }
        return facts
    }

    /// Returns a digest of all bytes: the hash of `Data` is that of the first ones.
    private static func digest(_ body: Data) -> Int {
        var hasher = Hasher()
        unsafe body.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        return hasher.finalize()
    }

    private func next(
        after response: Response<Model?>,
        at base: HTTPURL,
        allowsPlainHTTP: Bool
    ) throws(RestClientError) -> String? {
        let reference: String?
        switch scheme.style {
        case .offset, .number: return nil
        case .cursor: return response.model.flatMap { next($0) }
        // In a body, an empty text stands for no page; as the target of a link it is the page itself.
        case .nextURL: reference = response.model.flatMap { next($0) }.flatMap { $0.isEmpty ? nil : $0 }
        case .link(let relation): reference = PageURL.reference(relation, in: response.links, of: base)
        }
        guard let reference else {
            return nil
        }
        return try PageURL.url(reference, of: base, origins: scheme.origins, allowsPlainHTTP: allowsPlainHTTP)
            .textForSending
    }
}
