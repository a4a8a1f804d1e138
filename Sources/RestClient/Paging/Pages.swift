// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs

/// The pages of a listing, each loaded by an ordinary call.
///
/// ```swift
/// for try await page in manager.request(.orders).pages(.link) { show(page.items) }
/// for try await order in manager.request(.orders).pages(.link).items { export(order) }
/// ```
///
/// Nothing is loaded until it is iterated; each iteration begins at the first page, or at the position set with
/// ``starting(from:)``. One page is loaded at a time. If a page cannot be loaded, the sequence throws; its position is
/// in ``Page/next`` of the previous page. For a list on screen, which loads pages as the user scrolls, see ``pager()``.
public struct Pages<Model: Sendable, Item: Sendable>: AsyncSequence, Sendable {
    /// A page of a listing.
    public struct Page: Sendable {
        /// The items of the page.
        public let items: [Item]

        /// The response that contains the page.
        public let response: Response<Model>

        /// The position after this page; store it to continue later with ``Pages/starting(from:)``.
        public let next: PagingState
    }

    /// A page.
    public typealias Element = Page

    typealias Content = (items: [Item], response: Response<Model>)
    /// A page, or `nil` for a response without content, and the facts about the page after it.
    typealias Loaded = Result<(content: Content?, facts: PageFacts), any Error>

    typealias Sending =
        @Sendable (PagePosition, JobContext?) async throws -> (response: Response<Model?>, request: PageRequest)

    private let rule: PageRule<Model>
    private let read: @Sendable (Model) throws -> [Item]
    private let send: Sending
    private(set) var machine: PagingStateMachine<Content>
    private var context: JobContext?

    init(_ rule: PageRule<Model>, items read: @escaping @Sendable (Model) throws -> [Item], send: @escaping Sending) {
        self.rule = rule
        self.read = read
        self.send = send
        machine = PagingStateMachine(rule.scheme)
    }

    /// Begins where another iteration ended, even in another process.
    ///
    /// - Parameter state: The value of ``Page/next`` of the last used page, or of ``Pager/position``.
    /// - Returns: A changed copy.
    /// - Throws: ``RestClientError`` with the code ``RestClientError/Code-swift.struct/invalidPage`` if the state
    ///   belongs to another kind of paging.
    public consuming func starting(from state: PagingState) throws(RestClientError) -> Self {
        try machine.restore(state)
        return self
    }

    /// Returns a pager, which loads pages on demand, for lists on screen.
    ///
    /// - Returns: A pager that begins where this sequence does.
    public func pager() -> Pager<Model, Item> {
        Pager(self)
    }

    /// The items of all pages in order; a page is loaded when its first item is requested.
    ///
    /// If a page cannot be loaded, the sequence throws the error of its call.
    public var items: some AsyncSequence<Item, any Error> & Sendable { PageItems(pages: self) }

    /// Creates an iterator; the first page is loaded when it is requested.
    public func makeAsyncIterator() -> Iterator {
        Iterator(pager: pager())
    }

    consuming func within(_ context: JobContext) -> Self {
        self.context = context
        return self
    }

    func result(at position: PagePosition) async -> Loaded {
        do {
            let (response, request) = try await load(position)
            let content = try Response<Model>(withContent: response).map { (items: try read($0.model), response: $0) }
            let facts = rule.facts(of: response, itemCount: content?.items.count ?? 0, requested: request)
            return .success((content: content, facts: facts))
        } catch {
            return .failure(error)
        }
    }

    /// Loads a page; as a part of the job, if a job loads the listing.
    private func load(_ position: PagePosition) async throws -> (response: Response<Model?>, request: PageRequest) {
        guard let context else {
            return try await send(position, nil)
        }
        return try await context.part("page") { context in try await send(position, context) }
    }

    /// An iterator over the pages.
    public struct Iterator: AsyncIteratorProtocol {
        let pager: Pager<Model, Item>

        /// Waits for the next page.
        ///
        /// - Returns: The page; `nil` after the last one.
        /// - Throws: The error of the call, or ``RestClientError`` if the server sends a page again or refers to a page
        ///   that must not be followed.
        public mutating func next() async throws -> Page? {
            try await pager.moveNext()
        }
    }
}

extension Pages: Job {
    /// Loads all pages as a member of a group, as a step of a chain, or as a node of a graph.
    ///
    /// ```swift
    /// let orders = graph.job("orders") { RequestNode(.orders).pages(.link) }
    /// ```
    ///
    /// - Parameter context: The surroundings of the job.
    /// - Returns: The items of all pages.
    /// - Throws: The error of the call for a page.
    public func run(in context: JobContext) async throws -> [Item] {
        var all: [Item] = []
        for try await page in within(context) {
            all += page.items
        }
        return all
    }
}

extension Pages: ListingJob {}

extension Pages: CustomReflectable {
    /// The position, for `dump` and other uses of reflection.
    public var customMirror: Mirror { Mirror(self, children: ["position": machine.state]) }
}

extension Response {
    /// Creates the response to a call whose response may have no content; `nil` if it has none.
    init?(withContent response: Response<Model?>) {
        guard let model = response.model else {
            return nil
        }
        self.init(model: model, details: response.details)
    }
}

struct PageItems<Model: Sendable, Item: Sendable>: AsyncSequence, Sendable {
    typealias Element = Item

    let pages: Pages<Model, Item>

    func makeAsyncIterator() -> Iterator {
        Iterator(pages: pages.makeAsyncIterator())
    }

    struct Iterator: AsyncIteratorProtocol {
        var pages: Pages<Model, Item>.Iterator
        fileprivate var rest: ArraySlice<Item> = []

        mutating func next() async throws -> Item? {
            while rest.isEmpty {
                guard let page = try await pages.next() else {
                    return nil
                }
                rest = page.items[...]
            }
            return rest.popFirst()
        }
    }
}
