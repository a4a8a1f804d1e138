// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

@Suite(.timeLimit(.minutes(5)))
struct CallStoryTests {
    typealias Node = RequestNode<Void>

    private static let quick: RetryPolicy = {
        var policy = RetryPolicy(attempts: 3)
        policy.backoff.first = .zero
        return policy
    }()

    /// A client on a clock that stands still.
    private static func client(answering answers: RawResponse...) -> StubbedClient {
        StubbedClient(StubTransport(answering: answers)) { $0.clock = ManualClock() }
    }

    private static func lines(_ story: String?) -> [String] {
        story?.split(separator: "\n").map(String.init) ?? []
    }

    /// Returns what a story tells happened.
    private static func events(_ story: String?) -> [String] {
        lines(story).filter { $0.hasPrefix("Then: ") }.map { String($0.dropFirst("Then: ".count)) }
    }

    // MARK: - The whole story

    @Test
    func `a response tells its story`() async throws {
        let client = Self.client(
            answering: .status(.serviceUnavailable),
            .redirect(302, to: "/b?token=s3cret"),
            .text("7")
        )
        client.manager.servers["store"] = Server("https://api.example.com/v1").retry(Self.quick).bearer("t0ken")

        let story = try await client.manager.request(Int.self).endpoint("/a").timeout(.seconds(9)).response().explain()

        let failure =
            "unacceptableStatus: the server responded with 503 Service Unavailable (GET https://api.example.com/v1/a)"
        #expect(
            Self.lines(story) == [
                "GET https://api.example.com/v1/a succeeded with 200 from network after 2 attempts in 0.0 seconds.",
                "The server is 'store', because it is the default server.",
                "Option header fields: Authorization (server).",
                "Option retry: at most 3 attempts (server).",
                "Option timeout: 9.0 seconds (call).",
                "Cache: not asked.",
                "The request had credentials in Authorization, from the server.",
                "Attempt 1 was on the wire for 0.0 seconds, beginning after 0.0 seconds.",
                "Attempt 2 was on the wire for 0.0 seconds, beginning after 0.0 seconds.",
                "Attempt 2 was on the wire for 0.0 seconds, beginning after 0.0 seconds.",
                "The server redirected the call with 302.",
                "Then: attempt 1 failed (\(failure)); the next one waits 0.0 seconds.",
                "Then: a redirect left the path of the server, and fields set for the server stayed behind.",
            ]
        )
        #expect(!story.contains("t0ken"))
        #expect(!story.contains("s3cret"))
    }

    @Test
    func `an error tells its story`() async throws {
        let client = Self.client(answering: .status(.serviceUnavailable))

        let error = await client.failure { $0.post().endpoint("/a").retry(Self.quick) }

        let failure = "the server responded with 503 Service Unavailable"
        let attempt = "attempt 1 failed (unacceptableStatus: \(failure) (POST https://api.example.com/v1/a))"
        #expect(
            Self.lines(error?.explain()) == [
                "POST https://api.example.com/v1/a failed with unacceptableStatus: \(failure).",
                "The server is 'store', because it is the default server.",
                "Option retry: at most 3 attempts (call).",
                "Option timeout: 3600.0 seconds (manager).",
                "The request had no credentials.",
                "Attempt 1 was on the wire for 0.0 seconds, beginning after 0.0 seconds.",
                "Then: \(attempt) and is not repeated, because the request may have changed data.",
                "1 of the requests may have changed data on the server.",
            ]
        )
    }

    @Test
    func `an error without a call says what it knows`() {
        let error = RestClientError(.invalidURL, "'x' is not a URL")

        #expect(error.explain() == error.description)
    }

    @Test
    func `the story lists no option that the library sets for itself`() async throws {
        let client = Self.client(answering: .status(.notFound))
        let node = client.manager.request(Void.self).endpoint("/a").onError { _ in }

        // Its handler has a note in the options.
        let error = await #expect(throws: RestClientError.self) { _ = try await node.stream() }

        let options = Self.lines(error?.explain()).filter { $0.hasPrefix("Option ") }
        #expect(options.contains { $0.hasPrefix("Option timeout") })
        #expect(!options.contains { $0.contains("note") })
    }

    // MARK: - The server

    private static let own: APIAlias<Void> = "own"
    private static let open: APIAlias<Void> = "open"

    private static let targets: [(String, @Sendable (Node) -> Node)] = [
        ("The server is 'store', because it is the default server.", { $0.endpoint("/a") }),
        ("The server is 'other', because the call names it.", { $0.server("other").endpoint("/a") }),
        ("The server is 'other', because the API names it.", { $0.api(Self.own) }),
        ("The server is 'store', because it is the default server.", { $0.api(Self.open) }),
        ("The server is 'other', because the URL is below its address.", { $0.url("https://other.example/a") }),
        (
            "The call belongs to no registered server, because its URL is below no server's address.",
            { $0.url("https://foreign.example/a") }
        ),
        (
            "The call belongs to no registered server, because the call sets its own address.",
            { $0.serverAddress("https://foreign.example").endpoint("/a") }
        ),
        (
            "The server is 'other', because the call fell back to it.",
            { $0.endpoint("/down").fallback(.server("other")) }
        ),
        ("The server is '<redacted>', because the call names it.", { $0.server("sk_live_1234567").endpoint("/a") }),
    ]

    @Test(arguments: targets)
    func `the story says why the call went to its server`(
        sentence: String,
        describe: @Sendable (Node) -> Node
    ) async throws {
        let client = StubbedClient(
            StubTransport { request in
                .status(request.url == "https://api.example.com/v1/down" ? .serviceUnavailable : .ok)
            }
        )
        client.manager.servers["other"] = "https://other.example"
        client.manager.servers["sk_live_1234567"] = "https://secret.example"
        client.manager.apis[Self.own] = API(.get, "/own", server: "other")
        client.manager.apis[Self.open] = API(.get, "/open")

        let response = try await describe(client.manager.request(Void.self)).response()

        #expect(Self.lines(response.explain())[1] == sentence)
    }

    // MARK: - Credentials

    private struct Signing: Interceptor {
        func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
            var request = request
            request.headers[.authorization] = "Signature s3cret"
            return try await next(request)
        }
    }

    private static let session = TokenSource(AccessToken("s3cret")) { _ in AccessToken("s3cret") }

    private static let origins: [(String, @Sendable (RestClientManager, Node) throws -> Node)] = [
        ("The request had credentials in Authorization, from the call.", { _, node in node.bearer("s3cret") }),
        (
            "The request had credentials in Authorization, from the token source of the call.",
            { _, node in node.bearer(Self.session) }
        ),
        (
            "The request had credentials in Authorization, from the token source of the server.",
            { manager, node in
                manager.servers["store"] = Server("https://api.example.com/v1").bearer(Self.session)
                return node
            }
        ),
        (
            "The request had credentials in PRIVATE-TOKEN, from a closure of the manager.",
            { manager, node in
                let name = try #require(HTTPField.Name("PRIVATE-TOKEN"))
                manager.options = manager.options.header(name) { "s3cret" }
                return node
            }
        ),
        (
            "The request had credentials in Authorization, from an interceptor.",
            { _, node in node.interceptors(Signing(), perAttempt: true) }
        ),
        (
            "The URL had credentials in appid, from the server.",
            { manager, node in
                manager.servers["store"] = Server("https://api.example.com/v1").apiKey(.query("appid", "s3cret"))
                return node
            }
        ),
        (
            "The URL had credentials in appid, from the call.",
            { manager, node in
                manager.servers["store"] = Server("https://api.example.com/v1").apiKey(.query("appid", "s3cret"))
                return node.apiKey(.query("appid", "own-s3cret"))
            }
        ),
        (
            "The request had credentials in Authorization, from the token source of the server of 'staging'.",
            { manager, node in
                manager.servers.removeAll()
                manager.defaultServer = nil
                let server = Server("https://staging.example.com").bearer(Self.session)
                manager.environments["staging"] = ClientEnvironment(
                    servers: ["store": server],
                    defaultServer: "store"
                )
                try manager.environments.use("staging")
                return node
            }
        ),
    ]

    @Test(arguments: origins)
    func `the story says where credentials came from, and shows none`(
        sentence: String,
        describe: @Sendable (RestClientManager, Node) throws -> Node
    ) async throws {
        let client = Self.client(answering: RawResponse())

        let node = try describe(client.manager, client.manager.request(Void.self).endpoint("/a"))
        let story = try await node.response().explain()

        #expect(Self.lines(story).filter { $0.contains("credentials in") } == [sentence])
        #expect(!story.contains("s3cret"))
    }

    @Test
    func `the story says that a cookie came from a jar`() async throws {
        let client = Self.client(answering: .status(.ok, headers: [.setCookie: "session=s3cret"]))
        let node = client.manager.request(Void.self).endpoint("/a").cookies(CookieJar())

        _ = try await node.response()
        let story = try await node.response().explain()

        #expect(Self.lines(story).contains("The request had credentials in Cookie, from the cookie jar of the call."))
    }

    // MARK: - Tokens

    @Test
    func `the story says that a token was rejected and the request sent again`() async throws {
        let client = Self.client(answering: .status(.unauthorized), .text("7"))
        let session = TokenSource(AccessToken("t0")) { _ in AccessToken("t1") }

        let response = try await client.manager.request(Int.self).endpoint("/a").bearer(session).response()

        #expect(
            Self.events(response.explain()) == [
                "the server rejected the token with 401.", "a new token was obtained.",
                "the request was sent again with another token.",
            ]
        )
    }

    @Test
    func `the story says that the token after it was rejected, too`() async throws {
        let client = Self.client(answering: .status(.unauthorized))
        let session = TokenSource { token in AccessToken(token == nil ? "t0" : "t1") }

        let error = await client.failure { $0.endpoint("/a").bearer(session) }

        #expect(
            Self.events(error?.explain()) == [
                "a new token was obtained.", "the server rejected the token with 401.", "a new token was obtained.",
                "the request was sent again with another token.", "the server rejected that token with 401, too.",
            ]
        )
    }

    @Test(arguments: ["t0", "t1"])
    func `the story says why a rejected request was not sent again`(fresh: String) async throws {
        let client = Self.client(answering: .status(.unauthorized))
        let session = TokenSource(AccessToken("t0", user: "kim")) { _ in
            AccessToken(fresh, user: fresh == "t1" ? "lou" : nil)
        }

        let error = await client.failure { $0.endpoint("/a").bearer(session) }

        let reason = fresh == "t0" ? "the source has no other token" : "the source now has the token of another user"
        #expect(Self.events(error?.explain()).last == "the request was not sent again, because \(reason).")
    }

    @Test
    func `the story says that too many fresh tokens were rejected`() async throws {
        let wall = WallClock()
        let client = StubbedClient(answering: .status(.unauthorized)) { $0.now = { wall.now } }
        let issued = Counter()
        let session = TokenSource(AccessToken("t")) { _ in AccessToken("t\(issued.next())") }

        for _ in 0..<3 {
            _ = await client.failure { $0.endpoint("/a").bearer(session) }
        }
        let error = await client.failure { $0.endpoint("/a").bearer(session) }

        let reason = "the server has rejected too many fresh tokens within a minute"
        #expect(
            Self.events(error?.explain()) == [
                "the server rejected the token with 401.", "the request was not sent again, because \(reason).",
            ]
        )
    }

    // MARK: - Bodies

    @Test(arguments: [HTTPResponse.Status.serviceUnavailable, .unauthorized])
    func `the story says that the body could not be sent again`(status: HTTPResponse.Status) async throws {
        let client = StubbedClient(
            StubTransport { request in
                if case .stream(_, let source)? = request.body?.content {
                    _ = try source.open()
                }
                return .status(status)
            }
        )
        let session = TokenSource(AccessToken("t0")) { _ in AccessToken("t1") }
        let chunks = AsyncThrowingStream<Data, any Error> { $0.finish() }

        let error = await client.failure {
            $0.method(.put).endpoint("/a").body(.stream(chunks)).retry(Self.quick).bearer(session)
        }

        let isRejection = status == .unauthorized
        let beginning = isRejection ? "the request was not sent again" : "attempt 1 failed"
        let sentence = try #require(Self.events(error?.explain()).first { $0.hasPrefix(beginning) })
        #expect(sentence.contains("because the body is a stream that has been read"))
        #expect(client.requests.count == 1)
    }

    // MARK: - Waits

    @Test
    func `the story tells a wait for a worker from one for the call's turn`() async throws {
        let gate = Gate()
        let clock = ManualClock()
        let transport = StubTransport { _ in
            try await gate.wait()
            return RawResponse()
        }
        let client = StubbedClient(transport) { configuration in
            configuration.clock = clock
            configuration.workerCount = 1
        }
        let node = client.manager.request(Void.self).endpoint("/a")
        let first = Task { try await node.response() }
        try await transport.waitForRequests(count: 1)
        let second = Task { try await node.response() }
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(3))
        gate.open()

        _ = try await first.value
        let story = try await second.value.explain()

        #expect(Self.lines(story).contains("The call waited 3.0 seconds for a worker slot."))
        #expect(!story.contains("turn"))
    }

    private static let limits: [(@Sendable (Server) -> Server, String)] = [
        ({ $0.rateLimit(.perSecond(1)) }, "rate is limited"),
        ({ $0.concurrency(.fixed(1)) }, "number of calls is limited"),
        ({ $0.rateLimit(.perSecond(1)).concurrency(.fixed(1)) }, "rate and number of calls are limited"),
    ]

    @Test(arguments: limits)
    func `the story says what the call's turn depended on`(
        limit: @Sendable (Server) -> Server,
        reason: String
    ) async throws {
        let gate = Gate()
        let clock = ManualClock()
        let transport = StubTransport { _ in
            try await gate.wait()
            return RawResponse()
        }
        let client = StubbedClient(transport) { $0.clock = clock }
        client.manager.servers["store"] = limit(Server("https://api.example.com/v1"))
        let node = client.manager.request(Void.self).endpoint("/a").timeout(nil)
        let first = Task { try await node.response() }
        try await transport.waitForRequests(count: 1)
        let log = EventRecorder(client.manager)
        let second = Task { try await node.response() }
        try await log.wait(for: .callHeldBack)
        if reason != "number of calls is limited" {
            try await clock.waitForSleepers(count: 1)
        }
        clock.advance(by: .seconds(1))
        gate.open()

        _ = try await first.value
        let response = try await second.value

        #expect(
            Self.events(response.explain())
                == ["the call waited 1.0 seconds for its turn at 'store', whose \(reason)."]
        )
        #expect(!response.explain().contains("worker"))
        #expect(response.timings.queued == .seconds(1))
    }

    // MARK: - Shared requests

    @Test(arguments: [true, false])
    func `the story says that the request was an equal call's`(succeeds: Bool) async throws {
        let gate = Gate()
        let client = StubbedClient(
            StubTransport { _ in
                try await gate.wait()
                guard succeeds else {
                    throw RestClientError(.connectionClosed, "cut")
                }
                return RawResponse()
            }
        )
        let node = client.manager.request(Void.self).endpoint("/a").sharingFlight()
        let calls = (0..<2).map { _ in Task { try await node.response() } }
        await client.manager.waitForSharedCalls(2, isCached: false)
        gate.open()

        var stories: [String] = []
        for call in calls {
            do {
                stories.append(try await call.value.explain())
            } catch {
                stories.append((error as? RestClientError)?.explain() ?? "")
            }
        }

        let sentence =
            succeeds
            ? "an equal call had sent the request, and this call received its response."
            : "an equal call had sent the request, which failed."
        #expect(stories.map(Self.events).sorted { $0.count < $1.count } == [[], [sentence]])
        #expect(stories.filter { Self.lines($0).contains("The call sent no request.") }.count == 1)
        #expect(stories.filter { Self.lines($0).contains("The request had no credentials.") }.count == 1)
    }
}
