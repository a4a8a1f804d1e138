// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// The cache among interceptors and header providers.
@Suite(.timeLimit(.minutes(5)))
struct CacheInterceptorTests {
    /// Does something to a request, and something to its response.
    private struct Changing: Interceptor {
        var request: @Sendable (inout OutgoingRequest) -> Void = { _ in }
        var response: @Sendable (inout RawResponse) -> Void = { _ in }
        let calls = Counter()

        func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
            calls.next()
            var request = request
            self.request(&request)
            var response = try await next(request)
            self.response(&response)
            return response
        }
    }

    private func client(
        calls: [any Interceptor] = [],
        attempts: [any Interceptor] = [],
        _ answer: @escaping StubTransport.Handler
    ) -> StubbedClient {
        StubbedClient(StubTransport(answer)) { configuration in
            for interceptor in calls {
                configuration = configuration.interceptors(interceptor)
            }
            for interceptor in attempts {
                configuration = configuration.interceptors(interceptor, perAttempt: true)
            }
        }
    }

    @Test
    func `a provider of credentials is asked once for a call that goes to the server`() async throws {
        let asked = Counter()
        let client = client { request in .text("\(request.headers[.authorization]?.count ?? 0)") }
        client.manager.options = client.manager.options.header(.authorization) {
            asked.next()
            return "Bearer kim"
        }
        let node = client.manager.request(Int.self).endpoint("/a").cache(.elseNetwork())
        #expect(try await node.send() == 10)
        #expect(asked.value == 1)
        #expect(try await node.send() == 10)
        #expect(asked.value == 2)
        #expect(client.requests.count == 1)
    }

    @Test
    func `a stored response that does not decode any more is fetched without a second pass of the interceptors`()
        async throws
    {
        let counter = Counter()
        let interceptor = Changing()
        let client = client(calls: [interceptor]) { _ in .text(counter.next() == 1 ? "[1]" : "2") }
        _ = try await client.manager.request([Int].self).endpoint("/a").cache(.elseNetwork()).send()
        #expect(try await client.manager.request(Int.self).endpoint("/a").cache(.elseNetwork()).send() == 2)
        #expect(interceptor.calls.value == 2)
    }

    @Test
    func `a hit is decoded once`() async throws {
        let decoded = Counter()
        let client = client(calls: [Changing()]) { _ in .text("1") }
        let node = client.manager.request(Int.self).endpoint("/a").cache(.elseNetwork())
            .decode { _ in decoded.next() }
        _ = try await node.send()
        #expect(try await node.send() == 2)
        #expect(decoded.value == 2)
    }

    @Test
    func `a response that the server confirms is decoded once for each call`() async throws {
        let decoded = Counter()
        let client = client(calls: [Changing()]) { request in
            request.headers[.ifNoneMatch] == nil ? .text("1", headers: [.eTag: "a"]) : .status(.notModified)
        }
        let node = client.manager.request(Int.self).endpoint("/a").cache(.networkElseCache())
            .decode { _ in decoded.next() }
        _ = try await node.send()
        let confirmed = try await node.response()
        #expect(confirmed.source == .revalidatedCache)
        #expect(decoded.value == 2)
    }

    @Test
    func `an interceptor that changes bodies sees stored ones as the server sent them`() async throws {
        let unwrapping = Changing { _ in
        } response: { response in
            response.body = Data(response.body.dropFirst())
        }
        let client = client(calls: [unwrapping]) { _ in .text("x1") }
        let node = client.manager.request(Int.self).endpoint("/a").cache(.elseNetwork())
        #expect(try await node.send() == 1)
        let hit = try await node.response()
        #expect(hit.model == 1)
        #expect(hit.source.isCache)
    }

    @Test
    func `a stored response of which an interceptor makes no model any more is removed, and the next call asks`()
        async throws
    {
        let counter = Counter()
        let unwrapping = Changing { _ in
        } response: { response in
            response.body = Data(response.body.dropFirst())
        }
        let client = client(calls: [unwrapping]) { _ in .text(counter.next() == 1 ? "x[1]" : "x2") }
        let old = client.manager.request([Int].self).endpoint("/a").cache(.elseNetwork())
        let new = client.manager.request(Int.self).endpoint("/a").cache(.elseNetwork())
        #expect(try await old.send() == [1])
        let error = await #expect(throws: RestClientError.self) { try await new.send() }
        #expect(error?.code == .decodingFailed)
        #expect(unwrapping.calls.value == 2)

        #expect(try await new.send() == 2)
        #expect(try await new.response().source.isCache)
        #expect(client.requests.count == 2)
    }

    @Test
    func `a response to credentials that an attempt interceptor added is not stored, unless the user is named`()
        async throws
    {
        let counter = Counter()
        let signing = Changing { request in request.headers[.authorization] = "Bearer kim" }
        let client = client(attempts: [signing]) { _ in .text("\(counter.next())") }
        let node = client.manager.request(Int.self).endpoint("/a").cache(.elseNetwork())
        #expect(try await node.response().cache.storing == .left(.altered))
        #expect(try await node.send() == 2)
        let named = node.cachePartition("kim")
        #expect(try await [named.send(), named.send()] == [3, 3])
    }

    @Test
    func `a response that varies by a field that an attempt interceptor changed is not stored`() async throws {
        let foo = try #require(HTTPField.Name("Foo"))
        let changing = Changing { request in request.headers[foo] = "1" }
        let varying = client(attempts: [changing]) { _ in .text("1", headers: [.vary: "Foo"]) }
        let node = varying.manager.request(Int.self).endpoint("/a").cache(.elseNetwork())
        #expect(try await node.response().cache.storing == .left(.altered))
        let other = client(attempts: [changing]) { _ in .text("1", headers: [.vary: "Bar"]) }
        let stored = other.manager.request(Int.self).endpoint("/a").cache(.elseNetwork())
        #expect(try await stored.response().cache.storing == .stored)
    }
}
