// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

@Suite(.timeLimit(.minutes(5)))
struct CachedCallTests {
    private let wall = WallClock()

    /// A client whose server counts: every response is another number.
    private func counting(headers: HTTPFields = [:], status: HTTPResponse.Status = .ok) -> StubbedClient {
        let counter = Counter()
        return client { _ in .text("\(counter.next())", status, headers: headers) }
    }

    private func client(_ answer: @escaping StubTransport.Handler) -> StubbedClient {
        let wall = wall
        return StubbedClient(StubTransport(answer)) { $0.now = { wall.now } }
    }

    private func call(_ client: StubbedClient, _ policy: CachePolicy) -> RequestNode<Int> {
        client.manager.request(Int.self).endpoint("/a").cache(policy)
    }

    // MARK: - Modes

    @Test
    func `by default nothing is read and nothing is stored`() async throws {
        let client = counting()
        let node = client.manager.request(Int.self).endpoint("/a")
        #expect(try await node.send() == 1)
        #expect(try await node.send() == 2)
        let error = await #expect(throws: RestClientError.self) { try await node.cache(.cacheOnly()).send() }
        #expect(error?.code == .notCached)
    }

    @Test
    func `a cold cache sends a request, a warm one responds itself`() async throws {
        let client = counting()
        let first = try await call(client, .elseNetwork()).response()
        wall.advance(by: 90)
        let second = try await call(client, .elseNetwork()).response()
        #expect(first.model == 1)
        #expect(first.source == .network)
        #expect(first.attempts == 1)
        #expect(second.model == 1)
        #expect(second.source == .cache(age: .seconds(90)))
        #expect(second.attempts == 0)
        #expect(client.requests.count == 1)
    }

    @Test(arguments: [(0, true), (59, true), (60, true), (60.5, false), (61, false)])
    func `the reader's age is inclusive`(age: Double, isHit: Bool) async throws {
        let client = counting()
        _ = try await call(client, .reload).send()
        wall.advance(by: age)
        #expect(try await call(client, .elseNetwork(maxAge: .seconds(60))).send() == (isHit ? 1 : 2))
    }

    @Test
    func `an age of zero takes any age`() async throws {
        let client = counting()
        _ = try await call(client, .reload).send()
        wall.advance(by: 1_000_000)
        #expect(try await call(client, .elseNetwork(maxAge: .zero)).send() == 1)
        #expect(try await call(client, .cacheOnly(maxAge: .zero)).send() == 1)
    }

    @Test(arguments: [
        (10, 60, 9, true), (10, 60, 10, false), (10, 60, 30, false),
        (60, 10, 10, true), (60, 10, 11, false), (60, 10, 59, false),
    ])
    func `of the writer's time to live and the reader's age the stricter counts`(
        timeToLive: Int,
        maxAge: Int,
        age: Int,
        isHit: Bool
    ) async throws {
        let client = counting()
        _ = try await call(client, .reload.storing(for: .seconds(timeToLive))).send()
        wall.advance(by: Double(age))
        #expect(try await call(client, .elseNetwork(maxAge: .seconds(maxAge))).send() == (isHit ? 1 : 2))
    }

    @Test
    func `a time to live stays with the entry when another reader sets none`() async throws {
        let client = counting()
        _ = try await call(client, .reload.storing(for: .seconds(10))).send()
        wall.advance(by: 11)
        #expect(try await call(client, .elseNetwork()).send() == 2)
    }

    @Test
    func `an entry from the future has an unknown age and is not used`() async throws {
        let client = counting()
        _ = try await call(client, .reload).send()
        wall.advance(by: -3_600)
        #expect(try await call(client, .elseNetwork(maxAge: .seconds(86_400))).send() == 2)
    }

    @Test
    func `reloading asks the server and stores its response`() async throws {
        let client = counting()
        #expect(try await call(client, .reload).send() == 1)
        #expect(try await call(client, .reload).send() == 2)
        #expect(try await call(client, .cacheOnly()).send() == 2)
    }

    @Test
    func `cache only never sends a request, and fails with a reason`() async throws {
        let client = counting()
        let absent = await #expect(throws: RestClientError.self) { try await call(client, .cacheOnly()).send() }
        #expect(absent?.code == .notCached)
        #expect(absent?.message.contains("absent") == true)
        #expect(client.requests.isEmpty)

        _ = try await call(client, .reload).send()
        wall.advance(by: 10)
        let stale = await #expect(throws: RestClientError.self) {
            try await call(client, .cacheOnly(maxAge: .seconds(5))).send()
        }
        #expect(stale?.code == .notCached)
        #expect(stale?.message.contains("stale") == true)
        #expect(client.requests.count == 1)
    }

    @Test
    func `the call's policy wins over the API's, and that over the manager's`() async throws {
        let wall = wall
        let counter = Counter()
        let client = StubbedClient(StubTransport { _ in .text("\(counter.next())") }) { configuration in
            configuration.now = { wall.now }
            configuration = configuration.cache(.elseNetwork())
        }
        let key: APIAlias<Int> = "uncached"
        client.manager.apis[key] = API(.get, "/b").cache(.networkOnly)
        let byManager = client.manager.request(Int.self).endpoint("/a")
        let byAPI = client.manager.request(key)

        #expect(try await [byManager.send(), byManager.send()] == [1, 1])
        #expect(try await [byAPI.send(), byAPI.send()] == [2, 3])
        let byCall = byAPI.cache(.elseNetwork())
        #expect(try await [byCall.send(), byCall.send()] == [4, 4])
    }

    @Test
    func `the manager's policy holds for GET and HEAD only`() async throws {
        let counter = Counter()
        let client = StubbedClient(StubTransport { _ in .text("\(counter.next())") }) { configuration in
            configuration = configuration.cache(.elseNetwork())
        }
        let post = client.manager.request(Int.self).post().endpoint("/a")
        #expect(try await [post.send(), post.send()] == [1, 2])
        let insisting = post.cache(.elseNetwork())
        #expect(try await [insisting.send(), insisting.send()] == [3, 3])
    }

    // MARK: - Storing

    @Test(arguments: [HTTPResponse.Status.notFound, .internalServerError, .tooManyRequests])
    func `a refused status is not stored, and what was stored stays`(status: HTTPResponse.Status) async throws {
        let counter = Counter()
        let client = client { _ in counter.next() == 2 ? .text("2", status) : .text("1") }
        _ = try await call(client, .reload).send()
        let error = await #expect(throws: RestClientError.self) { try await call(client, .reload).send() }
        #expect(error?.status == status)
        #expect(try await call(client, .cacheOnly()).send() == 1)
    }

    @Test
    func `a status that is accepted but no success is not stored`() async throws {
        let client = counting(status: .notFound)
        _ = try await call(client, .elseNetwork()).accepting(.any).send()
        #expect(try await call(client, .elseNetwork()).accepting(.any).send() == 2)
    }

    @Test
    func `a body that cannot be decoded is not stored, and the stored one stays`() async throws {
        let counter = Counter()
        let client = client { _ in .text(counter.next() == 2 ? "no number" : "1") }
        _ = try await call(client, .reload).send()
        let error = await #expect(throws: RestClientError.self) { try await call(client, .reload).send() }
        #expect(error?.code == .decodingFailed)
        #expect(try await call(client, .cacheOnly()).send() == 1)
    }

    @Test(arguments: ["no-store", "private, no-store"])
    func `a response that forbids it is not stored`(cacheControl: String) async throws {
        let client = counting(headers: [.cacheControl: cacheControl])
        #expect(try await call(client, .elseNetwork()).send() == 1)
        #expect(try await call(client, .elseNetwork()).send() == 2)
    }

    @Test
    func `a request that forbids it is not stored`() async throws {
        let client = counting()
        let node = call(client, .elseNetwork()).header(.cacheControl, "no-store")
        #expect(try await [node.send(), node.send()] == [1, 2])
    }

    @Test
    func `a call that is cancelled while its response is decoded stores nothing`() async throws {
        let client = counting()
        let node = call(client, .elseNetwork())
        let cancelled = Task {
            try await node.decode { _ in
                unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
                return 1
            }
            .send()
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let error = await #expect(throws: RestClientError.self) { try await call(client, .cacheOnly()).send() }
        #expect(error?.code == .notCached)
    }

    @Test
    func `a call that is cancelled on the wire stores nothing`() async throws {
        let gate = Gate()
        let client = client { _ in
            try? await gate.wait()
            return .text("1")
        }
        let cancelled = Task { try await call(client, .elseNetwork()).send() }
        try await gate.waitForWaiters(count: 1)
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let error = await #expect(throws: RestClientError.self) { try await call(client, .cacheOnly()).send() }
        #expect(error?.code == .notCached)
    }

    @Test
    func `an entry that cannot be decoded is fetched again`() async throws {
        let counter = Counter()
        let client = client { _ in .text(counter.next() == 1 ? "[1]" : "2") }
        _ = try await client.manager.request([Int].self).endpoint("/a").cache(.elseNetwork()).send()
        let log = EventRecorder(client.manager)

        let response = try await call(client, .elseNetwork()).response()

        #expect(response.model == 2)
        #expect(response.source == .network)
        #expect(
            log.lines == [
                "callStarted", "cacheMiss unreadable", "attemptStarted 1", "attemptFinished 1 200", "cacheStored",
                "modelLoaded", "callSucceeded 200 network",
            ]
        )
        #expect(try await call(client, .cacheOnly()).send() == 2)
    }

    @Test
    func `an entry that does not decode any more does not stand in for a server that fails`() async throws {
        let counter = Counter()
        let client = client { _ in
            guard counter.next() == 1 else {
                throw RestClientError(.connectionFailed, "down")
            }
            return .text("[1]")
        }
        _ = try await client.manager.request([Int].self).endpoint("/a").cache(.reload).send()
        let error = await #expect(throws: RestClientError.self) {
            try await call(client, .networkElseCache()).send()
        }
        #expect(error?.code == .connectionFailed)
        #expect(client.requests.count == 2)
    }

    @Test
    func `an entry that cannot be decoded is a miss for cache only`() async throws {
        let client = client { _ in .text("[1]") }
        _ = try await client.manager.request([Int].self).endpoint("/a").cache(.elseNetwork()).send()
        let error = await #expect(throws: RestClientError.self) { try await call(client, .cacheOnly()).send() }
        #expect(error?.code == .notCached)
        #expect(client.requests.count == 1)
    }

    // MARK: - Whose entries

    @Test
    func `users do not see one another's entries`() async throws {
        let client = counting()
        let node = call(client, .elseNetwork())
        #expect(try await node.bearer("kim").send() == 1)
        #expect(try await node.bearer("lee").send() == 2)
        #expect(try await node.send() == 3)
        #expect(try await node.bearer("kim").send() == 1)
    }

    @Test
    func `a named user keeps the entries when the token changes`() async throws {
        let client = counting()
        let node = call(client, .elseNetwork()).cachePartition("kim")
        #expect(try await [node.bearer("old").send(), node.bearer("new").send()] == [1, 1])
    }

    @Test
    func `two models of one request share the entry, two dogmas do not`() async throws {
        let client = counting()
        #expect(try await call(client, .elseNetwork()).send() == 1)
        let text = client.manager.request(String.self).endpoint("/a").cache(.elseNetwork())
        #expect(try await text.send() == "1")
        #expect(try await text.dogma(.raw).send() == "2")
    }

    // MARK: - Around it

    @Test
    func `what is removed is asked for again`() async throws {
        let client = counting()
        let node = call(client, .elseNetwork())
        #expect(try await client.manager.cache.remove(node) == false)
        _ = try await node.send()
        let log = EventRecorder(client.manager)
        #expect(try await client.manager.cache.remove(node))
        #expect(log.lines == ["cacheRemoved"])
        #expect(try await node.send() == 2)
    }

    @Test
    func `removing what cannot be resolved is an error`() async {
        let client = counting()
        let node = client.manager.request(Int.self).server("unknown")
        let error = await #expect(throws: RestClientError.self) { try await client.manager.cache.remove(node) }
        #expect(error?.code == .unknownServer)
    }

    @Test
    func `a hit takes no worker slot`() async throws {
        let gate = Gate()
        let counter = Counter()
        let client = StubbedClient(
            StubTransport { request in
                if request.url.hasSuffix("/slow") {
                    try await gate.wait()
                }
                return .text("\(counter.next())")
            }
        ) { configuration in
            configuration.workerCount = 1
        }
        _ = try await call(client, .elseNetwork()).send()
        let slow = Task { try await client.manager.request(Int.self).endpoint("/slow").send() }
        try await gate.waitForWaiters(count: 1)

        #expect(try await call(client, .elseNetwork()).send() == 1)

        gate.open()
        _ = try await slow.value
    }

    @Test
    func `a stored response keeps status and header fields, but no session`() async throws {
        let client = counting(headers: [.contentLanguage: "ko", .setCookie: "session=1"], status: .created)
        let first = try await call(client, .elseNetwork()).response()
        let second = try await call(client, .elseNetwork()).response()
        #expect(first.headers[.setCookie] == "session=1")
        #expect(second.status == .created)
        #expect(second.headers == [.contentLanguage: "ko", .age: "0"])
    }

    @Test
    func `a response after a redirect is stored with the URL that responded`() async throws {
        let client = client { request in request.url.hasSuffix("/b") ? .text("1") : .redirect(302, to: "/b") }
        let first = try await call(client, .elseNetwork()).response()
        let second = try await call(client, .elseNetwork()).response()
        #expect(first.raw.url == "https://api.example.com/b")
        #expect(second.raw.url == "https://api.example.com/b")
        #expect(client.requests.count == 2)
    }
}
