// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// Reads and writes of stored responses without a call.
@Suite(.timeLimit(.minutes(5)))
struct CachedModelTests {
    // MARK: - Reading

    @Test
    func `a stored response is read without the network and without events`() async throws {
        let cached = CachedClient(headers: [.contentType: "application/json"])
        #expect(try await cached.manager.cache.read(cached.call()) == nil)
        _ = try await cached.call(.reload).send()
        cached.wall.advance(by: 30)
        let log = EventRecorder(cached.manager)
        let response = try #require(try await cached.manager.cache.read(cached.call()))

        #expect(response.model == 1)
        #expect(response.source == .cache(age: .seconds(30)))
        #expect(response.attempts == 0)
        #expect(response.headers[.contentType] == "application/json")
        #expect(cached.requests.count == 1)
        #expect(log.lines.isEmpty)
    }

    @Test(arguments: [(60, true), (61, false)])
    func `its age is inclusive`(age: Int, isGood: Bool) async throws {
        let cached = CachedClient()
        _ = try await cached.call(.reload).send()
        cached.wall.advance(by: Double(age))

        #expect((try await cached.manager.cache.read(cached.call(), maxAge: .seconds(60)) != nil) == isGood)
    }

    @Test
    func `what cannot be decoded any more is not there`() async throws {
        let cached = CachedClient()
        cached.answer(.text("words"))
        _ = try await cached.manager.request(String.self).endpoint("/number").dogma(.raw).cache(.reload).send()

        #expect(
            try await cached.manager.cache.read(cached.manager.request(Int.self).endpoint("/number").dogma(.raw)) == nil
        )
    }

    @Test
    func `one user does not read another one's`() async throws {
        let cached = CachedClient()
        _ = try await cached.call(.reload).bearer("kim").send()

        #expect(try await cached.manager.cache.read(cached.call().bearer("kim"))?.model == 1)
        #expect(try await cached.manager.cache.read(cached.call().bearer("lee")) == nil)
    }

    // MARK: - Writing

    @Test
    func `a model that is stored by hand is the response to calls`() async throws {
        let cached = CachedClient()
        try await cached.manager.cache.store(42, for: cached.call())

        #expect(try await cached.call(.elseNetwork()).send() == 42)
        #expect(cached.requests.isEmpty)
    }

    @Test
    func `by the rules of HTTP it is fresh for its own time to live`() async throws {
        let cached = CachedClient()
        try await cached.manager.cache.store(42, for: cached.call(), timeToLive: .seconds(60))
        #expect(try await cached.call(.http).send() == 42)
        cached.wall.advance(by: 61)
        #expect(try await cached.call(.http).send() == 1)
    }

    @Test
    func `a model that is changed by hand keeps its age and loses its validators`() async throws {
        let cached = CachedClient(headers: [.eTag: "\"a\""])
        _ = try await cached.call(.reload).send()
        cached.wall.advance(by: 30)
        let changed = try await cached.manager.cache.update(cached.call()) { $0 += 10 }
        let stored = try await cached.call(.cacheOnly()).response()

        #expect(changed == 11)
        #expect(stored.model == 11)
        #expect(stored.source == .cache(age: .seconds(30)))
        // A confirmation by the old entity tag would make the server vouch for what it never said.
        #expect(try await cached.call(.revalidate).send() == 2)
        #expect(cached.requests.last?.headers[.ifNoneMatch] == nil)
    }

    @Test
    func `the event of a change by hand has the model before it, and that of a call has none`() async throws {
        let cached = CachedClient()
        let cache = cached.manager.cache
        let log = EventRecorder(cached.manager)

        _ = try await cached.call(.reload).send()
        try await cache.store(42, for: cached.call())
        _ = try await cache.update(cached.call()) { $0 += 1 }
        #expect(try await cache.remove(cached.call()))
        try await cache.store(9, for: cached.call())

        let changes = log.events.filter { [.cacheStored, .cacheRemoved].contains($0.kind.name) }
        #expect(changes.map { $0.value as? Int } == [nil, 42, 43, nil, 9])
        #expect(changes.map { $0.oldValue as? Int } == [nil, 1, 42, 43, nil])
    }

    @Test
    func `nothing is changed where nothing is stored, or the change throws`() async throws {
        struct Failure: Error {}
        let cached = CachedClient()
        #expect(try await cached.manager.cache.update(cached.call()) { $0 += 10 } == nil)
        _ = try await cached.call(.reload).send()

        await #expect(throws: Failure.self) {
            try await cached.manager.cache.update(cached.call()) { model in
                model = 7
                throw Failure()
            }
        }
        #expect(try await cached.call(.cacheOnly()).send() == 1)
    }

    @Test
    func `a response that was asked for before is not stored over a model set by hand`() async throws {
        let gate = Gate()
        let cached = CachedClient(gate: gate)
        let call = cached.call(.reload)
        let late = Task { try await call.send() }
        try await cached.client.transport.waitForRequests(count: 1)
        try await cached.manager.cache.store(42, for: cached.call())
        gate.open()

        #expect(try await late.value == 1)
        #expect(try await cached.call(.cacheOnly()).send() == 42)
    }

    @Test
    func `a model set by hand keeps the tags of its node, whatever the policy`() async throws {
        let cached = CachedClient()
        try await cached.manager.cache.store(42, for: cached.call().cacheTags("user 7"))

        #expect(try await cached.manager.cache.remove(.tag("user 7")) == 1)
        #expect(try await cached.manager.cache.entries().isEmpty)
    }

    @Test
    func `a call can say that its response is stored whatever is there`() async throws {
        let cached = CachedClient()
        #expect(try await cached.call(.reload).send() == 1)
        #expect(try await cached.call(.reload).send() == 2)
        #expect(try await cached.call(.networkOnly).send() == 3)
        #expect(try await cached.call(.cacheOnly()).send() == 2)
    }

    // MARK: - Writing in other formats

    private struct Order: Codable, Equatable, Sendable {
        let id: Int
        var note: String
    }

    @Test(arguments: [DogmaAlias.json, .form])
    func `a model set by hand is read back, whatever the request's body is like`(dogma: DogmaAlias) async throws {
        let cached = CachedClient()
        let node = cached.manager.request(Order.self).endpoint("/order").dogma(dogma)
        let order = Order(id: 7, note: "a b&c")
        try await cached.manager.cache.store(order, for: node)

        #expect(try await node.cache(.cacheOnly()).send() == order)
        #expect(try await cached.manager.cache.read(node)?.headers[.contentType] == "application/json")
        try await cached.manager.cache.update(node) { $0.note = "d" }
        #expect(try await node.cache(.cacheOnly()).send() == Order(id: 7, note: "d"))
    }

    @Test(arguments: [DogmaAlias.json, .form, .raw])
    func `bytes and text set by hand are read back as they are`(dogma: DogmaAlias) async throws {
        let cached = CachedClient()
        let bytes = cached.manager.request(Data.self).endpoint("/bytes").dogma(dogma)
        let text = cached.manager.request(String.self).endpoint("/text").dogma(dogma)
        try await cached.manager.cache.store(Data([0, 255, 7]), for: bytes)
        try await cached.manager.cache.store("a \"b\"", for: text)

        #expect(try await bytes.cache(.cacheOnly()).send() == Data([0, 255, 7]))
        #expect(try await text.cache(.cacheOnly()).send() == "a \"b\"")
    }

    @Test
    func `a model that its request cannot read back is not stored`() async throws {
        struct NotNumbers: Error {}
        let cached = CachedClient()
        let node = cached.manager.request(Int.self).endpoint("/number").decode { _ in throw NotNumbers() }

        let error = await #expect(throws: RestClientError.self) { try await cached.manager.cache.store(7, for: node) }
        #expect(error?.code == .encodingFailed)
        #expect((error?.underlying as? RestClientError)?.underlying is NotNumbers)
        #expect(try await cached.manager.cache.entries().isEmpty)
    }

    @Test
    func `a model that a dogma cannot encode fails with an error of this library`() async throws {
        let cached = CachedClient()
        let node = cached.manager.request(Order.self).endpoint("/order").dogma(.raw)

        let error = await #expect(throws: RestClientError.self) {
            try await cached.manager.cache.store(Order(id: 7, note: ""), for: node)
        }
        #expect(error?.code == .encodingFailed)
    }
}
