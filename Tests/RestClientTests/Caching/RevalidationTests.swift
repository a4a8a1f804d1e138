// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

@Suite
struct RevalidationTests {
    private let wall = WallClock()

    private func client(_ answer: @escaping StubTransport.Handler) -> StubbedClient {
        let wall = wall
        return StubbedClient(StubTransport(answer)) { $0.now = { wall.now } }
    }

    /// A client whose server has one version, and knows it again by its tag.
    private func tagged(_ headers: HTTPFields = [.eTag: #""v1""#]) -> StubbedClient {
        client { request in
            let knowsIt = request.headers.contains(.ifNoneMatch) || request.headers.contains(.ifModifiedSince)
            return knowsIt ? .status(.notModified, headers: [.date: "later"]) : .text("1", headers: headers)
        }
    }

    private func call(_ client: StubbedClient, maxAge: Duration = .seconds(10)) -> RequestNode<Int> {
        client.manager.request(Int.self).endpoint("/a").cache(.elseNetwork(maxAge: maxAge))
    }

    @Test
    func `a 304 delivers the stored model and starts its age anew`() async throws {
        let client = tagged()
        _ = try await call(client).send()
        wall.advance(by: 11)
        let log = EventRecorder(client.manager)

        let confirmed = try await call(client).response()

        #expect(confirmed.model == 1)
        #expect(confirmed.status == .ok)
        #expect(confirmed.source == .revalidatedCache)
        #expect(confirmed.attempts == 1)
        #expect(confirmed.headers[.date] == "later")
        #expect(confirmed.headers[.eTag] == #""v1""#)
        #expect(client.requests.last?.headers[.ifNoneMatch] == #""v1""#)
        #expect(
            log.lines == [
                "callStarted", "cacheStale 11", "attemptStarted 1", "attemptFinished 1 304", "notModified",
                "cacheRevalidated", "modelLoaded", "callSucceeded 200 revalidatedCache",
            ]
        )

        wall.advance(by: 10)
        #expect(try await call(client).response().source == .cache(age: .seconds(10)))
        #expect(client.requests.count == 2)
    }

    @Test
    func `a response without a tag is asked for by its date`() async throws {
        let client = tagged([.lastModified: "Wed, 21 Oct 2015 07:28:00 GMT"])
        _ = try await call(client).send()
        wall.advance(by: 11)
        #expect(try await call(client).response().source == .revalidatedCache)
        #expect(client.requests.last?.headers[.ifModifiedSince] == "Wed, 21 Oct 2015 07:28:00 GMT")
        #expect(client.requests.last?.headers[.ifNoneMatch] == nil)
    }

    @Test
    func `a changed response replaces the stored one`() async throws {
        let counter = Counter()
        let client = client { _ in
            let number = counter.next()
            return .text("\(number)", headers: [.eTag: "v\(number)"])
        }
        _ = try await call(client).send()
        wall.advance(by: 11)
        #expect(try await call(client).response().source == .network)
        wall.advance(by: 11)
        _ = try await call(client).send()
        #expect(client.requests.map { $0.headers[.ifNoneMatch] } == [nil, "v1", "v2"])
    }

    @Test
    func `without a stored body no validator is ever sent`() async throws {
        let client = tagged()
        _ = try await call(client).send()
        try await client.manager.cache.remove(call(client))
        wall.advance(by: 11)
        #expect(try await call(client).response().source == .network)
        #expect(client.requests.allSatisfy { $0.headers[.ifNoneMatch] == nil })
    }

    @Test
    func `a response without a validator is fetched whole`() async throws {
        let counter = Counter()
        let client = client { _ in .text("\(counter.next())") }
        _ = try await call(client).send()
        wall.advance(by: 11)
        #expect(try await call(client).send() == 2)
        #expect(client.requests.last?.headers[.ifNoneMatch] == nil)
    }

    @Test
    func `a condition of the caller's own goes out as it is, and its 304 is the caller's`() async throws {
        let client = tagged()
        _ = try await call(client).send()
        wall.advance(by: 11)
        let own = call(client).header(.ifNoneMatch, #""mine""#)
        let error = await #expect(throws: RestClientError.self) { try await own.send() }
        #expect(error?.status == .notModified)
        #expect(client.requests.last?.headers[values: .ifNoneMatch] == [#""mine""#])
    }

    @Test
    func `a failing server leaves the stored response as it was`() async throws {
        let counter = Counter()
        let client = client { _ in
            counter.next() == 1 ? .text("1", headers: [.eTag: "v1"]) : .status(.serviceUnavailable)
        }
        _ = try await call(client).send()
        wall.advance(by: 11)
        let error = await #expect(throws: RestClientError.self) { try await call(client).send() }
        #expect(error?.status == .serviceUnavailable)
        #expect(try await client.manager.request(Int.self).endpoint("/a").cache(.cacheOnly()).send() == 1)
    }

    @Test
    func `a confirmed entry that does not decode any more is fetched whole`() async throws {
        let client = client { request in
            request.headers.contains(.ifNoneMatch)
                ? .status(.notModified)
                : .text("[1]", headers: [.eTag: "v1"])
        }
        _ = try await client.manager.request([Int].self).endpoint("/a").cache(.reload).send()
        wall.advance(by: 11)
        let error = await #expect(throws: RestClientError.self) { try await call(client).send() }
        #expect(error?.code == .decodingFailed)
        #expect(client.requests.map { $0.headers[.ifNoneMatch] } == [nil, "v1", nil])
    }

    @Test
    func `a time to live is measured from the confirmation`() async throws {
        let client = tagged()
        let node = client.manager.request(Int.self).endpoint("/a").cache(.elseNetwork().storing(for: .seconds(10)))
        _ = try await node.send()
        wall.advance(by: 10)
        #expect(try await node.response().source == .revalidatedCache)
        wall.advance(by: 9)
        #expect(try await node.response().source == .cache(age: .seconds(9)))
    }
}
