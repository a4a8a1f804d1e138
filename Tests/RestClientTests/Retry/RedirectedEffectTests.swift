// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import JobGraphs
@testable import RestClient

/// An unsafe request to which the server redirects with a GET had its effect, whatever comes of the GET (issue 12).
@Suite(.timeLimit(.minutes(5)))
struct RedirectedEffectTests {
    /// The result of the GET.
    enum End: CaseIterable {
        case tooEarly, tooManyRequests, unavailable, unreachable

        func response() throws -> RawResponse {
            switch self {
            case .tooEarly: .status(.tooEarly)
            case .tooManyRequests: .status(.tooManyRequests)
            case .unavailable: .status(.serviceUnavailable, headers: [.retryAfter: "0"])
            case .unreachable: throw RestClientError(.connectionFailed, "nobody listens")
            }
        }
    }

    private static let quick: RetryPolicy = {
        var policy = RetryPolicy(attempts: 3)
        policy.backoff.first = .zero
        return policy
    }()

    /// A client whose server redirects everything but GET to `/receipt`.
    private static func client(
        _ redirect: Int,
        _ receipt: @escaping @Sendable (TransportRequest) throws -> RawResponse
    ) -> StubbedClient {
        StubbedClient(
            StubTransport { request in
                request.method == .get ? try receipt(request) : .redirect(redirect, to: "/receipt")
            }
        )
    }

    private static func pay(_ client: StubbedClient, _ method: HTTPRequest.Method = .post) -> RequestNode<Void> {
        client.manager.request(Void.self).method(method).endpoint("/pay")
    }

    private static func methods(_ client: StubbedClient) -> [String] { client.requests.map(\.method.rawValue) }

    // MARK: - Retries

    @Test(arguments: [301, 302, 303], End.allCases)
    func `a call is not retried`(redirect: Int, end: End) async throws {
        let client = Self.client(redirect) { _ in try end.response() }

        let error = await #expect(throws: RestClientError.self) { try await Self.pay(client).retry(Self.quick).send() }

        #expect(Self.methods(client) == ["POST", "GET"])
        let story = try #require(error?.explain())
        #expect(story.contains("is not repeated, because the request may have changed data."))
        #expect(story.hasSuffix("1 of the requests may have changed data on the server."))
    }

    @Test(arguments: End.allCases)
    func `a node of a graph is not retried, whether it is the request or sends it`(end: End) async throws {
        let client = Self.client(303) { _ in try end.response() }
        var graph = JobGraph("pay")
        let pay = Self.pay(client)
        graph.request("request", options: [.retry(Self.quick)]) { pay }
        graph.local("local", options: [.retry(Self.quick)]) { try await pay.send() }

        _ = try await client.manager.run(graph)

        #expect(Self.methods(client).filter { $0 == "POST" }.count == 2)
    }

    @Test
    func `a redirect before it that kept the method changes nothing`() async throws {
        let client = StubbedClient(
            StubTransport { request in
                switch (request.method, request.url.split(separator: "/").last) {
                case (.get, _): .status(.tooManyRequests)
                case (_, "pay"): .redirect(307, to: "/v2/charge")
                default: .redirect(303, to: "/receipt")
                }
            }
        )

        await #expect(throws: RestClientError.self) { try await Self.pay(client).retry(Self.quick).send() }

        #expect(Self.methods(client) == ["POST", "POST", "GET"])
    }

    @Test(arguments: [307, 308])
    func `a POST that was redirected as a POST and refused is retried`(redirect: Int) async throws {
        let client = StubbedClient(
            StubTransport { request in
                request.url.hasSuffix("/pay") ? .redirect(redirect, to: "/charge") : .status(.tooManyRequests)
            }
        )

        await #expect(throws: RestClientError.self) { try await Self.pay(client).retry(Self.quick).send() }

        #expect(Self.methods(client) == Array(repeating: "POST", count: 6))
    }

    @Test
    func `a request that may be repeated is retried although it became a GET`() async throws {
        let client = Self.client(303) { _ in .status(.tooManyRequests) }

        await #expect(throws: RestClientError.self) { try await Self.pay(client, .put).retry(Self.quick).send() }

        #expect(Self.methods(client) == ["PUT", "GET", "PUT", "GET", "PUT", "GET"])
    }

    // MARK: - Feeds

    /// Connects again at once, also after a 429.
    private static let eager: EventStreamPolicy = {
        var policy = EventStreamPolicy()
        policy.backoff.first = .zero
        policy.transientStatuses = [429]
        return policy
    }()

    private static let feed = RawResponse.text("data: one\n\n", headers: [.contentType: "text/event-stream"])

    @Test(arguments: [301, 302, 303])
    func `a feed ends with the response to the GET`(redirect: Int) async throws {
        let client = Self.client(redirect) { _ in Self.feed }
        var received: [String] = []

        for try await event in Self.pay(client).serverSentEvents(Self.eager) {
            received.append(event.data)
        }

        #expect(received == ["one"])
        #expect(Self.methods(client) == ["POST", "GET"])
    }

    @Test(arguments: [301, 302, 303], [End.tooManyRequests, .unreachable])
    func `a feed whose GET fails is not requested again`(redirect: Int, end: End) async throws {
        let client = Self.client(redirect) { _ in try end.response() }

        let error = await #expect(throws: RestClientError.self) {
            for try await _ in Self.pay(client).serverSentEvents(Self.eager) {}
        }

        #expect(error?.code == (end == .unreachable ? .connectionFailed : .unacceptableStatus))
        #expect(Self.methods(client) == ["POST", "GET"])
    }

    @Test(arguments: [307, 308])
    func `a feed that was redirected as a POST and refused is requested again`(redirect: Int) async throws {
        let charges = Counter()
        let client = StubbedClient(
            StubTransport { request in
                guard request.url.hasSuffix("/charge") else {
                    return .redirect(redirect, to: "/charge")
                }
                return charges.next() == 1 ? .status(.tooManyRequests) : Self.feed
            }
        )
        var received: [String] = []

        for try await event in Self.pay(client).serverSentEvents(Self.eager) {
            received.append(event.data)
        }

        #expect(received == ["one"])
        #expect(Self.methods(client) == Array(repeating: "POST", count: 4))
    }

    // MARK: - Tokens

    @Test(arguments: [301, 302, 303], ["/v1/receipt", "/v1/pay"])
    func `a token that the GET's response rejects does not send the POST again`(
        redirect: Int,
        location: String
    ) async throws {
        let client = StubbedClient(
            StubTransport { request in
                request.method == .get ? .status(.unauthorized) : .redirect(redirect, to: location)
            }
        )
        let refreshes = Counter()
        let session = TokenSource(AccessToken("t0")) { _ in AccessToken("t\(refreshes.next())") }
        let log = EventRecorder(client.manager)

        let error = await #expect(throws: RestClientError.self) {
            try await Self.pay(client).bearer(session).retry(Self.quick).send()
        }

        #expect(error?.status == .unauthorized)
        #expect(Self.methods(client) == ["POST", "GET"])
        #expect(refreshes.value == 0)
        #expect(log.lines.contains { $0.hasPrefix("retrySuppressed mayHaveHadEffect") })
        let story = try #require(error?.explain()).split(separator: "\n")
        #expect(story.contains("Then: the server rejected the token with 401."))
        let reason = "the server had acted on the request when it redirected the call"
        #expect(story.contains("Then: the request was not sent again, because \(reason)."))
    }

    @Test
    func `a GET that was redirected to a GET is sent again with a fresh token`() async throws {
        let client = StubbedClient(
            StubTransport { request in
                guard request.url.hasSuffix("/receipt") else {
                    return .redirect(303, to: "/v1/receipt")
                }
                return .status(request.headers[.authorization] == "Bearer t1" ? .ok : .unauthorized)
            }
        )
        let session = TokenSource(AccessToken("t0")) { _ in AccessToken("t1") }

        try await Self.pay(client, .get).bearer(session).send()

        #expect(client.requests.map { $0.headers[.authorization] } == ["t0", "t0", "t1", "t1"].map { "Bearer \($0)" })
    }

    // MARK: - Fallbacks and journals

    @Test(arguments: [301, 302, 303], [End.tooManyRequests, .unavailable, .unreachable])
    func `the POST does not go to another server`(redirect: Int, end: End) async throws {
        let client = Self.client(redirect) { _ in try end.response() }
        client.manager.servers["mirror"] = "https://mirror.example.com"

        let error = await #expect(throws: RestClientError.self) {
            try await Self.pay(client).fallback(.server("mirror")).send()
        }

        #expect(Self.methods(client) == ["POST", "GET"])
        let reason = "the request may have changed data"
        #expect(error?.explain().contains("Then: the server 'mirror' was not asked, because \(reason).") == true)
    }

    @Test(arguments: [301, 302, 303], [HTTPResponse.Status.notFound, .tooManyRequests])
    func `the outcome of a request in a run with a journal stays unknown`(
        redirect: Int,
        status: HTTPResponse.Status
    ) async throws {
        let host = JournalHost { name in name == "pay" ? .redirect(redirect, to: "/receipt") : .status(status) }
        var graph = JobGraph("pay")
        graph.request("pay") { JournalHost.node("pay", .post) }

        _ = try await host.process().run(graph, journal: "pay")
        let unknown = try await host.process().journals.list().first?.unknownNodes
        let second = try await host.process().run(graph, journal: "pay")
        let countOfTwo = host.names.count { $0 == "pay" }
        let journal = RunJournal("pay", unknownOutcome: .repeatWithSameKey)
        _ = try await host.process().run(graph, journal: journal)

        #expect(unknown == ["pay"])
        #expect(!second.isSuccess)
        #expect(countOfTwo == 1)
        #expect(host.keys(of: "pay").count == 2)
        #expect(Set(host.keys(of: "pay")).count == 1)
    }

    // MARK: - Shared requests

    /// The result of a POST that several calls share.
    enum Shared: CaseIterable {
        case redirected, failed, cut

        func response(to method: HTTPRequest.Method) throws -> RawResponse {
            switch self {
            case .redirected: method == .get ? .status(.tooManyRequests) : .redirect(303, to: "/receipt")
            case .failed: .status(.serviceUnavailable)
            case .cut: throw RestClientError(.connectionClosed, "cut")
            }
        }
    }

    @Test(arguments: Shared.allCases)
    func `calls that share the request of another one do not repeat it either`(shared: Shared) async throws {
        let gate = Gate()
        let client = StubbedClient(
            StubTransport { request in
                try await gate.wait()
                return try shared.response(to: request.method)
            }
        )
        let node = Self.pay(client).sharingFlight(as: "pay").retry(Self.quick)

        let calls = (0..<3).map { _ in Task { try await node.send() } }
        await client.manager.waitForSharedCalls(3, isCached: false)
        gate.open()
        for call in calls {
            await #expect(throws: RestClientError.self) { try await call.value }
        }

        #expect(Self.methods(client).filter { $0 == "POST" }.count == 1)
    }

    @Test
    func `a token that a shared response rejects after a redirect does not send the POST again`() async throws {
        let gate = Gate()
        let client = StubbedClient(
            StubTransport { request in
                try await gate.wait()
                return request.method == .get ? .status(.unauthorized) : .redirect(303, to: "/receipt")
            }
        )
        let session = TokenSource(AccessToken("t0")) { _ in AccessToken("t1") }
        let node = Self.pay(client).sharingFlight(as: "pay").bearer(session)

        let calls = (0..<2).map { _ in Task { try await node.send() } }
        await client.manager.waitForSharedCalls(2, isCached: false)
        gate.open()
        for call in calls {
            await #expect(throws: RestClientError.self) { try await call.value }
        }

        #expect(Self.methods(client) == ["POST", "GET"])
    }

    @Test
    func `a call that leaves a shared POST does not know what it did`() async throws {
        let gate = Gate()
        let clock = ManualClock()
        let client = StubbedClient(
            StubTransport { _ in
                try await gate.wait()
                return RawResponse()
            }
        ) { $0.clock = clock }
        let node = Self.pay(client).sharingFlight(as: "pay")
        let first = Task { try await node.send() }
        await client.manager.waitForSharedCalls(1, isCached: false)
        var graph = JobGraph("pay")
        graph.request("pay", options: [.retry(Self.quick)]) { node.timeout(.seconds(5)) }

        let run = Task { try await client.manager.run(graph) }
        await client.manager.waitForSharedCalls(2, isCached: false)
        try await clock.waitForSleepers(count: 2)
        clock.advance(by: .seconds(5))

        #expect((try await run.value.node("pay")?.error as? RestClientError)?.code == .timeout)
        gate.open()
        try await first.value
        #expect(Self.methods(client) == ["POST"])
    }
}
