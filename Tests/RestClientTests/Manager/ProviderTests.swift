// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs
import RestClientTesting
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

private struct OrderAPIs: Sendable {
    struct Reading: Sendable {
        let order: APIAlias<Int> = "order"
        let orders: APIAlias<[Int]> = "orders"
    }

    let reading = Reading()
    let cancel: APIAlias<Void> = "cancel-order"
}

/// Changes a request on its way.
private struct Change: Interceptor {
    let change: @Sendable (inout OutgoingRequest) -> Void

    init(_ change: @escaping @Sendable (inout OutgoingRequest) -> Void) {
        self.change = change
    }

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        var request = request
        change(&request)
        return try await next(request)
    }
}

@Suite(.timeLimit(.minutes(5)))
struct ProviderTests {
    typealias Verb = @Sendable (RequestNode<Int>) -> RequestNode<Int>

    private let client: StubbedClient
    private let provider: APIProvider<OrderAPIs>

    init() {
        client = StubbedClient(answering: .text("7"))
        let apis = OrderAPIs()
        client.manager.servers["other"] = "https://other.example.com"
        client.manager.apis[apis.reading.order] = API(.get, "/orders/{id}")
        client.manager.apis[apis.reading.orders] = API(.get, "/orders")
        client.manager.apis[apis.cancel] = API(.delete, "/orders/{id}")
        client.manager.apis[APIAlias<Int>("hidden")] = API(.get, "/hidden")
        provider = client.manager.provider(apis)
    }

    private var node: RequestNode<Int> {
        provider.provider(\.reading).request(\.order).parameter("id", 3)
    }

    @Test
    func `a provider sends the calls of its operations, in its manager`() async throws {
        let order = try await node.send()
        try await provider.request(\.cancel).parameter("id", 3).send()

        #expect(order == 7)
        #expect(
            client.requests.map { "\($0.method) \($0.url)" } == [
                "GET https://api.example.com/v1/orders/3", "DELETE https://api.example.com/v1/orders/3",
            ]
        )
    }

    /// Verbs that lead a call away from its operation, with a word of the error.
    static let escapes: [(word: String, verb: Verb)] = [
        ("url(_:)", { $0.url("https://evil.example.com/") }),
        ("url(_:)", { $0.url("https://api.example.com/v1/orders/3") }),
        ("serverAddress(_:)", { $0.serverAddress("https://evil.example.com") }),
        ("server(_:)", { $0.server("other") }),
        ("server(_:)", { $0.server("store") }),
        ("endpoint(_:)", { $0.endpoint("/hidden") }),
        ("api(_:)", { $0.api("hidden") }),
        ("url(_:)", { $0.url("https://evil.example.com/").server("other").endpoint("/hidden") }),
        ("api(_:)", { $0.api("hidden").endpoint("/orders/{id}") }),
        ("method DELETE", { $0.delete() }),
        ("method HEAD", { $0.method(.head) }),
        ("Host", { $0.header("Host", "evil.example.com") }),
        ("Host", { $0.header(OutgoingRequest.hostField ?? .from) { "evil.example.com" } }),
        ("server 'other'", { $0.fallback(.cache(), .server("other")) }),
        ("interceptor", { $0.interceptors(Change { $0.url = "https://evil.example.com/v1/orders/3" }) }),
        ("interceptor", { $0.interceptors(Change { $0.url = "https://api.example.com/v1/orders/3/../../hidden" }) }),
        ("interceptor", { $0.interceptors(Change { $0.url = "https://api.example.com/v1/orders/33" }) }),
        ("interceptor", { $0.interceptors(Change { $0.url = "https://api.example.com/v1/orders" }, perAttempt: true) }),
        ("interceptor", { $0.interceptors(Change { $0.method = .delete }, perAttempt: true) }),
        (
            "interceptor",
            {
                $0.interceptors(
                    Change { $0.headers[OutgoingRequest.hostField ?? .from] = "evil.example.com" },
                    perAttempt: true
                )
            }
        ),
    ]

    @Test(arguments: escapes.indices)
    func `a call of a provider that would go elsewhere fails, and is not sent`(index: Int) async throws {
        let (word, verb) = Self.escapes[index]
        let node = verb(node)

        let error = await #expect(throws: RestClientError.self) { try await node.send() }

        #expect(error?.code == .targetNotExposed)
        #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("'order'") == true)
        #expect(client.requests.isEmpty)
    }

    @Test(arguments: escapes.indices)
    func `nor is it sent after an equal call of the manager`(index: Int) async throws {
        let verb = Self.escapes[index].verb
        let own = client.manager.request(APIAlias<Int>("order")).parameter("id", 3)
        _ = try? await verb(own).send()
        let count = client.requests.count

        await #expect(throws: RestClientError.self) { try await verb(node).send() }

        #expect(client.requests.count == count)
    }

    /// Ways to send a call.
    static let senders: [@Sendable (RequestNode<Int>, RestClientManager) async throws -> Void] = [
        { node, _ in _ = try await node.response() },
        { node, _ in _ = try await node.stream() },
        { node, _ in for try await _ in node.serverSentEvents() {} },
        { node, _ in try await node.download(to: "/nowhere/file") },
        { node, _ in _ = try await node.curlCommand() },
        { node, _ in for try await _ in node.responses() {} },
        { node, manager in _ = try await manager.run(node) },
        { node, manager in _ = try await manager.clone().run(node) },
        { node, manager in _ = try await manager.concurrently([node]).outcomes[0].get() },
        { node, manager in
            var graph = JobGraph("graph")
            let handle = graph.job("order") { node }
            _ = try await manager.run(graph)[handle]
        },
    ]

    @Test(arguments: senders.indices)
    func `a call of a provider keeps to its operation however it is sent`(index: Int) async throws {
        let node = node.url("https://evil.example.com/")

        let error = await #expect(throws: (any Error).self) { try await Self.senders[index](node, client.manager) }

        let failure = error.flatMap { ErrorOrigin.first(RestClientError.self, behind: $0) }
        #expect(failure?.code == .targetNotExposed)
        #expect(client.requests.isEmpty)
    }

    @Test
    func `everything else of a provider's call can be set, and its operation again`() async throws {
        let node = node.endpoint("/hidden").api("order").get().query(["page": 2]).header("X-A", "1")
            .interceptors(Change { $0.url += "&b=1" })
            .interceptors(Change { $0.url += "&c=1" }, perAttempt: true)
            .fallback(.value(9))

        #expect(try await node.send() == 7)

        #expect(client.requests.map(\.url) == ["https://api.example.com/v1/orders/3?page=2&b=1&c=1"])
    }

    @Test
    func `interceptors and fallbacks of outer levels may send it elsewhere`() async throws {
        let transport = StubTransport { request in
            request.url.contains("mirror") ? .text("8") : .status(.serviceUnavailable)
        }
        let client = StubbedClient(transport)
        let apis = OrderAPIs()
        client.manager.servers["other"] = "https://mirror.example.com"
        client.manager.options = client.manager.options.interceptors(Change { $0.url += "/today" })
        client.manager.apis[apis.reading.order] = API(.get, "/orders/{id}").fallback(.server("other"))
        let node = client.manager.provider(apis.reading).request(\.order).parameter("id", 3)

        #expect(try await node.send() == 8)

        #expect(
            client.requests.map(\.url) == [
                "https://api.example.com/v1/orders/3/today", "https://mirror.example.com/orders/3/today",
            ]
        )
    }

    @Test
    func `a redirect is the server's decision`() async throws {
        let client = StubbedClient(answering: .redirect(302, to: "/v1/moved"), .text("7"))
        let apis = OrderAPIs()
        client.manager.apis[apis.reading.order] = API(.get, "/orders/{id}")

        let node = client.manager.provider(apis.reading).request(\.order).parameter("id", 3)
        let order = try await node.send()

        #expect(order == 7)
        #expect(client.requests.map(\.url).last == "https://api.example.com/v1/moved")
    }

    /// URLs of further pages.
    @Test(arguments: [
        ("https://api.example.com/v1/orders?page=2", true),
        ("https://api.example.com/v1/x/../orders?page=2", true),
        ("https://api.example.com/v1/hidden", false),
        ("https://api.example.com/v1/orders/3", false),
        ("https://api.example.com/v1/orders/../hidden", false),
        ("https://kim@api.example.com/v1/orders", false),
        ("http://api.example.com/v1/orders", false),
        ("https://evil.example.com/v1/orders", false),
    ])
    func `the pages of a provider's listing are at its operation`(url: String, isAllowed: Bool) async throws {
        let client = StubbedClient(answering: .text("[1, 2]"))
        let apis = OrderAPIs()
        client.manager.apis[apis.reading.orders] = API(.get, "/orders")
        let pages = try client.manager.provider(apis.reading).request(\.orders).pages(.link)
            .starting(from: PagingState(position: .url(url)))
        func first() async throws -> [Int]? {
            try await pages.first { _ in true }?.items
        }

        if isAllowed {
            #expect(try await first() == [1, 2])
            #expect(client.requests.map(\.url) == ["https://api.example.com/v1/orders?page=2"])
        } else {
            let error = await #expect(throws: RestClientError.self) { try await first() }
            #expect(error?.code == .targetNotExposed)
            #expect(client.requests.isEmpty)
        }
    }
}
