// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SharedStore
import TestSupport
import Testing

@testable import RestClient

/// Stored responses that the present model no longer decodes.
@Suite(.timeLimit(.minutes(5)))
struct MigrationTests {
    private struct Order: Codable, Sendable, Equatable {
        var id: Int
        var label: String
    }

    private static let old = #"{"id":7}"#
    private static let migrated = Order(id: 7, label: "migrated")
    private static let fresh: HTTPFields = [.cacheControl: "max-age=60", .eTag: #""v1""#, .contentLength: "8"]

    private struct OldOrder: Codable { var id: Int }

    /// A client whose cache holds a response of an older form, and whose server counts on in the new one.
    private func client(
        _ headers: HTTPFields = MigrationTests.fresh,
        then answer: RawResponse = .text(#"{"id":8,"label":"new"}"#)
    ) async throws -> (client: StubbedClient, wall: WallClock) {
        let wall = WallClock()
        let client = StubbedClient(StubTransport(answering: [.text(Self.old, headers: headers), answer])) {
            $0.now = { wall.now }
        }
        _ = try await client.manager.request(OldOrder.self).endpoint("/order").cache(.reload).response()
        return (client, wall)
    }

    private func node(_ client: StubbedClient, _ policy: CachePolicy) -> RequestNode<Order> {
        client.manager.request(Order.self).endpoint("/order").cache(policy)
    }

    /// Migrates the old form to the new one, and counts its calls.
    private func migrating(_ policy: CachePolicy, _ counter: Counter = Counter()) -> CachePolicy {
        policy.migrating { bytes in
            counter.next()
            let old = try JSONDecoder().decode(OldOrder.self, from: bytes)
            return try JSONEncoder().encode(Order(id: old.id, label: "migrated"))
        }
    }

    @Test(arguments: [CachePolicy.http, .elseNetwork()])
    func `without a migration what no longer decodes is a miss`(policy: CachePolicy) async throws {
        let (client, _) = try await client()
        let response = try await node(client, policy).response()

        #expect(response.model == Order(id: 8, label: "new"))
        #expect(response.source == .network)
        #expect(response.cache.outcome == .forwarded(.unreadable))
    }

    @Test(arguments: [CachePolicy.http, .elseNetwork(), .cacheOnly(), .staleWhileRevalidate(maxAge: .seconds(60))])
    func `a migration makes it a hit, and is asked once`(policy: CachePolicy) async throws {
        let (client, wall) = try await client()
        let counter = Counter()
        let hasLifetime = policy == .http || policy.mode == .staleWhileRevalidate
        wall.advance(by: 30)
        let response = try await node(client, migrating(policy, counter)).response()
        #expect(response.model == Self.migrated)
        #expect(response.source == .cache(age: .seconds(30)))
        #expect(response.cache.isMigrated)
        #expect(response.cache.storing == .updated)
        #expect(response.cache.cacheStatus == "RestClient; hit" + (hasLifetime ? "; ttl=30" : ""))
        #expect(try JSONDecoder().decode(Order.self, from: response.body) == Self.migrated)

        // Its age continues, and its bytes are new.
        wall.advance(by: 20)
        let again = try await node(client, migrating(policy, counter)).response()
        #expect(again.model == Self.migrated)
        #expect(again.source == .cache(age: .seconds(50)))
        #expect(!again.cache.isMigrated)
        #expect(again.headers[.contentLength] == nil)
        #expect(again.headers[.eTag] == #"W/"v1""#)
        #expect(counter.value == 1)
        #expect(client.requests.count == 1)
    }

    @Test
    func `the server can still confirm it`() async throws {
        let (client, wall) = try await client(then: .status(.notModified, headers: [.cacheControl: "max-age=60"]))
        _ = try await node(client, migrating(.http)).send()
        wall.advance(by: 61)
        let response = try await node(client, migrating(.http)).response()

        #expect(response.model == Self.migrated)
        #expect(response.source == .revalidatedCache)
        #expect(client.requests.last?.headers[.ifNoneMatch] == #"W/"v1""#)
    }

    @Test
    func `a response that is confirmed, or delivered after a failure, is migrated too`() async throws {
        let (confirmed, wall) = try await client(then: .status(.notModified, headers: [.cacheControl: "max-age=60"]))
        wall.advance(by: 61)
        let response = try await node(confirmed, migrating(.http)).response()
        #expect(response.model == Self.migrated)
        #expect(response.source == .revalidatedCache)
        #expect(response.cache.isMigrated)
        #expect(try JSONDecoder().decode(Order.self, from: response.body) == Self.migrated)
        #expect(confirmed.requests.count == 2)

        let (failed, later) = try await client(
            [.cacheControl: "max-age=60, stale-if-error=60"],
            then: .status(.serviceUnavailable)
        )
        later.advance(by: 61)
        #expect(try await node(failed, migrating(.http)).send() == Self.migrated)
        #expect(failed.requests.count == 2)
    }

    @Test
    func `reading and changing by hand migrate too`() async throws {
        let (client, _) = try await client()
        let node = node(client, migrating(.elseNetwork()))
        let stored = try #require(try await client.manager.cache.read(node))
        #expect(stored.model == Self.migrated)
        #expect(stored.cache.isMigrated)
        #expect(try JSONDecoder().decode(Order.self, from: stored.body) == Self.migrated)
        try await client.manager.cache.update(node) { $0.label = "changed" }

        #expect(try await node.send() == Order(id: 7, label: "changed"))
        #expect(client.requests.count == 1)
    }

    @Test
    func `a migration that gives up, fails or does not help leaves a miss`() async throws {
        struct GivenUp: Error {}
        let migrations: [@Sendable (Data) throws -> Data?] = [
            { _ in nil }, { _ in throw GivenUp() }, { _ in Data("{}".utf8) },
        ]
        for migrate in migrations {
            let (client, _) = try await client()
            let response = try await node(client, .http.migrating(migrate)).response()
            #expect(response.model == Order(id: 8, label: "new"))
            #expect(response.cache.outcome == .forwarded(.unreadable))
        }
    }

    @Test
    func `it is not called for the server's responses`() async throws {
        let counter = Counter()
        let client = StubbedClient(answering: .text(Self.old))
        await #expect(throws: RestClientError.self) { try await node(client, migrating(.http, counter)).send() }

        #expect(counter.value == 0)
    }

    @Test
    func `a newer response that another process stored meanwhile stays`() async throws {
        let (client, _) = try await client()
        let node = node(client, .elseNetwork())
        let (model, _) = try await client.manager.runner.storedModel(node)
        let request = model.request
        let cache = client.manager.core.cache.responses
        let stored = try #require(try await model.find())
        let key = CacheKey(request.method, request, secret: cache.place.secret)
        try await client.manager.cache.store(Order(id: 9, label: "newer"), for: node)

        let isWritten = try await cache.rewrite(
            stored.migrated(to: Data("{}".utf8)),
            of: stored.head.bodyID,
            under: key
        )
        #expect(!isWritten)
        #expect(try await node.send() == Order(id: 9, label: "newer"))
    }

    @Test
    func `policies that differ in it only are equal, so that equal calls share their request`() {
        #expect(migrating(.http) == migrating(.http))
        #expect(migrating(.http).hashValue == migrating(.http).hashValue)
        #expect(migrating(.http) == .http)
        #expect(migrating(.http).hashValue == CachePolicy.http.hashValue)
        #expect(migrating(.http) != .elseNetwork())
    }
}
