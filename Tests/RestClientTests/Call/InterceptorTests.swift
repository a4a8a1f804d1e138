// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

@Suite
struct InterceptorTests {
    /// An interceptor made of a closure.
    private struct Closure: Interceptor {
        let body: @Sendable (OutgoingRequest, Next) async throws -> RawResponse

        func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
            try await body(request, next)
        }
    }

    private static func note(_ name: String, _ recorder: Recorder<String>) -> Closure {
        Closure { request, next in
            recorder.record("\(name) out")
            let response = try await next(request)
            recorder.record("\(name) back")
            return response
        }
    }

    @Test
    func `interceptors run in order, those of the call around those of the attempt`() async throws {
        let recorder = Recorder<String>()
        let transport = StubTransport { _ in
            recorder.record("wire")
            return RawResponse()
        }
        let client = StubbedClient(transport) { configuration in
            configuration = configuration.interceptors(
                Self.note("try 1", recorder),
                Self.note("try 2", recorder),
                perAttempt: true
            )
            configuration = configuration.interceptors(Self.note("call 1", recorder), Self.note("call 2", recorder))
        }
        _ = try await client.sent { $0.endpoint("/a") }
        #expect(
            recorder.elements == [
                "call 1 out", "call 2 out", "try 1 out", "try 2 out", "wire",
                "try 2 back", "try 1 back", "call 2 back", "call 1 back",
            ]
        )
    }

    @Test
    func `an interceptor may change the request and the response`() async throws {
        let client = StubbedClient(StubTransport(answering: [.text("wire")])) { configuration in
            configuration = configuration.interceptors(
                Closure { request, next in
                    var request = request
                    request.headers[.acceptLanguage] = "ko"
                    request.url += "?signed=1"
                    var response = try await next(request)
                    response.body += Data(" and more".utf8)
                    return response
                }
            )
        }
        let text = try await client.manager.request(String.self).endpoint("/a").send()
        #expect(text == "wire and more")
        #expect(client.requests.first?.url == "https://api.example.com/v1/a?signed=1")
        #expect(client.requests.first?.headers[.acceptLanguage] == "ko")
    }

    @Test
    func `an interceptor may respond itself`() async throws {
        let client = StubbedClient { configuration in
            configuration = configuration.interceptors(Closure { _, _ in .text("by itself") })
        }
        let response = try await client.manager.request(String.self).endpoint("/a").response()
        #expect(response.model == "by itself")
        #expect(response.attempts == 0)
        #expect(client.requests.isEmpty)
    }

    @Test
    func `an interceptor may send the request again, and each attempt is counted`() async throws {
        let client = StubbedClient(StubTransport(answering: [.status(.serviceUnavailable), .text("up")])) {
            configuration in
            configuration = configuration.interceptors(
                Closure { request, next in
                    let first = try await next(request)
                    return first.status == .serviceUnavailable ? try await next(request) : first
                }
            )
        }
        let response = try await client.manager.request(String.self).endpoint("/a").response()
        #expect(response.model == "up")
        #expect(response.attempts == 2)
    }

    @Test
    func `the request of another call passes the stages of the call that sends it`() async throws {
        let first = Recorder<OutgoingRequest>()
        let client = StubbedClient(StubTransport { request in .text(request.url) }) { configuration in
            configuration = configuration.interceptors(
                Closure { request, next in
                    first.record(request)
                    return try await next(first.elements[0])
                }
            )
        }
        let plain = client.manager.request(String.self).endpoint("/plain")
        let cached = client.manager.request(String.self).endpoint("/cached").cache(.elseNetwork())
        #expect(try await plain.send() == "https://api.example.com/v1/plain")
        #expect(try await cached.send() == "https://api.example.com/v1/plain")
        #expect(client.requests.count == 2)
    }

    @Test
    func `what an interceptor throws reaches the caller as it is`() async {
        struct Vetoed: Error {}
        let client = StubbedClient { $0 = $0.interceptors(Closure { _, _ in throw Vetoed() }) }
        let log = EventRecorder(client.manager)
        await #expect(throws: Vetoed.self) { try await client.manager.request(Void.self).endpoint("/a").send() }
        #expect(log.events.count { $0.isTerminal } == 1)
    }

    @Test
    func `a call interceptor runs while no slot is held, an attempt interceptor while one is`() async throws {
        let running = Recorder<Int>()
        let pool = Recorder<WorkerPool>()
        let look = Closure { request, next in
            running.record(pool.elements.first?.runningCount ?? -1)
            return try await next(request)
        }
        let client = StubbedClient { configuration in
            configuration = configuration.interceptors(look)
            configuration = configuration.interceptors(look, perAttempt: true)
        }
        pool.record(client.manager.workers)
        _ = try await client.sent { $0.endpoint("/a") }
        #expect(running.elements == [0, 1])
        #expect(client.manager.workers.runningCount == 0)
    }

    @Test
    func `an attempt interceptor may send calls of its own through a pool of one`() async throws {
        let holder = Recorder<RestClientManager>()
        let client = StubbedClient(StubTransport(answering: [.text("token"), .text("answer")])) { configuration in
            configuration.workerCount = 1
            configuration = configuration.interceptors(
                Closure { request, next in
                    if !request.url.hasSuffix("/token"), let manager = holder.elements.first {
                        _ = try await manager.request(String.self).endpoint("/token").send()
                    }
                    return try await next(request)
                },
                perAttempt: true
            )
        }
        holder.record(client.manager)
        #expect(try await client.manager.request(String.self).endpoint("/a").send() == "answer")
        #expect(client.requests.map(\.url) == ["https://api.example.com/v1/token", "https://api.example.com/v1/a"])
        holder.removeAll()
    }

    @Test
    func `the call that a request belongs to is known to interceptors`() async throws {
        let seen = Recorder<CallContext>()
        let client = StubbedClient { configuration in
            configuration = configuration.interceptors(
                Closure { request, next in
                    seen.record(request.call)
                    return try await next(request)
                }
            )
        }
        client.manager.apis[APIAlias<Void>("a")] = API(.put, "/a/{id}")
        try await client.manager.request(APIAlias<Void>("a")).parameter("id", 1).callIdentifier("mine").send()
        let call = try #require(seen.elements.first)
        #expect(call.api == "a")
        #expect(call.server == "store")
        #expect(call.template == "/a/{id}")
        #expect(call.method == .put)
        #expect(call.url == "https://api.example.com/v1/a/1")
        #expect(call.callIdentifier == "mine")
        #expect(call.attempts == 1)
    }
}
