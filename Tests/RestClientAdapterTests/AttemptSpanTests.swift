// SPDX-License-Identifier: MIT

#if Tracing

import HTTPTypes
import InMemoryTracing
import RestClient
import RestClientTracing
import Synchronization
import Testing
import Tracing

/// The spans of attempts, which are those of the client kind.
@Suite
struct AttemptSpanTests {
    private let tracer = InMemoryTracer()
    private let manager = RestClientManager.dummy
    private let tracing: ObservationToken

    init() {
        tracing = manager.trace(with: tracer)
    }

    private var attempts: [FinishedInMemorySpan] { tracer.finishedSpans.filter { $0.kind == .client } }

    @Test
    func `each attempt is a client span with the names of OpenTelemetry`() async throws {
        _ = try await manager.request(Int.self).endpoint("/users/{id}").parameter("id", 7).query(["token": "s3cret"])
            .send()
        let span = try #require(attempts.first)
        #expect(attempts.count == 1)
        #expect(tracer.activeSpans.isEmpty)
        #expect(span.operationName == "GET /users/{id}")
        #expect(span.kind == .client)
        #expect(span.status == nil)
        #expect(
            span.texts == [
                "http.request.method": "GET", "url.template": "/users/{id}", "server.address": "api.example.com",
                "server.port": "443", "url.full": "https://api.example.com/users/7?token=<redacted>",
                "http.response.status_code": "200",
            ]
        )
    }

    @Test
    func `the span's context goes out with the request`() async throws {
        let fields = Mutex<HTTPFields>([:])
        manager.dummies.register(.get, "/seen") { request in
            fields.withLock { $0 = request.headers }
            return .text("1")
        }
        _ = try await manager.request(Int.self).endpoint("/seen").send()
        let span = try #require(attempts.first)
        let sent = fields.withLock { $0 }
        #expect(try sent[#require(.init(InMemoryTracer.spanIDKey))] == span.spanID)
        #expect(try sent[#require(.init(InMemoryTracer.traceIDKey))] == span.traceID)
    }

    @Test
    func `a status from 400 on is an error of the span`() async throws {
        _ = try? await manager.request(Int.self).endpoint("/missing").send()
        let span = try #require(attempts.first)
        #expect(span.status?.code == .error)
        #expect(span.texts["http.response.status_code"] == "404")
        #expect(span.texts["error.type"] == "404")
    }

    @Test
    func `an attempt that fails ends its span with the kind of the error`() async throws {
        _ = try? await manager.request(Int.self).endpoint("/unregistered").send()
        let span = try #require(attempts.first)
        #expect(span.status?.code == .error)
        #expect(span.texts["error.type"] == "dummyNotFound")
        #expect(span.texts["http.response.status_code"] == nil)
        #expect(tracer.activeSpans.isEmpty)
    }

    @Test
    func `attempts after the first one are counted, and responses from the cache have none`() async throws {
        _ = try await manager.request(Int.self).endpoint("/users/7").interceptors(Twice()).send()
        #expect(attempts.map { $0.texts["http.request.resend_count"] } == [nil, "1"])

        let call = manager.request(Int.self).endpoint("/users/7").cache(.elseNetwork())
        _ = try await call.send()
        #expect(attempts.count == 3)
        _ = try await call.send()
        #expect(attempts.count == 3)
    }

    @Test
    func `attempt interceptors run within the span, and see the fields of the tracer`() async throws {
        let inner = Mutex<(parent: String?, field: String?)>((nil, nil))
        _ = try await manager.request(Int.self).endpoint("/users/7")
            .interceptors(
                Look { request in
                    let name = HTTPField.Name(InMemoryTracer.spanIDKey)
                    let field = name.flatMap { request.headers[$0] }
                    inner.withLock { $0 = (ServiceContext.current?.inMemorySpanContext?.spanID, field) }
                },
                perAttempt: true
            )
            .send()
        let span = try #require(attempts.first)
        #expect(inner.withLock { $0.parent } == span.spanID)
        #expect(inner.withLock { $0.field } == span.spanID)
    }

    @Test
    func `a span names the version of HTTP, and keeps the name of an unknown method`() async throws {
        let method = try #require(HTTPRequest.Method("PURGE"))
        try await manager.request(Void.self).method(method).endpoint("/a").interceptors(Wire(), perAttempt: true).send()
        let span = try #require(attempts.first)
        #expect(span.operationName == "HTTP /a")
        #expect(span.texts["http.request.method"] == "_OTHER")
        #expect(span.texts["http.request.method_original"] == "PURGE")
        #expect(span.texts["network.protocol.version"] == "2")
    }

    /// Responds as a server over HTTP/2 would.
    private struct Wire: Interceptor {
        func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
            var response = RawResponse()
            response.httpVersion = .http2
            return response
        }
    }

    private struct Look: Interceptor {
        let look: @Sendable (OutgoingRequest) -> Void

        func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
            look(request)
            return try await next(request)
        }
    }

    /// Sends each request twice.
    private struct Twice: Interceptor {
        func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
            _ = try await next(request)
            return try await next(request)
        }
    }
}

#endif
