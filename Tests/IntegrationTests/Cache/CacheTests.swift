// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import Synchronization
import TestSupport
import Testing

/// The response cache in front of a real server, in memory and in a directory.
@Suite(.timeLimit(.minutes(5)))
struct CacheTests {
    /// Where the stored responses lie.
    enum Place: CaseIterable {
        case memory, directory
    }

    /// A time of day that the test moves.
    private final class Calendar: Sendable {
        private let date = Mutex(Date(timeIntervalSince1970: 2_000_000_000))

        var now: Date { date.withLock { $0 } }

        func advance(by seconds: Double) {
            date.withLock { $0.addTimeInterval(seconds) }
        }
    }

    private let calendar = Calendar()
    private let document = Document()
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Runs a test with a client whose cache lies where it says.
    private func withClient(_ place: Place, _ body: (LoopbackClient) async throws -> Void) async throws {
        let calendar = calendar
        let document = document
        try await LoopbackClient.with { configuration, _ in
            configuration.now = { calendar.now }
        } _: { client in
            client.server.on(.get, "/document") { request in document.response(to: request) }
            if place == .directory {
                try client.manager.persist(in: directory.url)
            }
            try await body(client)
        }
    }

    private func node(_ client: LoopbackClient) -> RequestNode<[String: Int]> {
        client.request([String: Int].self, .get, "/document").cache(.elseNetwork(maxAge: .seconds(60)))
    }

    @Test(arguments: Place.allCases)
    func `a response is stored, confirmed with 304, and replaced when it has changed`(place: Place) async throws {
        try await withClient(place) { client in
            let first = try await node(client).response()
            #expect(first.model == ["version": 1])
            #expect(first.source == .network)

            calendar.advance(by: 60)
            let hit = try await node(client).response()
            #expect(hit.model == ["version": 1])
            #expect(hit.source == .cache(age: .seconds(60)))
            #expect(hit.attempts == 0)
            #expect(client.server.requests.count == 1)

            calendar.advance(by: 1)
            let confirmed = try await node(client).response()
            #expect(confirmed.model == ["version": 1])
            #expect(confirmed.source == .revalidatedCache)
            #expect(confirmed.status == .ok)
            #expect(client.server.requests.map { $0.headers["If-None-Match"] } == [nil, "\"v1\""])

            // Its age started again.
            calendar.advance(by: 60)
            let again = try await node(client).response()
            #expect(again.source == .cache(age: .seconds(60)))

            document.change()
            calendar.advance(by: 1)
            let changed = try await node(client).response()
            #expect(changed.model == ["version": 2])
            #expect(changed.source == .network)
            let stored = try await node(client).response()
            #expect(stored.model == ["version": 2])
            #expect(stored.source == .cache(age: .zero))
            #expect(client.server.requests.count == 3)
        }
    }

    @Test
    func `a second manager on the same directory finds what the first one stored`() async throws {
        try await withClient(.directory) { client in
            _ = try await node(client).send()
            let second = try RestClientManager.connected { configuration, _ in
                let calendar = calendar
                configuration.now = { calendar.now }
            }
            try second.persist(in: directory.url)
            second.servers[.loopback] = Server(client.server.url)
            second.defaultServer = .loopback
            calendar.advance(by: 5)
            let found = try await second.request(node(client)).response()
            #expect(found.model == ["version": 1])
            #expect(found.source == .cache(age: .seconds(5)))
            #expect(client.server.requests.count == 1)
        }
    }

    @Test
    func `what was stored outlives its manager and its server`() async throws {
        var url = ""
        try await withClient(.directory) { client in
            url = client.server.url
            _ = try await node(client).send()
        }
        let calendar = calendar
        let later = try RestClientManager.connected { configuration, _ in configuration.now = { calendar.now } }
        try later.persist(in: directory.url)
        later.servers[.loopback] = Server(url)
        later.defaultServer = .loopback
        let document = later.request([String: Int].self).endpoint("/document")
        let found = try await document.cache(.cacheOnly()).response()
        #expect(found.model == ["version": 1])
        #expect(found.headers[.eTag] == "\"v1\"")
        let dead = await #expect(throws: RestClientError.self) { try await document.send() }
        #expect(dead?.code == .connectionFailed)
    }

    @Test(arguments: Place.allCases)
    func `a caller with other credentials does not get another's response`(place: Place) async throws {
        try await withClient(place) { client in
            client.server.on(.get, "/me") { request in .text(request.headers["Authorization"] ?? "nobody") }
            let node = client.request(String.self, .get, "/me").cache(.elseNetwork())
            for _ in 0..<2 {
                let kim = try await node.bearer("kim").send()
                let lee = try await node.bearer("lee").send()
                let nobody = try await node.send()
                #expect([kim, lee, nobody] == ["Bearer kim", "Bearer lee", "nobody"])
            }
            #expect(client.server.requests.count == 3)
        }
    }

    @Test(arguments: Place.allCases)
    func `failures and undecodable responses are not stored`(place: Place) async throws {
        try await withClient(place) { client in
            client.server.on(.get, "/500") { _ in .json(#"{"version": 1}"#, status: 500) }
            client.server.on(.get, "/odd") { _ in .json(#"{"version": "one"}"#) }
            client.server.on(.get, "/secret") { _ in .json(#"{"version": 1}"#, headers: ["Cache-Control": "no-store"]) }
            for path in ["/500", "/odd", "/secret"] as [PathTemplate] {
                let node = client.request([String: Int].self, .get, path).cache(.elseNetwork())
                _ = try? await node.send()
                let error = await #expect(throws: RestClientError.self) { try await node.cache(.cacheOnly()).send() }
                #expect(error?.code == .notCached)
            }
        }
    }

    @Test
    func `a server that fails while a response is confirmed costs nothing that was stored`() async throws {
        try await withClient(.directory) { client in
            let stored = try await node(client).send()
            client.server.on(.get, "/document") { _ in .reset }
            calendar.advance(by: 61)
            let error = await #expect(throws: RestClientError.self) { try await node(client).send() }
            #expect(error?.code == .connectionClosed)
            let found = try await node(client).cache(.cacheOnly()).send()
            #expect(found == stored)
        }
    }

    @Test
    func `what is removed is asked for again`() async throws {
        try await withClient(.directory) { client in
            _ = try await node(client).send()
            let isRemoved = try await client.manager.cache.remove(node(client))
            let isRemovedAgain = try await client.manager.cache.remove(node(client))
            #expect([isRemoved, isRemovedAgain] == [true, false])
            let response = try await node(client).response()
            #expect(response.source == .network)
        }
    }

    @Test
    func `a compressed response is stored without its coding`() async throws {
        try await withClient(.directory) { client in
            let text = String(repeating: "words ", count: 5_000)
            client.server.on(.get, "/text") { _ in .text(text).encoded(.gzip) }
            let node = client.request(String.self, .get, "/text").cache(.elseNetwork())
            let first = try await node.response()
            let second = try await node.response()
            #expect(first.model == text)
            #expect(second.model == text)
            #expect(second.source.isCache)
        }
    }

    @Test
    func `many calls at once store and find in one file`() async throws {
        try await withClient(.directory) { client in
            client.server.on(.get, "/items/{id}") { request in .text("item \(request.parameters["id"] ?? "")") }
            let nodes = (0..<100)
                .map { id in
                    client.request(String.self, .get, "/items/{id}").parameter("id", id % 50).cache(.elseNetwork())
                }
            let first = await client.manager.concurrently(nodes)
            let count = client.server.requests.count
            let second = await client.manager.concurrently(nodes)
            #expect(first.values == (0..<100).map { "item \($0 % 50)" })
            #expect(second.values == first.values)
            #expect(client.server.requests.count == count)
        }
    }

    @Test
    func `a callback tells a stored response from a fresh one`() async throws {
        try await withClient(.memory) { client in
            let calls = Recorder<String>()
            let node = self.node(client)
                .onSuccess { response in calls.record("network \(response.model["version"] ?? 0)") }
                .onCacheSuccess { response in calls.record("cache \(response.model["version"] ?? 0)") }
                .onError { error in calls.record("error \(error)") }
            await node.resume().finished()
            await node.resume().finished()
            #expect(calls.elements == ["network 1", "cache 1"])
        }
    }
}
