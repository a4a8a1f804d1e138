// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

@Suite(.timeLimit(.minutes(5)))
struct AuthenticatedCallTests {
    private let expired = AccessToken("t0", expiresAt: .distantPast)

    @Test
    func `a call carries the token of its server's source`() async throws {
        let server = AuthenticatedServer()
        let (client, _) = server.client(AccessToken("t1"))
        #expect(try await client.node.send() == 7)
        #expect(server.tokens == ["t1"])
        #expect(server.refreshCount == 0)
    }

    @Test
    func `a hundred calls with an expired token cause one refresh, and none is sent with the old one`() async throws {
        let server = AuthenticatedServer(issuesAtOnce: false)
        let (client, _) = server.client(expired)
        let report = try await withCalls(100, of: client) {
            try await server.issuing.waitForWaiters(count: 1)
            #expect(client.manager.workers.runningCount == 0)
            server.issuing.open()
        }
        #expect(report.allSatisfy { $0 == 7 })
        #expect(server.refreshCount == 1)
        #expect(server.tokens == Array(repeating: "t1", count: 100))
    }

    @Test
    func `a hundred rejected calls cause one refresh, and each is sent once more`() async throws {
        let server = AuthenticatedServer(opensDoor: false)
        let (client, _) = server.client { $0.workerCount = 0 }
        let report = try await withCalls(100, of: client) {
            try await server.door.waitForWaiters(count: 100)
            server.door.open()
        }
        #expect(report.allSatisfy { $0 == 7 })
        #expect(server.refreshCount == 1)
        #expect(server.tokens.filter { $0 == "t0" }.count == 100)
        #expect(server.tokens.filter { $0 == "t1" }.count == 100)
    }

    @Test(arguments: [HTTPRequest.Method.get, .post])
    func `a rejection that an interceptor made of a success does not repeat a POST`(method: HTTPRequest.Method) async {
        struct Rejecting: Interceptor {
            func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
                _ = try await next(request)
                return RawResponse(status: .unauthorized)
            }
        }
        let client = StubbedClient(answering: .text("1")) { $0 = $0.interceptors(Rejecting(), perAttempt: true) }
        let source = TokenSource(AccessToken("t0")) { _ in AccessToken("t1") }
        let node = client.manager.request(Int.self).endpoint("/a").method(method).bearer(source)
        await #expect(throws: RestClientError.self) { try await node.send() }
        #expect(client.requests.count == (method == .get ? 2 : 1))
    }

    @Test
    func `a rejection of the previous token causes no refresh`() async throws {
        let server = AuthenticatedServer(opensDoor: false)
        let (client, session) = server.client()
        let late = Task { try await client.node.send() }
        try await server.door.waitForWaiters(count: 1)
        session.current = AccessToken("t1")
        server.door.open()
        #expect(try await late.value == 7)
        #expect(server.refreshCount == 0)
        #expect(server.tokens == ["t0", "t1"])
    }

    @Test
    func `a fresh token that is refused as well ends the call with the server's response`() async throws {
        let server = AuthenticatedServer(accepting: nil)
        let (client, _) = server.client()
        let error = await #expect(throws: RestClientError.self) { try await client.node.send() }
        #expect(error?.status == .unauthorized)
        #expect(error?.attempts == 2)
        #expect(server.refreshCount == 1)
    }

    @Test
    func `for a server that rejects every token, three are obtained`() async throws {
        let server = AuthenticatedServer(accepting: nil)
        let wall = WallClock()
        let (client, _) = server.client { $0.now = { wall.now } }
        for _ in 0..<10 {
            await #expect(throws: RestClientError.self) { try await client.node.send() }
        }
        #expect(server.refreshCount == 3)
        #expect(server.tokens.count == 13)
    }

    @Test
    func `tokens that expire again and again are refreshed each time`() async throws {
        let uses = Counter()
        let transport = StubTransport { request in
            // Each token is good for two calls.
            let number = request.headers[.authorization].flatMap { Int($0.dropFirst("Bearer ".count)) } ?? 0
            return uses.next() <= number * 3 ? .text("7") : .status(.unauthorized)
        }
        let client = StubbedClient(transport)
        let issued = Counter()
        let session = TokenSource { _ in AccessToken("\(issued.next())") }
        for _ in 0..<30 {
            #expect(try await client.node.bearer(session).send() == 7)
        }
    }

    @Test
    func `a refresh that fails ends the call, with the refusal and the refresh's error`() async throws {
        let client = StubbedClient(answering: .status(.unauthorized))
        let session = TokenSource(AccessToken("t0")) { _ in throw RestClientError(.connectionFailed, "no network") }
        let node = client.node.authentication(.bearer(session))
        let error = await #expect(throws: RestClientError.self) { try await node.send() }
        #expect(error?.code == .tokenRefreshFailed)
        #expect(error?.status == .unauthorized)
        #expect((error?.underlying as? RestClientError)?.code == .connectionFailed)
        #expect(error?.failureClass == .network)
        #expect(error?.request?.url == "https://api.example.com/v1/a")
    }

    @Test
    func `the refresh's own call carries no token, and needs no worker slot`() async throws {
        let server = AuthenticatedServer(issuesAtOnce: false)
        let (client, session) = server.client(expired) { $0.workerCount = 1 }
        let outer = Task { try await client.node.send() }
        try await server.issuing.waitForWaiters(count: 1)
        // The job holds the only slot, and its call waits for the refresh that the other call began.
        let job = Task {
            try await client.manager.run(LocalJob("job") { try await client.node.send() })
        }
        await session.waitForWaiters(count: 2)
        #expect(client.manager.workers.runningCount == 1)
        server.issuing.open()
        #expect(try await outer.value == 7)
        #expect(try await job.value == 7)
        #expect(server.tokensOfRefreshes == [nil])
    }

    @Test
    func `calls of tasks that the refresh starts carry no token either`() async throws {
        let client = StubbedClient(answering: .text("7"))
        let node = client.node
        let session = TokenSource { [manager = client.manager] _ in
            async let first = manager.run(node)
            async let second = Task { try await manager.run(node) }.value
            return AccessToken("\(try await first + second)")
        }
        client.manager.options = client.manager.options.authentication(.bearer(session))
        #expect(try await client.node.send() == 7)
        #expect(client.requests.map { $0.headers[.authorization] } == [nil, nil, "Bearer 14"])
        client.manager.options = CallOptions()
    }

    @Test
    func `one call that is cancelled leaves the refresh to the others`() async throws {
        let server = AuthenticatedServer(issuesAtOnce: false)
        let (client, session) = server.client(expired)
        let first = Task { try await client.node.send() }
        try await server.issuing.waitForWaiters(count: 1)
        let second = Task { try await client.node.send() }
        await session.waitForWaiters(count: 2)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        server.issuing.open()
        #expect(try await second.value == 7)
        #expect(server.refreshCount == 1)
    }

    @Test
    func `a wait for a token ends with the call's time`() async throws {
        let server = AuthenticatedServer(issuesAtOnce: false)
        let clock = ManualClock()
        let (client, session) = server.client(expired) { $0.clock = clock }
        let call = Task { try await client.node.timeout(.seconds(5)).send() }
        try await server.issuing.waitForWaiters(count: 1)
        let patient = Task { try await session.token() }
        await session.waitForWaiters(count: 2)
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: RestClientError.self) { try await call.value }
        #expect(error?.code == .timeout)
        server.issuing.open()
        #expect(try await patient.value.value == "t1")
    }

    @Test
    func `header providers are called for each of the two attempts`() async throws {
        let server = AuthenticatedServer()
        let (client, _) = server.client()
        let provided = Counter()
        let name = try #require(HTTPField.Name("X-Try"))
        client.manager.options = client.manager.options.header(name) { "\(provided.next())" }
        _ = try await client.node.send()
        let calls = client.requests.filter { $0.url.hasSuffix("/a") }
        #expect(calls.map { $0.headers[name] } == ["1", "3"])
    }

    @Test
    func `a token that breaks out of its line is refused`() async throws {
        let client = StubbedClient()
        let session = TokenSource(AccessToken("a\r\nX-Evil: 1")) { _ in AccessToken("b") }
        let error = await client.failure { $0.authentication(.bearer(session)) }
        #expect(error?.code == .invalidHeader)
        #expect(client.requests.isEmpty)
    }

    @Test
    func `another origin that rejects a request does not get the token, and causes no refresh`() async throws {
        let client = StubbedClient(
            answering: .redirect(302, to: "https://elsewhere.example.net/a"),
            .status(.unauthorized)
        )
        let refreshes = Counter()
        let session = TokenSource(AccessToken("a")) { _ in AccessToken("\(refreshes.next())") }
        let field = try #require(HTTPField.Name("X-Ticket"))
        let error = await client.failure { $0.authentication(.header(field, session)) }
        #expect(error?.status == .unauthorized)
        #expect(client.requests.map { $0.headers[field] } == ["a", nil])
        #expect(refreshes.value == 0)
    }

    @Test
    func `other statuses refuse a token where that is said`() async throws {
        let client = StubbedClient(answering: .status(.forbidden), .text("7"))
        let session = TokenSource(AccessToken("a"), refusals: [.forbidden]) { _ in AccessToken("b") }
        #expect(try await client.node.authentication(.bearer(session)).send() == 7)
        #expect(client.requests.map { $0.headers[.authorization] } == ["Bearer a", "Bearer b"])
    }

    @Test
    func `what one user began is not sent again as another one`() async throws {
        let server = AuthenticatedServer(opensDoor: false)
        let (client, session) = server.client(AccessToken("t0", user: "kim"))
        let call = Task { try await client.node.send() }
        try await server.door.waitForWaiters(count: 1)
        session.current = AccessToken("t1", user: "lou")
        server.door.open()
        let error = await #expect(throws: RestClientError.self) { try await call.value }
        #expect(error?.status == .unauthorized)
        #expect(server.tokens == ["t0"])
        #expect(server.refreshCount == 0)
    }

    @Test(arguments: [("kim", "lou", false), ("kim", "kim", true), (nil, nil, true), ("kim", nil, true)])
    func `another attempt is not sent as another user`(first: String?, next: String?, isSent: Bool) async throws {
        let session = TokenSource(AccessToken("a", user: first)) { _ in AccessToken("fresh") }
        let client = StubbedClient(
            StubTransport { request in
                guard request.headers[.authorization] == "Bearer a" else {
                    return .text("7")
                }
                session.current = AccessToken("b", user: next)
                return .status(.serviceUnavailable)
            }
        )
        var policy = RetryPolicy(attempts: 3)
        policy.backoff.first = .zero

        let node = client.node.put().bearer(session).retry(policy)
        if isSent {
            #expect(try await node.send() == 7)
        } else {
            let error = await #expect(throws: RestClientError.self) { try await node.send() }
            #expect(error?.status == .serviceUnavailable)
            #expect(error?.explain().contains("the source now has the token of another user") == true)
        }

        let sent = client.requests.map { $0.headers[.authorization] }
        #expect(sent == (isSent ? ["Bearer a", "Bearer b"] : ["Bearer a"]))
    }

    /// Sends a call again, as often as it fails.
    private struct Repeating: Interceptor {
        func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
            let response = try await next(request)
            return response.status == .serviceUnavailable ? try await next(request) : response
        }
    }

    @Test(arguments: [CachePolicy.networkOnly, .elseNetwork()])
    func `an interceptor does not send a call again as another user, and nobody is told to sign in`(
        policy: CachePolicy
    ) async throws {
        let session = TokenSource(AccessToken("a", user: "kim")) { _ in AccessToken("fresh") }
        let client = StubbedClient(
            StubTransport { _ in
                session.current = AccessToken("b", user: "lou")
                return .status(.serviceUnavailable)
            }
        )
        let signIns = Counter()
        let node = client.node.bearer(session).interceptors(Repeating()).cache(policy)
            .onError(of: .unauthorized) { _ in signIns.next() }

        let error = await #expect(throws: RestClientError.self) { try await node.send() }

        #expect(error?.code == .tokenRefreshFailed)
        #expect(error?.message.contains("began as one user") == true)
        #expect(client.requests.map { $0.headers[.authorization] } == ["Bearer a"])
        #expect(signIns.value == 0)
    }

    @Test
    func `a fallback does not send a call as another user, even after a server with users of its own`() async throws {
        func source(_ user: String) -> TokenSource {
            TokenSource(AccessToken(user, user: user)) { _ in AccessToken("fresh") }
        }
        let (session, other) = (source("kim"), source("k@other"))
        let client = StubbedClient(
            StubTransport { request in
                if request.url.contains("first") {
                    session.current = AccessToken("lou", user: "lou")
                }
                if request.url.contains("second") {
                    other.current = AccessToken("l@other", user: "l@other")
                }
                throw RestClientError(.connectionFailed, "the server is down")
            }
        )
        for (name, source) in [("first", session), ("second", other), ("third", session), ("fourth", other)] {
            client.manager.servers[ServerAlias(rawValue: name)] = Server("https://\(name).example").bearer(source)
        }
        let node = client.node.server("first")
            .fallback(.server("second"), .server("third"), .server("fourth"))

        await #expect(throws: RestClientError.self) { try await node.send() }

        #expect(client.requests.map { $0.headers[.authorization] } == ["Bearer kim", "Bearer k@other"])
    }

    @Test
    func `each attempt of a graph's node carries the token of its time`() async throws {
        let session = TokenSource(AccessToken("a")) { _ in AccessToken("fresh") }
        let client = StubbedClient(
            StubTransport { request in
                guard request.headers[.authorization] == "Bearer a" else {
                    return .text("7")
                }
                session.current = AccessToken("b")
                return .status(.serviceUnavailable)
            }
        )
        var graph = JobGraph("retries")
        var policy = RetryPolicy(attempts: 2)
        policy.backoff.first = .zero
        let node = graph.request("node", options: [.retry(policy)]) { client.node.bearer(session) }
        #expect(try await client.manager.run(graph)[node] == 7)
        #expect(client.requests.map { $0.headers[.authorization] } == ["Bearer a", "Bearer b"])
    }

    @Test
    func `a dummy of the scope responds to the refresh of a call in it`() async throws {
        let server = AuthenticatedServer()
        let (client, session) = server.client(expired)
        let answer = try await client.manager.withDummies(.strict) {
            client.manager.dummies.register(.get, "/token") { _ in .text("dummy's") }
            client.manager.dummies.register(.get, "/a") { _ in .text("8") }
            let answer = try await client.node.send()
            #expect(session.current?.value == "dummy's")
            return answer
        }
        #expect(answer == 8)
        #expect(session.current == expired)
        #expect(client.requests.isEmpty)
    }

    @Test(arguments: ["Authorization", "X-Ticket"])
    func `no recording, command, event or error shows a token`(field: String) async throws {
        let field = try #require(HTTPField.Name(field))
        let client = StubbedClient(answering: .status(.unauthorized))
        let session = TokenSource(AccessToken("s3cret-0")) { _ in AccessToken("s3cret-1") }
        let node = client.node.authentication(.header(field, prefix: "Bearer ", session))
        let recorder = HARRecorder()
        let events = Recorder<String>()
        let observation = client.manager.observe { events.record("\($0)") }
        client.manager.recording.start(recorder)
        let error = await #expect(throws: RestClientError.self) { try await node.send() }
        observation.cancel()
        #expect(client.requests.map { $0.headers[field] } == ["Bearer s3cret-0", "Bearer s3cret-1"])
        #expect(recorder.archive.entries.count == 2)
        let archive = try recorder.archive.data()
        for text in events.elements + [
            "\(error as Any)", "\(try await node.curlCommand())", String(decoding: archive, as: UTF8.self),
        ] {
            #expect(!text.contains("s3cret"))
        }
    }

    /// Begins calls, does something while they are under way, and gives what came of them.
    private func withCalls(
        _ count: Int,
        of client: StubbedClient,
        meanwhile act: () async throws -> Void
    ) async rethrows -> [Int?] {
        let calls = (0..<count).map { _ in Task { try await client.node.send() } }
        try await act()
        var results: [Int?] = []
        for call in calls {
            results.append(try? await call.value)
        }
        return results
    }
}
