// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// Requests with a key by which a server recognizes them.
@Suite(.timeLimit(.minutes(5)))
struct IdempotencyKeyTests {
    private struct NoDigest: Error {}

    private static let pay = APIAlias<String>("pay")

    /// A policy that makes two attempts without a wait.
    private static var twice: RetryPolicy {
        var policy = RetryPolicy(attempts: 2)
        policy.backoff.first = .zero
        return policy
    }

    private static func keys(_ client: StubbedClient, _ field: String = "Idempotency-Key") -> [String?] {
        let name = HTTPField.Name(field)
        return client.requests.map { request in name.flatMap { request.headers[$0] } }
    }

    // MARK: - Where it is set

    enum Level: CaseIterable {
        case none, manager, server, api, node, revoked
    }

    @Test(arguments: Level.allCases)
    func `it is set at any level, and the nearest one wins`(level: Level) async throws {
        let client = StubbedClient(answering: .status(.internalServerError))
        let manager = client.manager
        manager.options = manager.options.retry(Self.twice)
        if level == .manager || level == .revoked {
            manager.options = manager.options.idempotencyKey(.perCall)
        }
        let server: Server = "https://api.example.com"
        manager.servers["store"] = level == .server ? server.idempotencyKey(.perCall) : server
        let api = API(.post, "/pay")
        manager.apis[Self.pay] = level == .api ? api.idempotencyKey(.perCall) : api
        var call = manager.request(Self.pay)
        if level == .node {
            call = call.idempotencyKey(.perCall)
        }
        if level == .revoked {
            call = call.idempotencyKey(nil)
        }

        await #expect(throws: RestClientError.self) { try await call.send() }

        let keys = Self.keys(client)
        let hasKey = level != .none && level != .revoked
        #expect(keys.count == (hasKey ? 2 : 1))
        #expect(Set(keys).count == 1)
        #expect((keys.first ?? nil).map { UUID(uuidString: $0) != nil } == (hasKey ? true : nil))
        // Transports repeat a request on a connection that had been closed by the same rule.
        #expect(client.requests.allSatisfy { $0.repetition.isIdempotent == hasKey })
    }

    @Test
    func `each call has a key of its own, and the field of an outer level is kept`() async throws {
        let client = StubbedClient()
        client.manager.servers["store"] = Server("https://api.example.com")
            .idempotencyKey(.perCall, field: "X-Request-Key")

        for _ in 0..<2 {
            _ = try await client.sent { $0.post().endpoint("/pay") }
        }
        _ = try await client.sent { $0.post().endpoint("/pay").idempotencyKey(.of("order-7")) }

        let keys = Self.keys(client, "X-Request-Key").compactMap(\.self)
        #expect(Set(keys).count == 3)
        #expect(keys.last == "order-7")
        #expect(Self.keys(client) == [nil, nil, nil])
    }

    @Test(arguments: [HTTPRequest.Method.get, .head, .post, .put, .patch, .delete])
    func `a request has one unless its method is safe`(method: HTTPRequest.Method) async throws {
        let client = StubbedClient()

        _ = try await client.sent { $0.method(method).endpoint("/a").idempotencyKey(.of("k")) }

        #expect(Self.keys(client) == [method.isSafe ? nil : "k"])
    }

    @Test
    func `it is derived once for a call, from the request`() async throws {
        let client = StubbedClient(answering: .status(.badGateway), .status(.ok))
        let asked = Recorder<String>()
        let key = IdempotencyKey.derived { request in
            asked.record(request.url)
            return "\(request.method.rawValue)-\(request.body?.bytes?.count ?? 0)-\(asked.count)"
        }

        try await client.manager.run(
            client.manager.request(Void.self).post().endpoint("/pay").body(["a": 1]).retry(Self.twice)
                .idempotencyKey(key)
        )

        #expect(asked.elements == ["https://api.example.com/v1/pay"])
        #expect(Self.keys(client) == ["POST-7-1", "POST-7-1"])
    }

    @Test
    func `an error of the closure ends the call, and nothing is sent`() async throws {
        let client = StubbedClient()
        let node = client.manager.request(Void.self).post().endpoint("/pay")

        await #expect(throws: NoDigest.self) {
            try await client.manager.run(node.idempotencyKey(.derived { _ in throw NoDigest() }))
        }
        let error = await client.failure { $0.post().endpoint("/pay").idempotencyKey(.derived { _ in " " }) }

        #expect(error?.code == .invalidHeader)
        #expect(client.requests.isEmpty)
    }

    @Test(arguments: [
        ("", "Idempotency-Key", "is empty"), ("  ", "X-Key", "'X-Key' is empty"),
        ("a\r\nX: y", "Idempotency-Key", "printable ASCII"), ("ü", "Idempotency-Key", "printable ASCII"),
        ("a", "no name", "'no name' is not a valid header field name"),
    ])
    func `bad input is an error, and nothing is sent`(key: String, field: String, text: String) async throws {
        let client = StubbedClient()

        let error = await client.failure { $0.post().endpoint("/pay").idempotencyKey(.of(key), field: field) }

        #expect(error?.code == .invalidHeader)
        #expect(error?.message.contains(text) == true)
        #expect(client.requests.isEmpty)
    }

    // MARK: - All attempts of a call

    @Test
    func `an attempt with a fresh token has the same key, although the first one may have had its effect`() async throws
    {
        /// Takes a failure of the server for a rejection of the token.
        struct Rejecting: Interceptor {
            func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
                var response = try await next(request)
                if response.status == .internalServerError {
                    response.status = .unauthorized
                }
                return response
            }
        }
        let client = StubbedClient(answering: .status(.internalServerError), .status(.ok))
        let source = TokenSource(AccessToken("old")) { _ in AccessToken("new") }

        try await client.manager.run(
            client.manager.request(Void.self).post().endpoint("/pay").bearer(source).idempotencyKey(.perCall)
                .interceptors(Rejecting(), perAttempt: true)
        )

        #expect(client.requests.map { $0.headers[.authorization] } == ["Bearer old", "Bearer new"])
        #expect(Set(Self.keys(client)).count == 1)
        #expect(Self.keys(client).first != .some(nil))
    }

    @Test
    func `a fallback has the same key, also if the other server sets none`() async throws {
        let client = StubbedClient(
            StubTransport { request in
                guard request.url.hasPrefix("https://mirror.example.com/") else {
                    throw RestClientError(.connectionClosed, "cut")
                }
                return .text("7")
            }
        )
        client.manager.servers["mirror"] = "https://mirror.example.com"
        client.manager.servers["store"] = Server("https://api.example.com").idempotencyKey(.perCall, field: "X-Once")

        let node = client.manager.request(Int.self).post().endpoint("/a").fallback(.server("mirror"))

        #expect(try await node.send() == 7)
        #expect(client.requests.count == 2)
        #expect(Set(Self.keys(client, "X-Once")).count == 1)
        #expect(Self.keys(client, "X-Once").first != .some(nil))
    }

    @Test(arguments: [(307, "https://api.example.com/b"), (308, "https://other.example.com/b")])
    func `a redirect that keeps the method keeps the key`(status: Int, location: String) async throws {
        let client = StubbedClient(answering: .redirect(status, to: location), .status(.ok))

        try await client.manager.run(
            client.manager.request(Void.self).post().endpoint("/a").idempotencyKey(.of("k"), field: "X-Once")
        )

        #expect(client.requests.map(\.url).last == location)
        #expect(Self.keys(client, "X-Once") == ["k", "k"])
    }

    @Test
    func `a redirect to a GET drops the key`() async throws {
        let client = StubbedClient(answering: .redirect(303, to: "/b"), .status(.ok))

        try await client.manager.run(
            client.manager.request(Void.self).post().endpoint("/a").idempotencyKey(.of("k"))
        )

        #expect(client.requests.map(\.method) == [.post, .get])
        #expect(Self.keys(client) == ["k", nil])
    }

    // MARK: - What it does not cover

    /// Gives each attempt another key.
    private struct Rekeying: Interceptor {
        func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
            var request = request
            if let name = HTTPField.Name("Idempotency-Key") {
                request.headers[name] = UUID().uuidString
            }
            return try await next(request)
        }
    }

    @Test
    func `a request is not repeated if an interceptor replaced its key`() async throws {
        let client = StubbedClient(answering: .status(.internalServerError))
        let node = client.manager.request(Void.self).post().endpoint("/pay").retry(Self.twice)

        await #expect(throws: RestClientError.self) {
            try await client.manager.run(
                node.idempotencyKey(.perCall).interceptors(Rekeying(), perAttempt: true)
            )
        }

        #expect(client.requests.count == 1)
    }

    @Test
    func `a closure for the field gives way to the key`() async throws {
        let client = StubbedClient(answering: .status(.internalServerError))
        let name = try #require(HTTPField.Name("Idempotency-Key"))
        client.manager.options = client.manager.options.header(name) { UUID().uuidString }

        await #expect(throws: RestClientError.self) {
            try await client.manager.run(
                client.manager.request(Void.self).post().endpoint("/pay").retry(Self.twice).idempotencyKey(.of("k"))
            )
        }

        #expect(Self.keys(client) == ["k", "k"])
    }

    @Test
    func `a fixed field is the key`() async throws {
        let client = StubbedClient(answering: .status(.internalServerError))

        await #expect(throws: RestClientError.self) {
            try await client.manager.run(
                client.manager.request(Void.self).post().endpoint("/pay").retry(Self.twice)
                    .header("Idempotency-Key", "mine").idempotencyKey(.perCall)
            )
        }

        #expect(Self.keys(client) == ["mine", "mine"])
    }

    @Test
    func `a node of a graph that fails is not repeated with the key of another call`() async throws {
        let client = StubbedClient(answering: .status(.internalServerError))
        var graph = JobGraph("pay")
        graph.request("charge", options: [.retry(Self.twice)]) {
            RequestNode(Void.self).endpoint("/pay").post().idempotencyKey(.perCall)
        }

        _ = try await client.manager.run(graph)

        #expect(client.requests.count == 1)
    }

    @Test
    func `explanations tell where it comes from, and not what it is`() async throws {
        let client = StubbedClient()
        client.manager.options = client.manager.options.idempotencyKey(.perCall)
        let node = client.manager.request(Void.self).post().endpoint("/pay").idempotencyKey(.of("order-7"))

        let text = try await node.response().explain()

        #expect(text.contains("Option idempotency key: a text (manager, call)."))
        #expect(!text.contains("order-7"))
    }

    // MARK: - Lint

    @Test
    func `keys without an effect are found`() async throws {
        let manager = StubbedClient().manager
        let name = try #require(HTTPField.Name("Idempotency-Key"))
        let own = try #require(HTTPField.Name("X-Once"))
        manager.options = manager.options.header(name) { "new" }
        manager.servers["store"] = Server("https://api.example.com").idempotencyKey(.perCall, field: "X-Once")
            .header(own) { "new" }
        manager.apis[APIAlias<Void>("list")] = API(.get, "/list").idempotencyKey(.perCall)
        manager.apis[APIAlias<Void>("none")] = API(.get, "/none").idempotencyKey(nil)
        manager.apis[APIAlias<Void>("pay")] = API(.post, "/pay").idempotencyKey(.perCall)

        let issues = await manager.lint()

        #expect(issues.map(\.kind) == [.ineffectiveOption, .ineffectiveOption, .ineffectiveOption])
        #expect(issues.first?.message.contains("the API 'list' sets an idempotency key, and a GET request") == true)
        #expect(issues.dropFirst().first?.message.contains("a closure of the manager makes a new") == true)
        #expect(issues.last?.message.contains("a closure of the server 'store' makes a new") == true)
    }
}
