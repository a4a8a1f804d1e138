// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

@Suite(.timeLimit(.minutes(5)))
struct FallbackTests {
    /// A client whose first server fails as given, and whose server `mirror` responds with 7.
    private static func client(_ failing: @escaping @Sendable () throws -> RawResponse) -> StubbedClient {
        let client = StubbedClient(
            StubTransport { request in
                if request.url.hasPrefix("https://mirror.example.com/") {
                    return .text("7")
                }
                return try failing()
            }
        )
        client.manager.servers["mirror"] = "https://mirror.example.com/v2"
        return client
    }

    private static func unavailable() -> StubbedClient {
        client { .status(.serviceUnavailable) }
    }

    @Test
    func `another server is asked with its own options, and the response says so`() async throws {
        let client = Self.unavailable()
        let name = try #require(HTTPField.Name("X-Mirror"))
        client.manager.servers["mirror"] = Server("https://mirror.example.com/v2").header(name, "1")
        let log = EventRecorder(client.manager)
        let number: APIAlias<Int> = "number"
        client.manager.apis[number] = API(.get, "/numbers/{id}").fallback(.server("mirror"))
        let node = client.manager.request(number).parameter("id", 3)
        let response = try await node.response()
        #expect(response.model == 7)
        #expect(response.fallback?.description == "server 'mirror'")
        #expect(response.source == .network)
        #expect(response.attempts == 2)
        #expect(client.requests.last?.url == "https://mirror.example.com/v2/numbers/3")
        #expect(client.requests.last?.headers[name] == "1")
        #expect(client.requests.first?.headers[name] == nil)
        log.expect([
            "callStarted", "attemptStarted 1", "attemptFinished 1 503",
            "callFellBack server 'mirror' unacceptableStatus",
            "attemptStarted 2", "attemptFinished 2 200", "modelLoaded", "callSucceeded 200 network",
        ])
        #expect(response.explain().contains("fell back to the server 'mirror'"))
    }

    @Test
    func `the first source that has a result wins, and the others are not asked`() async throws {
        let client = Self.client { throw RestClientError(.connectionFailed, "down") }
        let node = client.manager.request(Int.self).endpoint("/a").fallback(.cache(), .dummy, .value(9), .value(10))
        let response = try await node.response()
        #expect(response.model == 9)
        #expect(response.fallback?.description == "value")
        #expect(response.source == .fallback)
        #expect(response.explain().contains("the cache gave no result"))
        #expect(client.requests.count == 1)
    }

    @Test
    func `a stored response is used, however old`() async throws {
        let clock = ManualClock()
        let isDown = Recorder<Void>()
        let client = StubbedClient(
            StubTransport { _ in
                guard isDown.count == 0 else {
                    throw RestClientError(.connectionFailed, "down")
                }
                return .text("1")
            }
        ) { $0.clock = clock }
        let node = client.manager.request(Int.self).endpoint("/a").cache(.reload).timeout(nil).fallback(.cache())
        #expect(try await node.response().fallback == nil)
        isDown.record(())
        clock.advance(by: .seconds(1_000))
        let response = try await node.response()
        #expect(response.model == 1)
        #expect(response.fallback?.description == "cache")
        #expect(response.source.isCache)
    }

    /// Policies whose key is the same for `?t=1` and `?t=2`, and differs from the usual one.
    private static let keyed: [(CachePolicy, HTTPRequest.Method)] = [
        (.reload.keyed(as: "number"), .get), (.reload.keyed(ignoringQuery: "t"), .get),
        (.reload.keyed(ignoringQuery: "t").keyed(adding: "beta"), .get),
        (.reload.keyedByBody().keyed(ignoringQuery: "t"), .post), (.reload.keyed(as: "number").inMemory(), .get),
    ]

    @Test(arguments: keyed, [false, true])
    func `a stored response is found under the key of the call's own policy`(
        keyed: (policy: CachePolicy, method: HTTPRequest.Method),
        isOfAPI: Bool
    ) async throws {
        let isDown = Recorder<Void>()
        let client = StubbedClient(
            StubTransport { _ in
                guard isDown.count == 0 else {
                    throw RestClientError(.connectionFailed, "down")
                }
                return .text("1")
            }
        )
        let number: APIAlias<Int> = "number"
        let api = API(keyed.method, "/a")
        client.manager.apis[number] = isOfAPI ? api.cache(keyed.policy) : api
        var node = client.manager.request(number).fallback(.cache())
        if !isOfAPI {
            node = node.cache(keyed.policy)
        }
        if keyed.method == .post {
            node = node.body(["a": 1])
        }
        _ = try await node.query(["t": 1]).send()
        isDown.record(())

        let response = try await node.query(["t": 2]).response()

        #expect(response.model == 1)
        #expect(response.fallback?.description == "cache")
        #expect(response.source.isCache)
    }

    @Test
    func `the age that the fallback accepts is its own, whatever the call's policy accepts`() async throws {
        let client = CachedClient()
        let node = client.call(.elseNetwork(maxAge: .seconds(1)).keyed(as: "number"))
        _ = try await node.send()
        client.wall.advance(by: 100)
        client.fail(.connectionFailed)

        let response = try await node.fallback(.cache()).response()
        let error = await #expect(throws: RestClientError.self) {
            try await node.fallback(.cache(maxAge: .seconds(60))).send()
        }

        #expect(response.model == 1)
        #expect(response.fallback?.description == "cache")
        #expect(error?.code == .connectionFailed)
    }

    @Test
    func `a dummy responds although dummies are off and the breaker is open, and its response is not stored`()
        async throws
    {
        let client = Self.unavailable()
        client.manager.dummies.register(.get, "/a") { _ in .text("5") }
        client.manager.options = client.manager.options.circuitBreaker(.standard)
        let node = client.manager.request(Int.self).endpoint("/a").cache(.http).fallback(.dummy)
        client.manager.guards.isolate("store")
        let response = try await node.response()
        #expect(response.model == 5)
        #expect(response.source == .dummy)
        #expect(response.fallback?.description == "dummy")
        #expect(client.requests.isEmpty)
        await #expect(throws: RestClientError.self) {
            try await client.manager.request(Int.self).endpoint("/a").cache(.cacheOnly()).send()
        }
    }

    @Test
    func `without a result, the error is that of the server`() async throws {
        let client = Self.unavailable()
        let error = await client.failure { node in
            node.endpoint("/a").fallback(.cache(), .dummy, .value("no number"), .server("nowhere"))
        }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.status == .serviceUnavailable)
        #expect(error?.request?.url?.hasPrefix("https://api.example.com/") == true)
        let story = try #require(error?.explain())
        #expect(story.contains("the server 'nowhere' gave no result"))
        #expect(story.contains("the value gave no result"))
    }

    @Test(arguments: [HTTPResponse.Status.notFound, .unauthorized, .unprocessableContent])
    func `a refusal of the request is not a failure of the server`(status: HTTPResponse.Status) async throws {
        let client = Self.client { .status(status) }
        let error = await client.failure { $0.endpoint("/a").fallback(.value(Data())) }
        #expect(error?.status == status)
    }

    @Test
    func `a condition decides instead`() async throws {
        let client = Self.client { .status(.notFound) }
        let node = client.manager.request(Int.self).endpoint("/a")
        #expect(try await node.fallback(.value(3), when: { $0.status == .notFound }).send() == 3)
        await #expect(throws: RestClientError.self) {
            try await node.fallback(.value(3), when: { $0.status == .conflict }).send()
        }
    }

    @Test
    func `a request that may have changed data goes to no other server`() async throws {
        let client = Self.client { throw RestClientError(.connectionClosed, "cut") }
        let node = client.manager.request(Int.self).post().endpoint("/a").fallback(.server("mirror"), .value(4))
        let response = try await node.response()
        #expect(response.model == 4)
        #expect(response.explain().contains("may have changed data"))
        #expect(client.requests.count == 1)
        let refused = Self.client { throw RestClientError(.connectionFailed, "down") }
        let moved = refused.manager.request(Int.self).post().endpoint("/a").fallback(.server("mirror"))
        #expect(try await moved.send() == 7)
    }

    @Test
    func `a cancelled call has no fallback`() async throws {
        let client = StubbedClient(
            StubTransport { _ in
                await untilCancelled()
                throw CancellationError()
            }
        )
        let node = client.manager.request(Int.self).endpoint("/a").fallback(.value(1))
        let call = Task { try await node.send() }
        try await client.transport.waitForRequests(count: 1)
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
    }

    @Test
    func `a value is never shown`() {
        let fallback = Fallback.value("s3cret")
        var text = ""
        dump(fallback, to: &text)
        #expect(!text.contains("s3cret"))
        #expect(fallback.description == "value")
    }
}
