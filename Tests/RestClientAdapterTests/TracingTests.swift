// SPDX-License-Identifier: MIT

import HTTPTypes
import InMemoryTracing
import RestClient
import RestClientTracing
import Synchronization
import Testing
import Tracing

@Suite
struct TracingTests {
    private let tracer = InMemoryTracer()
    private let manager: RestClientManager

    init() {
        let tracer = tracer
        manager = .dummy { $0 = $0.attemptInterceptors(TracingInterceptor(tracer: tracer)) }
    }

    private func attributes(_ span: FinishedInMemorySpan?) -> [String: String] {
        var texts: [String: String] = [:]
        func note(_ name: String, _ value: SpanAttribute) {
            switch value {
            case .string(let value): texts[name] = value
            case .int32(let value): texts[name] = "\(value)"
            case .int64(let value): texts[name] = "\(value)"
            default: texts[name] = "\(value)"
            }
        }
        span?.attributes.forEach(note)
        return texts
    }

    @Test
    func `each attempt is a client span with the names of OpenTelemetry`() async throws {
        _ = try await manager.request(Int.self).endpoint("/users/{id}").parameter("id", 7).query(["token": "s3cret"])
            .send()
        let span = try #require(tracer.finishedSpans.first)
        #expect(tracer.finishedSpans.count == 1)
        #expect(tracer.activeSpans.isEmpty)
        #expect(span.operationName == "GET /users/{id}")
        #expect(span.kind == .client)
        #expect(span.status == nil)
        #expect(
            attributes(span) == [
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
        let span = try #require(tracer.finishedSpans.first)
        let sent = fields.withLock { $0 }
        #expect(try sent[#require(.init(InMemoryTracer.spanIDKey))] == span.spanID)
        #expect(try sent[#require(.init(InMemoryTracer.traceIDKey))] == span.traceID)
    }

    @Test
    func `a span is the child of the task's current one`() async throws {
        let parent = tracer.startSpan("parent")
        try await InstrumentationContext.withValue(parent.context) {
            _ = try await manager.request(Int.self).endpoint("/users/7").send()
        }
        parent.end()
        #expect(tracer.finishedSpans.first?.parentSpanID == parent.spanID)
    }

    @Test
    func `a status from 400 on is an error of the span`() async throws {
        _ = try? await manager.request(Int.self).endpoint("/missing").send()
        let span = try #require(tracer.finishedSpans.first)
        #expect(span.status?.code == .error)
        #expect(attributes(span)["http.response.status_code"] == "404")
        #expect(attributes(span)["error.type"] == "404")
    }

    @Test
    func `an attempt that fails ends its span with the kind of the error`() async throws {
        _ = try? await manager.request(Int.self).endpoint("/unregistered").send()
        let span = try #require(tracer.finishedSpans.first)
        #expect(span.status?.code == .error)
        #expect(attributes(span)["error.type"] == "dummyNotFound")
        #expect(attributes(span)["http.response.status_code"] == nil)
        #expect(tracer.activeSpans.isEmpty)
    }

    @Test
    func `attempts after the first one are counted, and responses from the cache have no span`() async throws {
        let tracer = tracer
        let manager = RestClientManager.dummy { configuration in
            configuration = configuration.interceptors(Twice())
            configuration = configuration.attemptInterceptors(TracingInterceptor(tracer: tracer))
        }
        _ = try await manager.request(Int.self).endpoint("/users/7").send()
        #expect(tracer.finishedSpans.map { attributes($0)["http.request.resend_count"] } == [nil, "1"])

        let call = self.manager.request(Int.self).endpoint("/users/7").cache(.elseNetwork())
        _ = try await call.send()
        #expect(tracer.finishedSpans.count == 3)
        _ = try await call.send()
        #expect(tracer.finishedSpans.count == 3)
    }

    @Test
    func `a span names the version of HTTP, and keeps the name of an unknown method`() async throws {
        let tracer = tracer
        let manager = RestClientManager.dummy { configuration in
            configuration = configuration.attemptInterceptors(TracingInterceptor(tracer: tracer), Wire())
        }
        let method = try #require(HTTPRequest.Method("PURGE"))
        try await manager.request(Void.self).method(method).endpoint("/a").send()
        let span = try #require(tracer.finishedSpans.first)
        #expect(span.operationName == "HTTP /a")
        #expect(attributes(span)["http.request.method"] == "_OTHER")
        #expect(attributes(span)["http.request.method_original"] == "PURGE")
        #expect(attributes(span)["network.protocol.version"] == "2")
    }

    /// Responds as a server over HTTP/2 would.
    private struct Wire: Interceptor {
        func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
            var response = RawResponse()
            response.httpVersion = .http2
            return response
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
