// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// How a listing ends: with a page, without content, and in a circle.
@Suite
struct PageEndTests {
    /// A page with a link to the next one in its head and its body.
    private static func page(_ number: Int, next: String?) throws -> RawResponse {
        var headers: HTTPFields = [.contentType: "application/json"]
        if let name = HTTPField.Name("Link"), let next {
            headers[name] = "<\(next)>; rel=\"next\""
        }
        let body = try JSONEncoder().encode(["items": ["\(number)"], "next": next.map { [$0] } ?? []])
        return RawResponse(headers: headers, body: body)
    }

    private typealias Listing = [String: [String]]

    private static let rules: [(name: String, rule: PageRule<[String: [String]]>)] = [
        ("number", .number()), ("offset", .offset()), ("cursor", .cursor { $0["next"]?.first }), ("link", .link),
        ("next URL", .nextURL { $0["next"]?.first }),
    ]

    private static let ends: [(name: String, response: RawResponse)] = [
        ("204", .status(.noContent)), ("205", .status(.resetContent)), ("empty", .text("")), ("blank", .text(" \r\n")),
        ("202", .status(.accepted)), ("204 with another link", empty(.noContent, "</9>; rel=prev")),
    ]

    /// The ends whose status says that there is no content.
    private static let statedEnds = [0, 1, 5]

    private static func empty(_ status: HTTPResponse.Status, _ link: String, body: String = "") -> RawResponse {
        .text(body, status, headers: HTTPField.Name("Link").map { [$0: link] } ?? [:])
    }

    private static let listings: [(Int, Int)] =
        statedEnds.flatMap { end in rules.indices.map { ($0, end) } } + [2, 3, 4].flatMap { [(0, $0), (1, $0)] }

    @Test(arguments: listings.indices)
    func `a response without content ends a listing, and fails no call`(index: Int) async throws {
        let (rule, end) = Self.listings[index]
        let count = Recorder<Void>()
        let client = StubbedClient(
            StubTransport { request in
                count.record(())
                guard count.count < 3 else {
                    return Self.ends[end].response
                }
                return try Self.page(count.count, next: "https://api.example.com/v1/list/\(count.count)")
            }
        )
        let events = EventRecorder(client.manager)
        var items: [String] = []

        let node = client.manager.request(Listing.self).endpoint("/list")
        for try await item in node.pages(Self.rules[rule].rule, items: { $0["items"] ?? [] }).items {
            items.append(item)
        }

        #expect(items == ["1", "2"])
        #expect(count.count == 3)
        #expect(events.events.filter(\.isTerminal).allSatisfy { $0.kind.name == .callSucceeded })
    }

    @Test(arguments: [2, 3, 4], [2, 3, 4])
    func `a blank body where the page says what follows is an error`(rule: Int, end: Int) async throws {
        let client = StubbedClient(
            StubTransport(answering: [try Self.page(1, next: "https://api.example.com/v1/2"), Self.ends[end].response])
        )
        let node = client.manager.request(Listing.self).endpoint("/list")
        let pager = node.pages(Self.rules[rule].rule) { $0["items"] ?? [] }.pager()

        #expect(try await pager.moveNext()?.items == ["1"])
        let position = pager.position
        let error = await #expect(throws: RestClientError.self) { try await pager.moveNext() }

        #expect(error?.code == .decodingFailed)
        #expect(pager.position == position)
        #expect(pager.canMoveNext)
    }

    @Test
    func `a blank body that the model can be decoded from is a page`() async throws {
        let pages = [
            RawResponse.text("[1]", headers: [try #require(HTTPField.Name("Link")): "</2>; rel=next"]), .text(""),
        ]
        let client = StubbedClient(StubTransport(answering: pages))
        var counts: [Int] = []

        for try await page in client.manager.request([Int]?.self).endpoint("/list").pages(.link, items: { $0 ?? [] }) {
            counts.append(page.items.count)
        }

        #expect(counts == [1, 0])
    }

    @Test(arguments: [false, true], [("", 200), (" \n", 200), ("", 202), ("", 204), ("", 205)])
    func `a listing by links goes on behind responses without content`(
        prefetches: Bool,
        empty: (body: String, status: Int)
    ) async throws {
        let client = StubbedClient(
            StubTransport { request in
                let status = HTTPResponse.Status(code: empty.status)
                switch request.url {
                case "https://api.example.com/v1/list": return try Self.page(1, next: "/v1/list?c=2")
                case "https://api.example.com/v1/list?c=2":
                    return Self.empty(status, "<?c=3>; rel=next", body: empty.body)
                case "https://api.example.com/v1/list?c=3":
                    return Self.empty(status, "<?c=4>; rel=next", body: empty.body)
                default: return try Self.page(4, next: nil)
                }
            }
        )
        let rule = prefetches ? PageRule<Listing>.link.prefetching() : .link
        var states: [PagingState] = []
        var items: [String] = []

        for try await page in client.manager.request(Listing.self).endpoint("/list")
            .pages(rule, items: { $0["items"] ?? [] })
        {
            items += page.items
            states.append(page.next)
        }

        #expect(items == ["1", "4"])
        #expect(client.requests.count == 4)
        #expect(states.map(\.position) == [.url("https://api.example.com/v1/list?c=2"), nil])
        #expect(states.map(\.itemCount) == [1, 2])
    }

    @Test
    func `who waits for a page that is loaded ahead gets the one behind a response without content`() async throws {
        let gate = Gate()
        let client = StubbedClient(
            StubTransport { request in
                guard request.url.hasSuffix("?c=2") else {
                    return try request.url.hasSuffix("?c=3")
                        ? Self.page(3, next: nil) : Self.page(1, next: "/v1/list?c=2")
                }
                try await gate.wait()
                return Self.empty(.noContent, "<?c=3>; rel=next")
            }
        )
        let pager = client.manager.request(Listing.self).endpoint("/list")
            .pages(.link.prefetching()) { $0["items"] ?? [] }.pager()

        #expect(try await pager.moveNext()?.items == ["1"])
        try await gate.waitForWaiters(count: 1)
        let waiting = Task { try await pager.moveNext()?.items }
        gate.open()

        #expect(try await waiting.value == ["3"])
        #expect(try await pager.moveNext() == nil)
    }

    @Test(arguments: [
        ("</v1/list>; rel=next", RestClientError.Code.pageRepeated), ("<>; rel=next", .pageRepeated),
        ("<http://api.example.com/v1/2>; rel=next", .pageRefused), ("<ftp://x>; rel=next", .pageRefused),
    ])
    func `a response without content that links to no new page is an error`(
        link: String,
        code: RestClientError.Code
    ) async throws {
        let client = StubbedClient(answering: Self.empty(.ok, link))
        let pager = client.manager.request([Int].self).endpoint("/list").pages(.link).pager()

        let error = await #expect(throws: RestClientError.self) { try await pager.moveNext() }

        #expect(error?.code == code)
        #expect(client.requests.count == 1)
    }

    @Test
    func `responses without content count for the limit of pages`() async throws {
        let count = Recorder<Void>()
        let client = StubbedClient(
            StubTransport { _ in
                count.record(())
                return Self.empty(.ok, "<?c=\(count.count)>; rel=next")
            }
        )
        let pager = client.manager.request([Int].self).endpoint("/list").pages(.link.limit(5)).pager()

        #expect(try await pager.moveNext() == nil)
        #expect(!pager.canMoveNext)
        #expect(count.count == 5)
    }

    @Test(arguments: ends.indices)
    func `a listing without content has no pages, and who waits for a page gets nothing`(end: Int) async throws {
        let client = StubbedClient(answering: Self.ends[end].response)
        let pager = client.manager.request([Int].self).endpoint("/list").pages(.number().prefetching()).pager()

        #expect(try await pager.moveNext() == nil)
        #expect(!pager.canMoveNext)
        #expect(pager.position == PagingState(position: nil))
        #expect(client.requests.count == 1)
    }

    @Test
    func `a page that is loaded ahead and has no content ends the listing for who waits for it`() async throws {
        let gate = Gate()
        let client = StubbedClient(
            StubTransport { request in
                guard request.url.hasSuffix("page=2") else {
                    return .text("[1]")
                }
                try await gate.wait()
                return .status(.noContent)
            }
        )
        let pager = client.manager.request([Int].self).endpoint("/list").pages(.number().prefetching()).pager()

        #expect(try await pager.moveNext()?.items == [1])
        try await gate.waitForWaiters(count: 1)
        let waiting = Task { try await pager.moveNext()?.items }
        gate.open()

        #expect(try await waiting.value == nil)
        #expect(try await pager.moveNext() == nil)
    }

    @Test
    func `the handlers of the node see the pages, and not the end`() async throws {
        let seen = Recorder<[Int]>()
        let client = StubbedClient(StubTransport(answering: [.text("[1]"), .status(.noContent)]))
        let node = client.manager.request([Int].self).endpoint("/list")
            .mapResult { try $0.get().map { $0 * 10 } }
            .onSuccess { seen.record($0.model) }
            .onError { _ in seen.record([]) }

        var items: [Int] = []
        for try await item in node.pages(.number()).items {
            items.append(item)
        }

        #expect(items == [10])
        #expect(seen.elements == [[10]])
    }

    @Test
    func `pages of an optional array may be null`() async throws {
        let client = StubbedClient(StubTransport(answering: [.text("[1,2]"), .text("null")]))
        var items: [Int] = []

        for try await item in client.manager.request([Int]?.self).endpoint("/list")
            .pages(.number(), items: { $0 ?? [] }).items
        {
            items.append(item)
        }

        #expect(items == [1, 2])
        #expect(client.requests.count == 2)
    }

    /// Links of the pages by their paths.
    @Test(arguments: [
        ["/list": ""], ["/list": "/v1/list"], ["/list": "list#2"],
        ["/list": "/v1/list?c=1", "/list?c=1": "?c=2", "/list?c=2": "list?c=1"],
        ["/list": "/v1/list?c=1", "/list?c=1": "/v1/list"],
    ])
    func `links in a circle are an error after the last page`(links: [String: String]) async throws {
        let count = Recorder<Void>()
        let client = StubbedClient(
            StubTransport { request in
                count.record(())
                let path = request.url.replacing("https://api.example.com/v1", with: "")
                return try Self.page(count.count, next: links[path])
            }
        )
        let pages = client.manager.request(Listing.self).endpoint("/list").pages(.link) { $0["items"] ?? [] }
        var items: [String] = []

        let error = await #expect(throws: RestClientError.self) {
            for try await item in pages.items {
                items.append(item)
            }
        }

        #expect(error?.code == .pageRepeated)
        #expect(items == (1...count.count).map(String.init))
        #expect(count.count == links.count)
    }

    @Test
    func `pages that differ behind a long common head are two pages`() async throws {
        let head = "\"" + String(repeating: "a", count: 200)
        let pages = ["1", "2"].map { RawResponse.text("[\(head)\($0)\"]") }
        let client = StubbedClient(StubTransport(answering: pages + [.text("[]")]))

        var items: [String] = []
        for try await item in client.manager.request([String].self).endpoint("/list").pages(.number()).items {
            items.append(item)
        }

        #expect(items.map(\.last) == ["1", "2"])
    }

    @Test(arguments: ["/list?page=7&q=x", "/list?q=x&%70age=7", "/list?page=1&q=x&page=2"])
    func `a query item that the URL has already is replaced`(endpoint: String) async throws {
        let client = StubbedClient(StubTransport(answering: [.text("[1]"), .text("[]")]))
        let manager = client.manager

        for node in [
            manager.request([Int].self).endpoint(PathTemplate(endpoint)),
            manager.request([Int].self).url("https://api.example.com/v1\(endpoint)"),
        ] {
            var pages = node.pages(.number()).makeAsyncIterator()
            _ = try await pages.next()
            #expect(client.requests.last?.query == "q=x&page=1")
        }
    }

    @Test(arguments: ["a%5B0%5D=7&q=x", "q=x&a%5b0%5d=7", "q=x&%61%5B0%5D=7", "q=x&a[0]=7"])
    func `a query item that the URL has in another encoding is replaced`(query: String) async throws {
        let client = StubbedClient(StubTransport(answering: [.text("[1]"), .text("[]")]))
        let node = client.manager.request([Int].self).url("https://api.example.com/v1/list?\(query)")

        var pages = node.pages(.number("a[0]")).makeAsyncIterator()
        _ = try await pages.next()

        #expect(client.requests.last?.query == "q=x&a%5B0%5D=1")
    }
}
