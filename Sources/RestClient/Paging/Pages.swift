// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs

/// The pages of a listing, one after the other, each loaded by an ordinary call.
///
/// ```swift
/// for try await page in manager.request(.orders).pages(.link) { show(page.items) }
/// for try await order in manager.request(.orders).pages(.link).items { export(order) }
/// ```
///
/// Nothing is loaded until it is iterated; each iteration begins at the first page, or where ``starting(from:)`` says.
/// One page is loaded at a time. When a page cannot be loaded, the sequence throws; the position before it is in
/// ``Page/next`` of the last page. For a list on screen, which asks for pages as its user scrolls, see ``pager()``.
public struct Pages<Model: Sendable, Item: Sendable>: AsyncSequence, Sendable {
    /// A page of a listing.
    public struct Page: Sendable {
        /// The items of the page.
        public let items: [Item]

        /// The response that brought the page.
        public let response: Response<Model>

        /// How far the listing has been gone through with this page; keep it to go on later with
        /// ``Pages/starting(from:)``.
        public let next: PagingState
    }

    /// A page.
    public typealias Element = Page

    typealias Content = (items: [Item], response: Response<Model>)
    typealias Loaded = Result<(content: Content, facts: PageFacts), any Error>

    /// Sends the call for a page.
    ///
    /// - Parameters:
    ///   - position: The position of the page.
    ///   - context: The surroundings of a job; `nil` outside of groups and graphs.
    /// - Returns: The response, and the URL that was asked for.
    typealias Sending =
        @Sendable (
            _ position: PagePosition, _ context: JobContext?
        ) async throws -> (response: Response<Model>, url: String)

    private let rule: PageRule<Model>
    private let read: @Sendable (Model) throws -> [Item]
    private let send: Sending
    private(set) var machine: PagingStateMachine<Content>
    /// The surroundings of a job; `nil` outside of groups and graphs.
    private var context: JobContext?

    init(_ rule: PageRule<Model>, items read: @escaping @Sendable (Model) throws -> [Item], send: @escaping Sending) {
        self.rule = rule
        self.read = read
        self.send = send
        machine = PagingStateMachine(rule.scheme)
    }

    /// Begins where another iteration ended, perhaps that of another process.
    ///
    /// - Parameter state: What ``Page/next`` of the last page used, or ``Pager/position``, said.
    /// - Returns: A changed copy.
    /// - Throws: ``RestClientError`` with the code ``RestClientError/Code-swift.struct/invalidPage`` if the state is of
    ///   another kind of paging.
    public consuming func starting(from state: PagingState) throws(RestClientError) -> Self {
        try machine.restore(state)
        return self
    }

    /// Returns a pager, which loads a page whenever it is asked to, for lists on screen.
    ///
    /// - Returns: A pager that begins where this sequence does.
    public func pager() -> Pager<Model, Item> {
        Pager(self)
    }

    /// The items of all pages, one after the other.
    public var items: Items { Items(pages: self) }

    /// Begins an iteration; the first page is loaded when it is asked for.
    public func makeAsyncIterator() -> Iterator {
        Iterator(pager: pager())
    }

    consuming func within(_ context: JobContext) -> Self {
        self.context = context
        return self
    }

    /// Loads a page.
    func result(at position: PagePosition) async -> Loaded {
        do {
            let (response, url) = try await send(position, context)
            let items = try read(response.model)
            return .success(((items, response), rule.facts(of: response, itemCount: items.count, requested: url)))
        } catch {
            return .failure(error)
        }
    }

    /// Waits for one page after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let pager: Pager<Model, Item>

        /// Waits for the next page.
        ///
        /// - Returns: The page; `nil` after the last one.
        /// - Throws: What the call throws, or ``RestClientError`` if the server repeats itself or names a page that
        ///   must not be followed.
        public mutating func next() async throws -> Page? {
            try await pager.moveNext()
        }
    }

    /// The items of all pages of a listing.
    public struct Items: AsyncSequence, Sendable {
        /// An item.
        public typealias Element = Item

        let pages: Pages

        /// Begins an iteration; the first page is loaded when its first item is asked for.
        public func makeAsyncIterator() -> Iterator {
            Iterator(pages: pages.makeAsyncIterator())
        }

        /// Waits for one item after the other.
        public struct Iterator: AsyncIteratorProtocol {
            var pages: Pages.Iterator
            private var rest: ArraySlice<Item> = []

            init(pages: Pages.Iterator) {
                self.pages = pages
            }

            /// Waits for the next item.
            ///
            /// - Returns: The item; `nil` after the last one of the last page.
            /// - Throws: What the call for a page throws.
            public mutating func next() async throws -> Item? {
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
    /// - Throws: What the call for a page throws.
    public func run(in context: JobContext) async throws -> [Item] {
        var all: [Item] = []
        for try await page in within(context) {
            all += page.items
        }
        return all
    }
}
