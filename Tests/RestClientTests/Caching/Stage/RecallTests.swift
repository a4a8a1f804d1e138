// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClientTesting
import RestEssentials
import SharedStore
import TestSupport
import Testing

@testable import RestClient

extension RestClientManager {
    /// Returns true if a call of a node would get the response that an equal call found last.
    func recalls<Model>(_ node: RequestNode<Model>) async throws -> Bool {
        let call = try runner.prepare(node.specification, CallContext.Beginning(id: .next(), start: .zero))
        let policy = call.policy
        let row = policy.part(CacheTerms.self)?.row(in: core.cache.responses.place)
        return await row?.find(policy.cache, now: core.cache.now()) != nil
    }
}

/// The fast path of a hit: equal calls recall the row that they found last.
@Suite(.timeLimit(.minutes(5)))
struct RecallTests {
    private let fresh: HTTPFields = [.cacheControl: "max-age=60", .eTag: #""v""#]

    /// Sends a call until an equal one would be recalled, if it ever is.
    private func isRecalled(_ node: RequestNode<Int>, _ client: CachedClient) async throws -> Bool {
        for _ in 0..<3 {
            _ = try? await node.send()
        }
        return try await client.manager.recalls(node)
    }

    // MARK: - Who takes it

    @Test(arguments: [CachePolicy.http, .elseNetwork(), .cacheOnly(), .staleWhileRevalidate(maxAge: .seconds(60))])
    func `a call that is made again recalls its response, and is told the same`(policy: CachePolicy) async throws {
        let client = CachedClient(headers: fresh)
        _ = try await client.call(.elseNetwork()).send()
        let slow = try await client.call(policy).response()
        #expect(try await isRecalled(client.call(policy), client))
        client.wall.advance(by: 7)
        let quick = try await client.call(policy).response()
        #expect((quick.model, quick.status) == (slow.model, slow.status))
        #expect(quick.source == .cache(age: .seconds(7)))
        #expect(quick.headers[.age] == "7")
        #expect(quick.cache.outcome == slow.cache.outcome)
        #expect(quick.cache.lifetime == slow.cache.lifetime)
        #expect(quick.attempts == 0)
        #expect(client.requests.count == 1)
    }

    @Test
    func `the policy may be that of the API, the server or the manager`() async throws {
        for level in 0..<3 {
            let client = CachedClient(headers: fresh)
            let alias = APIAlias<Int>(rawValue: "number")
            switch level {
            case 0: client.manager.apis[alias] = client.manager.apis[alias]?.cache()
            case 1: client.manager.servers["store"] = Server("https://api.example.com/v1").cache()
            default: client.manager.options = client.manager.options.cache()
            }
            #expect(try await isRecalled(client.call(), client))
            #expect(client.requests.count == 1)
        }
    }

    @Test(arguments: 0..<3)
    func `each user of the API, the server or the manager recalls another response`(level: Int) async throws {
        let client = CachedClient(headers: fresh)
        func use(_ user: String) {
            switch level {
            case 0:
                client.manager.apis[APIAlias<Int>(rawValue: "number")] = API(.get, "/number").cachePartition(user)
            case 1:
                client.manager.servers["store"] = Server("https://api.example.com/v1").cachePartition(user)
            default:
                client.manager.options = client.manager.options.cachePartition(user)
            }
        }
        for (user, number) in [("kim", 1), ("lee", 2), ("kim", 1)] {
            use(user)
            #expect(try await !client.manager.recalls(client.call(.http)))
            #expect(try await client.call(.http).send() == number)
            #expect(try await isRecalled(client.call(.http), client))
            #expect(try await client.call(.http).send() == number)
        }
        #expect(client.requests.count == 2)
    }

    /// A call that must pass all stages although its response is stored.
    struct Slow: Sendable {
        let title: String
        var headers: HTTPFields = [.cacheControl: "max-age=60", .eTag: #""v""#]
        var configure: @Sendable (RestClientManager) -> Void = { _ in }
        var node: @Sendable (RequestNode<Int>) -> RequestNode<Int> = { $0.cache() }
    }

    private static func api(_ change: @escaping @Sendable (API) -> API) -> @Sendable (RestClientManager) -> Void {
        { $0.apis[APIAlias<Int>(rawValue: "number")] = change(API(.get, "/number")) }
    }

    private struct Passing: Interceptor {
        func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse { try await next(request) }
    }

    private static let slow = [
        Slow(title: "a call interceptor", configure: { $0.options = $0.options.interceptors(Passing()) }),
        Slow(title: "a header provider", configure: { $0.options = $0.options.header(.userAgent) { "a" } }),
        Slow(
            title: "a token source",
            configure: { manager in
                let source = TokenSource(AccessToken("t")) { _ in AccessToken("u") }
                manager.servers["store"] = Server("https://api.example.com/v1").bearer(source)
            }
        ),
        Slow(title: "a dummy by option", configure: api { $0.dummies(.matched) }),
        Slow(title: "a field of the node", node: { $0.cache().header(.userAgent, "a") }),
        Slow(title: "a user", node: { $0.cache().cachePartition("kim") }),
        Slow(title: "an option of the user's", node: { $0.cache().option(CallOptionKey<Int>("own"), 1) }),
        Slow(title: "a migration", node: { $0.cache(.http.migrating { $0 }) }),
        Slow(title: "a body", node: { $0.cache(.elseNetwork()).body(["a": 1]) }),
        Slow(title: "HEAD", node: { $0.cache().head() }),
        Slow(title: "a value without exact form", node: { $0.cache().query(["a": 0.5]) }),
        Slow(title: "no-cache", configure: api { $0.header(.cacheControl, "no-cache") }),
        Slow(title: "no-store", configure: api { $0.header(.cacheControl, "no-store") }),
        Slow(title: "max-age", configure: api { $0.header(.cacheControl, "max-age=30") }),
        Slow(title: "min-fresh", configure: api { $0.header(.cacheControl, "min-fresh=30") }),
        Slow(title: "max-stale", configure: api { $0.header(.cacheControl, "max-stale=30") }),
        Slow(title: "only-if-cached", configure: api { $0.header(.cacheControl, "only-if-cached") }),
        Slow(title: "Pragma", configure: api { $0.header("Pragma", "no-cache") }),
        Slow(title: "a range", configure: api { $0.header(.range, "bytes=0-0") }),
        Slow(title: "a condition", configure: api { $0.header(.ifNoneMatch, #""v""#) }),
        Slow(title: "Vary", headers: [.cacheControl: "max-age=60", .vary: "Accept"]),
        Slow(title: "a stale response", headers: [.cacheControl: "max-age=0, stale-while-revalidate=60"]),
        Slow(title: "no-cache of the server", headers: [.cacheControl: "max-age=60, no-cache"]),
        Slow(title: "reload", node: { $0.cache(.reload) }),
        Slow(title: "revalidate", node: { $0.cache(.revalidate) }),
        Slow(title: "thenNetwork", node: { $0.cache(.thenNetwork) }),
        Slow(title: "networkElseCache", node: { $0.cache(.networkElseCache()) }),
        Slow(title: "networkOnly", node: { $0 }),
    ]

    @Test(arguments: slow.indices)
    func `everything out of the ordinary passes the stages`(index: Int) async throws {
        let row = Self.slow[index]
        let client = CachedClient(headers: row.headers)
        row.configure(client.manager)
        let node = row.node(client.call())
        for _ in 0..<3 {
            _ = try? await node.send()
            #expect(try await !client.manager.recalls(row.node(client.call())), "\(row.title)")
        }
    }

    @Test
    func `an interceptor that sends the request of another call leaves no row with it`() async throws {
        struct Straying: Interceptor {
            let other: OutgoingRequest
            func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
                var other = other
                other.url += "/astray"
                return try await next(other)
            }
        }
        let client = CachedClient(headers: fresh)
        let node = client.call(.http)
        let (first, beginning) = (node.specification, CallContext.Beginning(id: .next(), start: .zero))
        let other = try client.manager.runner.prepare(first, beginning).request
        let straying = client.manager.request(Int.self).endpoint("/other").cache().interceptors(Straying(other: other))
        #expect(try await straying.send() == 1)
        #expect(try await straying.send() == 1)
        #expect(try await !client.manager.recalls(node))
        #expect(try await node.send() == 2)
    }

    // MARK: - Scopes

    @Test
    func `a scope of dummies neither recalls nor is recalled`() async throws {
        let client = CachedClient(headers: fresh)
        #expect(try await isRecalled(client.call(.http), client))
        try await client.manager.withDummies(.strict) { () async throws in
            client.manager.dummies.register(.get, "/number") { _ in .text("77", headers: [.cacheControl: "max-age=60"])
            }
            for _ in 0..<3 {
                #expect(try await client.call(.http).send() == 77)
                #expect(try await !client.manager.recalls(client.call(.http)))
            }
        }
        #expect(try await client.call(.http).send() == 1)
    }

    @Test
    func `a scope of a fixture neither recalls nor is recalled`() async throws {
        final class Fixture: ExchangeTap {
            func exchange(
                _ request: TransportRequest,
                _ send: @Sendable (TransportRequest) async throws -> RawResponse
            ) async throws -> RawResponse {
                .text("77", headers: [.cacheControl: "max-age=60"])
            }
        }
        let client = CachedClient(headers: fresh)
        #expect(try await isRecalled(client.call(.http), client))
        try await ExchangeTaps.withTap(Fixture(), of: nil, isIsolated: true, isolation: nil) { () async throws in
            for _ in 0..<3 {
                #expect(try await client.call(.http).send() == 77)
                #expect(try await !client.manager.recalls(client.call(.http)))
            }
        }
        #expect(try await client.manager.recalls(client.call(.http)))
        #expect(try await client.call(.http).send() == 1)
        #expect(client.requests.count == 1)
    }

    @Test
    func `a call inside of a token refresh passes the stages, and finds what is stored`() async throws {
        let client = CachedClient(headers: fresh)
        let recalls = Recorder<Bool>()
        #expect(try await isRecalled(client.call(.http), client))
        let source = TokenSource(AccessToken("old", expiresAt: .distantPast)) { _ in
            recalls.record(try await client.manager.recalls(client.call(.http)))
            return AccessToken("\(try await client.call(.http).send())")
        }
        #expect(try await source.token().value == "1")
        #expect(recalls.elements == [false])
        #expect(try await client.manager.recalls(client.call(.http)))
        #expect(client.requests.count == 1)
    }

    @Test
    func `dummies that are switched on later respond`() async throws {
        let client = CachedClient(headers: fresh)
        #expect(try await isRecalled(client.call(.http), client))
        client.manager.dummies.register(.get, "/number") { _ in .text("77") }
        client.manager.dummies.mode = .strict
        #expect(try await client.call(.reload).send() == 77)
        #expect(try await !client.manager.recalls(client.call(.http)))
    }

    @Test
    func `an environment has rows of its own, in force or for a task`() async throws {
        let client = CachedClient(headers: fresh)
        #expect(try await isRecalled(client.call(.http), client))
        let staging = ClientEnvironment(servers: ["store": "https://staging.example.com"])
        client.manager.environments["staging"] = staging
        try await client.manager.withEnvironment("staging") { () async throws in
            #expect(try await client.call(.http).send() == 2)
            #expect(try await client.call(.http).send() == 2)
            #expect(try await !client.manager.recalls(client.call(.http)))
        }
        #expect(try await client.call(.http).send() == 1)
        try client.manager.environments.use("staging")
        #expect(try await client.call(.http).send() == 2)
    }

    // MARK: - Changes of the row

    @Test
    func `a response that has expired is confirmed, and recalled again`() async throws {
        let client = CachedClient(headers: fresh)
        #expect(try await isRecalled(client.call(.http), client))
        client.wall.advance(by: 60)
        #expect(try await !client.manager.recalls(client.call(.http)))
        #expect(try await client.call(.http).response().source == .revalidatedCache)
        #expect(try await isRecalled(client.call(.http), client))
        client.wall.advance(by: -120)
        #expect(try await !client.manager.recalls(client.call(.http)))
    }

    @Test
    func `an invalidated, removed or replaced response is not recalled`() async throws {
        let client = CachedClient(headers: fresh)
        let changes: [@Sendable () async throws -> Void] = [
            { try await client.manager.cache.invalidate(.all) },
            { try await client.manager.cache.remove(.all) },
            { try await client.manager.cache.remove(client.call(.http)) },
            { try await client.manager.cache.store(1_000, for: client.call(.http), timeToLive: .seconds(60)) },
            { _ = try await client.manager.request(Int.self).post().endpoint("/number").send() },
            { client.manager.servers["store"] = "https://other.example.com" },
        ]
        for change in changes {
            #expect(try await isRecalled(client.call(.http), client))
            try await change()
            #expect(try await !client.manager.recalls(client.call(.http)))
        }
        try await client.manager.cache.store(1_000, for: client.call(.http), timeToLive: .seconds(60))
        #expect(try await client.call(.http).send() == 1_000)
    }

    @Test
    func `the row that another process wrote is read, and not the one that was found before`() async throws {
        let (client, other) = (CachedClient(headers: fresh), CachedClient(headers: fresh))
        _ = try await other.call(.reload).send()
        _ = try await other.call(.reload).send()
        #expect(try await isRecalled(client.call(.http), client))
        for key in try await client.manager.cache.storage.entries().map(\.key) {
            let entry = try #require(try await other.manager.cache.storage.read(key, now: other.wall.now).entry)
            try await client.manager.cache.storage.store(entry, for: key)
        }
        #expect(try await !client.manager.recalls(client.call(.http)))
        #expect(try await client.call(.http).send() == 2)
    }

    @Test
    func `the newer response that another manager of the directory stored is recalled`() async throws {
        let directory = try TemporaryDirectory()
        let changes = Recorder<CacheEvent.Name>()
        let client = CachedClient(headers: fresh) { $0.cache.onEvent = { changes.record($0.name) } }
        let other = CachedClient(headers: fresh)
        try client.manager.persist(in: directory.url)
        try other.manager.persist(in: directory.url)
        other.answer(.text("77", headers: fresh))
        #expect(try await isRecalled(client.call(.http), client))
        #expect(try await client.call(.http).send() == 1)
        client.wall.advance(by: 1)
        other.wall.advance(by: 1)

        #expect(try await other.call(.reload).send() == 77)
        try await changes.waitForCount(1)

        #expect(changes.elements.first == .changedByAnotherProcess)
        #expect(try await client.call(.http).send() == 77)
        #expect(try await isRecalled(client.call(.http), client))
        #expect(try await client.call(.http).send() == 77)
        #expect(client.requests.count == 1)
    }

    @Test
    func `rows are recalled from the place that the manager moved to`() async throws {
        let directory = try TemporaryDirectory()
        let client = CachedClient(headers: fresh)
        #expect(try await isRecalled(client.call(.http), client))
        try client.manager.persist(in: directory.url)
        #expect(try await !client.manager.recalls(client.call(.http)))
        #expect(try await client.call(.http).send() == 2)
        #expect(try await isRecalled(client.call(.http), client))
        #expect(client.requests.count == 2)
    }

    @Test
    func `rows that no tier keeps in memory are recalled from the disk`() async throws {
        let directory = try TemporaryDirectory()
        let client = CachedClient(headers: fresh) { $0.cache.memoryByteLimit = 0 }
        try client.manager.persist(in: directory.url)
        #expect(try await isRecalled(client.call(.http), client))
        #expect(try await client.call(.http).send() == 1)
        #expect(client.requests.count == 1)
    }

    @Test
    func `a response that does not decode is fetched again`() async throws {
        let client = CachedClient(headers: fresh)
        #expect(try await isRecalled(client.call(.http), client))
        let text = client.manager.request(APIAlias<[String]>(rawValue: "number")).cache()
        await #expect(throws: RestClientError.self) { try await text.send() }
        #expect(client.requests.count == 2)
    }

    @Test
    func `a recalled response counts as one hit of the store`() async throws {
        let client = CachedClient(headers: fresh)
        #expect(try await isRecalled(client.call(.http), client))
        let before = try await client.manager.cache.storage.statistics()
        _ = try await client.call(.http).send()
        let after = try await client.manager.cache.storage.statistics()
        #expect((after.hits, after.misses) == (before.hits + 1, before.misses))
    }

    @Test
    func `a cancelled call gets no response, and a recalled one is told to observers`() async throws {
        let client = CachedClient(headers: fresh)
        #expect(try await isRecalled(client.call(.http), client))
        let kinds = Recorder<ClientEvent.Name>()
        let observation = client.manager.observe { kinds.record($0.kind.name) }
        _ = try await client.call(.http).send()
        #expect(kinds.elements == [.callStarted, .cacheHit, .modelLoaded, .callSucceeded])
        withExtendedLifetime(observation) {}
        let gate = Gate()
        let task = Task {
            try? await gate.wait()
            return try await client.call(.http).send()
        }
        task.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
