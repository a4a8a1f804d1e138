// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs
import RestClientTesting
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// A listing of numbers from 1 on, cut into pages in every way.
private struct Listing: Sendable {
    var count = 7
    var size = 3
    /// The URL of the pages after the first one.
    var base = "https://api.example.com/v1"

    private func items(from first: Int) -> [Int] {
        first > count ? [] : Array(first...min(count, first + size - 1))
    }

    /// Responds to a request for a page: by number, by offset, by cursor; each page names the next in every way.
    func respond(_ request: TransportRequest) throws -> RawResponse {
        let query = try items(of: request)
        let start: Int
        if let page = query["page"].flatMap(Int.init) {
            start = (page - 1) * size + 1
        } else if let offset = query["offset"].flatMap(Int.init) {
            start = offset + 1
        } else {
            start = query["after"].flatMap { Int($0.dropFirst()) } ?? 1
        }
        let numbers = items(from: start)
        let next = start + size <= count ? start + size : nil
        let envelope = Envelope(
            orders: numbers,
            meta: Envelope.Meta(cursor: next.map { "c\($0)" }, total: count, hasMore: next != nil),
            next: next.map { "\(base)/orders?after=c\($0)" }
        )
        var headers: HTTPFields = [.contentType: "application/json"]
        if let name = HTTPField.Name("Link"), let next = envelope.next {
            headers[name] = "<\(next)>; rel=\"next\", </v1>; rel=\"index\""
        }
        let isPlain = request.url.contains("/plain")
        let body = try isPlain ? JSONEncoder().encode(numbers) : JSONEncoder().encode(envelope)
        return RawResponse(headers: headers, body: body)
    }

    private func items(of request: TransportRequest) throws -> [String: String] {
        let pairs = (request.query ?? "").split(separator: "&").map { $0.split(separator: "=", maxSplits: 1) }
        return Dictionary(pairs.map { (String($0[0]), String($0.last ?? "")) }) { _, last in last }
    }
}

private struct Envelope: Codable, Sendable {
    struct Meta: Codable, Sendable {
        var cursor: String?
        var total: Int
        var hasMore: Bool
    }

    var orders: [Int]
    var meta: Meta
    var next: String?
}

@Suite
struct PagesTests {
    private func client(_ listing: Listing = Listing()) -> StubbedClient {
        StubbedClient(StubTransport { try listing.respond($0) })
    }

    private func paths(_ client: StubbedClient) -> [String] {
        client.requests.map { $0.url.replacing("https://api.example.com/v1", with: "") }
    }

    @Test(arguments: [
        (PageRule<Envelope>.number(), ["?page=1", "?page=2", "?page=3", "?page=4"]),
        (.number().hasMore { $0.meta.hasMore }, ["?page=1", "?page=2", "?page=3"]),
        (.number().size(3, as: "n"), ["?page=1&n=3", "?page=2&n=3", "?page=3&n=3"]),
        (.offset(), ["?offset=0", "?offset=3", "?offset=6", "?offset=7"]),
        (.offset().total { $0.meta.total }, ["?offset=0", "?offset=3", "?offset=6"]),
        (.cursor("after") { $0.meta.cursor }, ["", "?after=c4", "?after=c7"]),
        (.cursor("after", next: \.meta.cursor).size(3, as: "n"), ["?n=3", "?after=c4&n=3", "?after=c7&n=3"]),
        (.cursor("after") { $0.meta.cursor.flatMap { Int("10" + $0.dropFirst()) } }, ["", "?after=104", "?after=107"]),
        (.nextURL { $0.next.flatMap { URL(string: $0) } }, ["", "?after=c4", "?after=c7"]),
        (.nextURL(\.next).size(3, as: "n"), ["?n=3", "?after=c4", "?after=c7"]),
        (.link, ["", "?after=c4", "?after=c7"]),
    ])
    fileprivate func `a listing is gone through page by page`(rule: PageRule<Envelope>, queries: [String]) async throws
    {
        let client = client()
        var numbers: [Int] = []

        for try await page in client.manager.request(Envelope.self).endpoint("/orders").pages(rule, items: \.orders) {
            numbers += page.items
            #expect(page.response.status == .ok)
        }

        #expect(numbers == Array(1...7))
        #expect(paths(client) == queries.map { "/orders" + $0 })
    }

    @Test
    func `a listing of plain arrays needs no closure, and its items come one by one`() async throws {
        let client = client()
        var numbers: [Int] = []

        for try await number in client.manager.request([Int].self).endpoint("/plain").pages(.number()).items {
            numbers.append(number)
        }

        #expect(numbers == Array(1...7))
    }

    @Test
    func `a page is loaded when its first item is requested, and none after the last used one`() async throws {
        let client = client()
        var items = client.manager.request([Int].self).endpoint("/plain").pages(.number()).items.makeAsyncIterator()

        #expect(client.requests.isEmpty)
        for expected in 1...3 {
            #expect(try await items.next() == expected)
        }
        #expect(client.requests.count == 1)
        #expect(try await items.next() == 4)
        #expect(client.requests.count == 2)
    }

    @Test
    func `the rule's query items replace the node's own`() async throws {
        let client = client()
        let node = client.manager.request([Int].self).endpoint("/plain").query(["q": "x", "page": 9])
        var pages = node.pages(.number()).makeAsyncIterator()

        _ = try await pages.next()
        _ = try await pages.next()
        #expect(paths(client) == ["/plain?q=x&page=1", "/plain?q=x&page=2"])

        let named = client.manager.request([Int].self).endpoint("/plain").values(["page": 9, "q": "x"])
        var others = named.pages(.number()).makeAsyncIterator()
        _ = try await others.next()
        #expect(client.requests.last?.query == "page=1&q=x")
    }

    @Test
    func `an iteration continues where another process stopped`() async throws {
        let client = client()
        let pages = client.manager.request(Envelope.self).endpoint("/orders").pages(.link, items: \.orders)
        var first = pages.makeAsyncIterator()
        let page = try #require(try await first.next())

        let kept = try JSONEncoder().encode(page.next)
        let state = try JSONDecoder().decode(PagingState.self, from: kept)
        var numbers: [Int] = []
        for try await number in try pages.starting(from: state).items {
            numbers.append(number)
        }

        #expect(page.items == [1, 2, 3])
        #expect(numbers == [4, 5, 6, 7])
        let error = #expect(throws: RestClientError.self) {
            try client.manager.request([Int].self).pages(.number()).starting(from: state)
        }
        #expect(error?.code == .invalidPage)
    }

    @Test
    func `a failure keeps the position`() async throws {
        let failures = Recorder<Void>()
        let client = StubbedClient(
            StubTransport { request in
                if request.url.contains("page=2"), failures.count == 0 {
                    failures.record(())
                    return .status(.internalServerError)
                }
                return try Listing().respond(request)
            }
        )
        let pager = client.manager.request([Int].self).endpoint("/plain").pages(.number()).pager()

        #expect(try await pager.moveNext()?.items == [1, 2, 3])
        await #expect(throws: RestClientError.self) { try await pager.moveNext() }
        #expect(pager.canMoveNext)
        #expect(try await pager.moveNext()?.items == [4, 5, 6])
        pager.reset()
        #expect(try await pager.moveNext()?.items == [1, 2, 3])
        #expect(pager.position == PagingState(position: .number(2), pageCount: 1, itemCount: 3))
    }

    @Test
    func `a listing ends at the limit of pages`() async throws {
        let client = client()
        var numbers: [Int] = []

        for try await number in client.manager.request([Int].self).endpoint("/plain").pages(.number().limit(2)).items {
            numbers.append(number)
        }

        #expect(numbers == Array(1...6))
        #expect(client.requests.count == 2)
    }

    @Test
    func `a server that ignores the parameter of the page is found out`() async throws {
        let client = StubbedClient(answering: .text("[1,2]"))
        let pager = client.manager.request([Int].self).endpoint("/plain").pages(.number()).pager()

        #expect(try await pager.moveNext()?.items == [1, 2])
        let error = await #expect(throws: RestClientError.self) { try await pager.moveNext() }
        #expect(error?.code == .pageRepeated)
        #expect(!pager.canMoveNext)
    }

    @Test
    func `a page that points to itself is delivered, and the next one is an error`() async throws {
        let client = StubbedClient(
            answering: .text(#"{"orders":[1],"meta":{"total":1,"hasMore":true},"next":"orders#x"}"#)
        )
        let pager = client.manager.request(Envelope.self).endpoint("/orders").pages(.nextURL(\.next), items: \.orders)
            .pager()

        #expect(try await pager.moveNext()?.items == [1])
        let error = await #expect(throws: RestClientError.self) { try await pager.moveNext() }
        #expect(error?.code == .pageRepeated)
        #expect(client.requests.count == 1)
    }

    @Test(arguments: ["ftp://api.example.com/x", "https://user@api.example.com/x", "https://other.example.com/x"])
    func `a page is delivered although the next one must not be followed`(next: String) async throws {
        let client = StubbedClient(
            answering: .text(#"{"orders":[1],"meta":{"total":1,"hasMore":true},"next":"\#(next)"}"#)
        )
        let rule = PageRule<Envelope>.nextURL(\.next).origins(.same)
        let pager = client.manager.request(Envelope.self).endpoint("/orders").pages(rule, items: \.orders).pager()

        #expect(try await pager.moveNext()?.items == [1])
        // A state that is kept now begins with the page again: none is lost.
        #expect(pager.position.position == .start)
        let error = await #expect(throws: RestClientError.self) { try await pager.moveNext() }
        #expect(error?.code == .pageRefused)
        #expect(client.requests.count == 1)
    }

    @Test
    func `all items are the result of a node of a graph`() async throws {
        let client = client()
        var graph = JobGraph("export")
        let orders = graph.job("orders") {
            RequestNode(Envelope.self).endpoint("/orders").pages(.link, items: \.orders)
        }
        let doubled = graph.forEach("double", in: orders) { number in LocalJob("twice") { number * 2 } }

        let run = try await client.manager.run(graph)

        #expect(try run[orders] == Array(1...7))
        #expect(try run[doubled] == [2, 4, 6, 8, 10, 12, 14])
        #expect(client.requests.count == 3)
    }
}

/// Loops of graphs over listings.
@Suite(.timeLimit(.minutes(5)))
struct PageLoopTests {
    private let gate = Gate()

    /// A client whose third page waits at the gate, or fails.
    private func client(fails: Bool = false) -> StubbedClient {
        StubbedClient(
            StubTransport { [gate] request in
                if request.url.contains("page=3") {
                    try await gate.wait()
                    return fails ? .status(.badRequest) : try Listing().respond(request)
                }
                return try Listing().respond(request)
            }
        )
    }

    /// A graph that opens the gate with an item of the second page.
    private func graph(
        limit: Int? = nil,
        onFailure failure: FailureReaction = .cancel,
        _ work: @escaping @Sendable (Int) throws -> Void = { _ in }
    ) -> (JobGraph, JobHandle<[Int]>) {
        var graph = JobGraph("export")
        let token = graph.input("token", "t0ken")
        let pages: @Sendable (String) -> Pages<[Int], Int> = { token in
            RequestNode([Int].self).endpoint("/plain").bearer(token).pages(.number())
        }
        let loop = graph.forEach(
            "double",
            inPagesOf: pages,
            after: token,
            limit: limit,
            onFailure: failure
        ) { [gate] number in
            LocalJob("twice") {
                if number == 4 {
                    gate.open()
                }
                try work(number)
                return number * 2
            }
        }
        return (graph, loop)
    }

    @Test(arguments: [nil, 1, 3])
    func `the items of a page are worked on while the next one is loaded`(limit: Int?) async throws {
        let client = client()
        let (graph, loop) = graph(limit: limit)
        let run = try await client.manager.run(graph)
        #expect(try run[loop] == [2, 4, 6, 8, 10, 12, 14])
        #expect(client.requests.map { $0.headers[.authorization] } == Array(repeating: "Bearer t0ken", count: 4))
        let lines = run.report.nodes.last?.children.map(\.name) ?? []
        #expect(lines.count { $0.hasPrefix("page ") } == 4)
        #expect(lines.count { $0.hasPrefix("double[") } == 7)
    }

    @Test(arguments: [FailureReaction.cancel, .stop, .continue, .ignore])
    func `a page that cannot be loaded fails the node`(failure: FailureReaction) async throws {
        let (graph, loop) = graph(onFailure: failure)
        let run = try await client(fails: true).manager.run(graph)
        let error = #expect(throws: RestClientError.self) { try run[loop] }
        #expect(error?.status == .badRequest)
    }

    @Test
    func `an item that fails ends the listing, or is left out`() async throws {
        struct Failed: Error {}
        @Sendable func work(_ number: Int) throws {
            if number == 5 {
                throw Failed()
            }
        }
        let client = client()
        let (stopping, loop) = graph(limit: 1, work)
        let run = try await client.manager.run(stopping)
        #expect(throws: Failed.self) { try run[loop] }
        let (lenient, rest) = graph(onFailure: .ignore, work)
        #expect(try await client.manager.run(lenient)[rest] == [2, 4, 6, 8, 12, 14])
    }

    @Test
    func `cancelling the run cancels the page that is loaded`() async throws {
        let client = client()
        var graph = JobGraph("export")
        graph.forEach("item", inPagesOf: RequestNode([Int].self).endpoint("/plain").pages(.number())) { number in
            LocalJob("item") { number }
        }
        let execution = try client.manager.start(graph)
        try await gate.waitForWaiters(count: 1)
        execution.cancel()
        #expect(await !execution.finished().isSuccess)
    }
}

/// Regression 23 of the forerunners, and what holds while several tasks ask at once.
@Suite
struct PagerTests {
    @Test
    func `two tasks that ask at once load a page once`() async throws {
        let gate = Gate()
        let client = StubbedClient(
            StubTransport { request in
                try await gate.wait()
                return try Listing().respond(request)
            }
        )
        let pager = client.manager.request([Int].self).endpoint("/plain").pages(.number()).pager()
        let first = Task { try await pager.moveNext()?.items }
        try await gate.waitForWaiters(count: 1)

        #expect(pager.isLoading)
        #expect(try await pager.moveNext() == nil)
        gate.open()

        #expect(try await first.value == [1, 2, 3])
        #expect(!pager.isLoading)
        #expect(client.requests.count == 1)
    }

    @Test
    func `the next page is loaded while the present one is used`() async throws {
        let client = StubbedClient(StubTransport { try Listing().respond($0) })
        let pager = client.manager.request([Int].self).endpoint("/plain").pages(.number().prefetching()).pager()

        #expect(try await pager.moveNext()?.items == [1, 2, 3])
        try await client.transport.waitForRequests(count: 2)
        #expect(try await pager.moveNext()?.items == [4, 5, 6])
        #expect(try await pager.moveNext()?.items == [7])
        #expect(try await pager.moveNext()?.items == [])
        #expect(try await pager.moveNext() == nil)
        #expect(client.requests.count == 4)
    }

    @Test
    func `a caller that leaves loses no page that is loaded ahead`() async throws {
        let gate = Gate()
        let client = StubbedClient(
            StubTransport { request in
                if request.url.contains("page=2") {
                    try await gate.wait()
                }
                return try Listing().respond(request)
            }
        )
        let pager = client.manager.request([Int].self).endpoint("/plain").pages(.number().prefetching()).pager()
        #expect(try await pager.moveNext()?.items == [1, 2, 3])
        try await gate.waitForWaiters(count: 1)

        let leaving = Task { try await pager.moveNext() }
        leaving.cancel()
        await #expect(throws: CancellationError.self) { try await leaving.value }
        #expect(!pager.isLoading)
        gate.open()

        #expect(try await pager.moveNext()?.items == [4, 5, 6])
        #expect(client.requests.filter { $0.url.contains("page=2") }.count == 1)
    }

    @Test
    func `a page that comes after a reset is ignored`() async throws {
        let gate = Gate()
        let client = StubbedClient(
            StubTransport { request in
                if request.url.contains("page=2") {
                    try await gate.wait()
                }
                return try Listing().respond(request)
            }
        )
        let pager = client.manager.request([Int].self).endpoint("/plain").pages(.number()).pager()
        #expect(try await pager.moveNext()?.items == [1, 2, 3])
        let second = Task { try await pager.moveNext() }
        try await gate.waitForWaiters(count: 1)

        pager.reset()
        gate.open()

        #expect(try await second.value == nil)
        #expect(try await pager.moveNext()?.items == [1, 2, 3])
    }

    @Test
    func `letting go of a pager cancels the page that is loaded ahead`() async throws {
        let ended = Recorder<Bool>()
        let client = StubbedClient(
            StubTransport { request in
                if request.url.contains("page=2") {
                    await untilCancelled()
                    ended.record(Task.isCancelled)
                }
                return try Listing().respond(request)
            }
        )
        do {
            let pager = client.manager.request([Int].self).endpoint("/plain").pages(.number().prefetching()).pager()
            #expect(try await pager.moveNext()?.items == [1, 2, 3])
            try await client.transport.waitForRequests(count: 2)
        }
        try await ended.waitForCount(1)
        #expect(ended.elements == [true])
    }

    @Test
    func `a cancelled call keeps the position`() async throws {
        let gate = Gate()
        let client = StubbedClient(
            StubTransport { request in
                try await gate.wait()
                return try Listing().respond(request)
            }
        )
        let pager = client.manager.request([Int].self).endpoint("/plain").pages(.number()).pager()
        let first = Task { try await pager.moveNext() }
        try await gate.waitForWaiters(count: 1)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }

        gate.open()
        #expect(try await pager.moveNext()?.items == [1, 2, 3])
    }
}

/// Whose credentials go to a page that the server names.
@Suite
struct PageCredentialsTests {
    private struct Sent: Equatable {
        var authorization: String?
        var key: String?
        var tenant: String?
    }

    /// The next page lies at a place, and the fields are those of the request for it.
    private func fields(
        next: String,
        secondary: Server? = nil,
        describe: (RequestNode<Envelope>) -> RequestNode<Envelope> = { $0 }
    ) async throws -> (url: String?, sent: Sent) {
        let client = StubbedClient(
            StubTransport { request in
                let isFirst = request.url == "https://api.example.com/v1/orders/7?state=open"
                let link = isFirst ? #","next":"\#(next)""# : ""
                return .text(#"{"orders":[1],"meta":{"total":2,"hasMore":true}\#(link)}"#)
            }
        )
        let key = try #require(HTTPField.Name("X-Tenant-Key"))
        let tenant = try #require(HTTPField.Name("X-Tenant"))
        client.manager.servers["store"] = Server("https://api.example.com/v1").bearer("of-store")
        client.manager.servers["secondary"] = secondary
        let orders = APIAlias<Envelope>("orders")
        client.manager.apis[orders] = API(.get, "/orders/{id}").header(tenant, "7")
        let node = client.manager.request(orders).parameter("id", 7).query(["state": "open"]).header(key, "of-node")
        var pages = describe(node)
            .pages(.nextURL(\.next), items: \.orders).makeAsyncIterator()

        _ = try await pages.next()
        let page = try #require(try await pages.next())
        let request = try #require(client.requests.last)
        #expect(page.items == [1])
        #expect(client.requests.count == 2)
        return (
            request.url,
            Sent(
                authorization: request.headers[.authorization],
                key: request.headers[key],
                tenant: request.headers[tenant]
            )
        )
    }

    @Test(arguments: ["https://api.example.com/v1/orders/7?after=c2", "?after=c2", "/v1/orders/7?after=c2#top"])
    func `a page of the same server gets the credentials of the first one`(next: String) async throws {
        let (url, sent) = try await fields(next: next)

        #expect(url == "https://api.example.com/v1/orders/7?after=c2")
        #expect(sent == Sent(authorization: "Bearer of-store", key: "of-node", tenant: "7"))
    }

    @Test(arguments: [
        "https://evil.example.com/v1/orders/7?after=c2", "https://api.example.com:8443/v1/orders/7?after=c2",
        "https://api.example.com/v2/orders/7?after=c2", "https://api.example.com/v1x/orders",
    ])
    func `a page at another place gets no credential`(next: String) async throws {
        let (url, sent) = try await fields(next: next)

        #expect(url == next)
        #expect(sent == Sent())
    }

    @Test
    func `a field of the call that is named for any origin goes along to another place`() async throws {
        let key = try #require(HTTPField.Name("X-Tenant-Key"))

        let (_, sent) = try await fields(next: "https://files.example.com/orders?after=c2") {
            $0.fieldsForAnyOrigin(key)
        }

        #expect(sent == Sent(key: "of-node"))
    }

    @Test
    func `a page of another registered server gets the credentials of that one`() async throws {
        let secondary = Server("https://files.example.com").bearer("of-files")

        let (_, sent) = try await fields(next: "https://files.example.com/orders?after=c2", secondary: secondary)

        #expect(sent == Sent(authorization: "Bearer of-files"))
    }

    @Test
    func `a request with a body is not moved to another place`() async throws {
        let client = StubbedClient(
            answering: .text(#"{"orders":[1],"meta":{"total":2,"hasMore":true},"next":"https://evil.example.com/x"}"#)
        )
        let pager = client.manager.request(Envelope.self).post().endpoint("/search").values(["q": "x"])
            .pages(.nextURL(\.next), items: \.orders).pager()

        #expect(try await pager.moveNext()?.items == [1])
        let error = await #expect(throws: RestClientError.self) { try await pager.moveNext() }
        #expect(error?.code == .pageRefused)
        #expect(client.requests.count == 1)
    }
}
