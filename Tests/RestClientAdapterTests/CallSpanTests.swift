// SPDX-License-Identifier: MIT

#if Tracing

import HTTPTypes
import InMemoryTracing
import RestClient
import RestClientTracing
import RestClientWebSocket
import RestEssentials
import TestSupport
import Testing
import Tracing

/// The spans of calls: each has one, which ends once, however the call ends.
@Suite(.timeLimit(.minutes(5)))
struct CallSpanTests {
    private let tracer = InMemoryTracer()
    private let manager = RestClientManager.dummy
    private let tracing: ObservationToken

    init() {
        tracing = manager.trace(with: tracer)
    }

    // MARK: - Names, attributes, places

    @Test
    func `a call is the parent of its attempts, and the child of the task's current span`() async throws {
        let parent = tracer.startSpan("parent")
        try await ServiceContext.withValue(parent.context) {
            _ = try await manager.request(Int.self).endpoint("/users/7").send()
        }
        parent.end()

        #expect(tracer.tree == ["parent", "  GET /users/7 dummy", "    GET /users/7 200"])
        #expect(tracer.activeSpans.isEmpty)
    }

    @Test
    func `a call is named for its API, and says what it is`() async throws {
        let user = APIAlias<Int>(rawValue: "user")
        manager.apis[user] = API(.get, "/users/{id}")

        let response = try await manager.request(user).parameter("id", 7).query(["token": "s3cret"]).response()

        let span = try #require(tracer.calls.first)
        #expect(span.operationName == "user")
        #expect(span.kind == .internal)
        #expect(span.status == nil)
        #expect(
            span.texts == [
                "http.request.method": "GET", "url.template": "/users/{id}", "server.address": "api.example.com",
                "server.port": "443", "url.full": "https://api.example.com/users/7?token=<redacted>",
                "rest_client.api": "user", "rest_client.server": "store", "rest_client.call.id": "\(response.callID)",
                "rest_client.attempts": "1", "rest_client.source": "dummy", "http.response.status_code": "200",
            ]
        )
    }

    @Test
    func `a call that is started with callbacks is the child of the span in which it was started`() async throws {
        let ended = Gate()
        let parent = tracer.startSpan("parent")
        ServiceContext.withValue(parent.context) {
            _ = manager.request(Int.self).endpoint("/users/7").onSuccess { _ in ended.open() }.resume()
        }
        parent.end()
        try await ended.wait()

        #expect(tracer.tree == ["parent", "  GET /users/7 dummy", "    GET /users/7 200"])
    }

    @Test
    func `no attribute contains a credential, nor the text of an error`() async throws {
        struct Mine: Error, CustomStringConvertible { let description = "s3cret" }
        manager.servers["store"] = Server("https://api.example.com").bearer("s3cret")
        manager.dummies.register(.get, "/mine") { _ in throw Mine() }
        for path in ["/users/7", "/mine", "/unregistered", "/missing"] {
            _ = try? await manager.request(Int.self).endpoint(PathTemplate(path)).query(["api_key": "s3cret"]).send()
        }

        #expect(tracer.finishedSpans.count >= 8)
        for span in tracer.finishedSpans {
            #expect(!span.operationName.contains("s3cret"))
            #expect(!span.texts.contains { $0.value.contains("s3cret") })
            #expect(span.errors.isEmpty)
        }
    }

    // MARK: - Ends

    @Test
    func `a response from the cache has a call, and no attempt`() async throws {
        let call = manager.request(Int.self).endpoint("/users/7").cache(.elseNetwork())
        for _ in 1...3 {
            _ = try await call.send()
        }

        #expect(
            tracer.tree == [
                "GET /users/7 cache", "GET /users/7 cache", "GET /users/7 dummy", "  GET /users/7 200",
            ]
        )
        #expect(tracer.calls.map { $0.texts["rest_client.attempts"] } == ["1", "0", "0"])
    }

    @Test
    func `a response that is refreshed in the background has two calls`() async throws {
        let later = Recorder<Void>()
        let manager = RestClientManager.dummy { configuration in
            configuration.now = { Date(timeIntervalSince1970: later.count == 0 ? 1_000 : 1_020) }
        }
        let tracing = manager.trace(with: tracer)
        defer { tracing.cancel() }
        manager.dummies.register(.get, "/news") { _ in
            .text("1", headers: [.cacheControl: "max-age=10, stale-while-revalidate=60"])
        }
        let events = EventRecorder(manager)
        let call = manager.request(Int.self).endpoint("/news").cache(.http)
        _ = try await call.send()
        later.record(())
        _ = try await call.send()
        try await events.waitForCalls(count: 3)

        #expect(
            tracer.tree == [
                "GET /news cache", "  GET /news dummy", "    GET /news 200", "GET /news dummy", "  GET /news 200",
            ]
        )
        #expect(tracer.activeSpans.isEmpty)
    }

    private static let failures: [(@Sendable (RequestNode<Int>) -> RequestNode<Int>, type: String, attempts: Int)] = [
        ({ $0.endpoint("/missing") }, "404", 1), ({ $0.endpoint("/unregistered") }, "dummyNotFound", 1),
        ({ $0.endpoint("/token") }, "decodingFailed", 1),
        ({ $0.server("nowhere").endpoint("/users/7") }, "unknownServer", 0),
        ({ $0.endpoint("/users/{id}") }, "missingPathParameter", 0),
        ({ $0.endpoint("/users/7").interceptors(Failing()) }, "Own", 0),
        ({ $0.endpoint("/missing").mapError { _ in Own() } }, "404", 1),
    ]

    @Test(arguments: failures)
    func `a call that fails ends its span with the kind of its error`(
        describe: @escaping @Sendable (RequestNode<Int>) -> RequestNode<Int>,
        type: String,
        attempts: Int
    ) async throws {
        _ = try? await describe(manager.request(Int.self)).send()

        let span = try #require(tracer.calls.first)
        #expect(tracer.calls.count == 1)
        #expect(tracer.finishedSpans.count == 1 + attempts)
        #expect(span.status?.code == .error)
        #expect(span.texts["error.type"] == type)
        #expect(span.texts["rest_client.attempts"] == "\(attempts)")
        #expect(tracer.activeSpans.isEmpty)
    }

    @Test
    func `a call that is cancelled ends its spans once`() async throws {
        let begun = Gate()
        manager.dummies.register(.get, "/slow") { _ in
            begun.open()
            await untilCancelled()
            throw CancellationError()
        }
        let call = Task { [manager] in try await manager.request(Int.self).endpoint("/slow").send() }
        try await begun.wait()
        call.cancel()
        _ = await call.result

        #expect(tracer.tree == ["GET /slow error cancelled", "  GET /slow error cancelled"])
        #expect(tracer.activeSpans.isEmpty)
    }

    @Test
    func `attempts of a retried call are the children of one call`() async throws {
        let count = Recorder<Void>()
        manager.dummies.register(.get, "/flaky") { _ in
            count.record(())
            return count.count == 1 ? .status(.serviceUnavailable) : .text("1")
        }
        var policy = RetryPolicy(attempts: 3)
        policy.backoff.first = .zero
        _ = try await manager.request(Int.self).endpoint("/flaky").retry(policy).send()

        #expect(tracer.tree == ["GET /flaky dummy", "  GET /flaky 200", "  GET /flaky error 503"])
        #expect(tracer.calls.first?.texts["rest_client.attempts"] == "2")
    }

    @Test
    func `the attempt that a hedge replaces ends too`() async throws {
        let clock = ManualClock()
        let count = Recorder<Void>()
        let transport = StubTransport { _ in
            count.record(())
            if count.count == 1 {
                await untilCancelled()
                throw CancellationError()
            }
            return .text("2")
        }
        let client = StubbedClient(transport) { $0.clock = clock }
        let tracing = client.manager.trace(with: tracer)
        defer { tracing.cancel() }
        let node = client.manager.request(Int.self).endpoint("/a").timeout(nil).hedging(.after(.seconds(2)))
        let call = Task { try await node.send() }
        try await transport.waitForRequests(count: 1)
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(2))
        _ = try await call.value

        #expect(tracer.tree == ["GET /a network", "  GET /a 200", "  GET /a error cancelled"])
        #expect(tracer.activeSpans.isEmpty)
    }

    @Test
    func `a model that replaces a failure is a success, from where it comes`() async throws {
        _ = try await manager.request(Int.self).endpoint("/unregistered").fallback(.value(3)) { _ in true }.send()
        _ = try await manager.request(Int.self).server("nowhere").endpoint("/a").mapResult { _ in 3 }.send()

        #expect(
            tracer.tree == [
                "GET /unregistered fallback", "  GET /unregistered error dummyNotFound", "HTTP /a resultHandler",
            ]
        )
    }

    // MARK: - Calls that last

    @Test
    func `a streamed call ends with its body`() async throws {
        manager.dummies.register(.get, "/stream") { _ in .stream([Data("a".utf8), Data("b".utf8)]) }
        let response = try await manager.request().endpoint("/stream").stream()
        #expect(tracer.activeSpans.map(\.operationName) == ["GET /stream"])
        for try await _ in response.bytes {}

        #expect(tracer.tree == ["GET /stream dummy", "  GET /stream 200"])
        #expect(tracer.activeSpans.isEmpty)
    }

    @Test
    func `a streamed call that nobody reads to its end is cancelled, and one that is refused fails`() async throws {
        manager.dummies.register(.get, "/stream") { _ in .stream([Data("a".utf8), Data("b".utf8)]) }
        func readOnce() async throws {
            for try await _ in try await manager.request().endpoint("/stream").stream().bytes {
                break
            }
        }
        try await readOnce()
        await #expect(throws: RestClientError.self) { try await manager.request().endpoint("/missing").stream() }

        #expect(
            tracer.tree == [
                "GET /missing error 404", "  GET /missing error 404", "GET /stream error cancelled",
                "  GET /stream 200",
            ]
        )
        #expect(tracer.activeSpans.isEmpty)
    }

    @Test
    func `a WebSocket is a call until it is closed`() async throws {
        manager.dummies.register(.get, "/live") { _ in
            .webSocket { socket in try await socket.send(WebSocketMessage.text("1")) }
        }
        let socket = try await manager.request(Int.self).endpoint("/live").webSocket()
        #expect(tracer.activeSpans.map(\.operationName) == ["GET /live"])
        for try await _ in socket {}

        #expect(tracer.tree == ["GET /live dummy", "  GET /live 101"])
        #expect(tracer.activeSpans.isEmpty)
    }

    // MARK: - On and off

    @Test
    func `without an observation there are no spans, and the last tracer makes them`() async throws {
        let other = InMemoryTracer()
        let call = manager.request(Int.self).endpoint("/users/7")
        let observation = manager.trace(with: other)
        _ = try await call.send()
        #expect(tracer.finishedSpans.isEmpty)
        #expect(other.finishedSpans.count == 2)

        observation.cancel()
        _ = try await call.send()
        #expect(tracer.finishedSpans.count == 2)

        tracing.cancel()
        _ = try await call.send()
        #expect(tracer.finishedSpans.count == 2)
        #expect(other.finishedSpans.count == 2)
    }

    private struct Own: Error {}

    private struct Failing: Interceptor {
        func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
            throw Own()
        }
    }
}

#endif
