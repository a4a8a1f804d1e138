// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// Nothing older replaces something newer: what a later request learnt stays stored.
@Suite(.timeLimit(.minutes(5)))
struct NewestResponseTests {
    /// The managers that make the older and the newer call.
    enum Processes: CaseIterable {
        case one, inMemory, two
    }

    /// Makes a change after the older request began.
    enum Change: CaseIterable {
        case invalidation, post, update, store
    }

    private let directory: TemporaryDirectory
    private let wall = WallClock()
    private let gate = Gate()
    private static let slow = HTTPField.Name("X-Slow") ?? .accept

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// A server with a state that grows with each request; the response to a slow request waits for the gate.
    private func server(_ headers: HTTPFields = [.cacheControl: "max-age=60"]) -> StubTransport {
        let (counter, gate) = (Counter(), gate)
        return StubTransport { request in
            guard request.method == .get else {
                return .text("changed")
            }
            let state = counter.next()
            if request.headers.contains(Self.slow) {
                try await gate.wait()
            }
            if let tag = headers[.eTag], request.headers[.ifNoneMatch] == tag {
                return .status(.notModified, headers: [.cacheControl: "max-age=\(100 * state)", .eTag: tag])
            }
            return .text("\(state)", headers: headers)
        }
    }

    private func client(_ server: StubTransport, isOnDisk: Bool = true) throws -> StubbedClient {
        let wall = wall
        let client = StubbedClient(server) { configuration in
            configuration.now = { wall.now }
            configuration.cacheLease = nil
        }
        if isOnDisk {
            try client.manager.persist(in: directory.url)
        }
        return client
    }

    private func call(_ client: StubbedClient, _ policy: CachePolicy) -> RequestNode<Int> {
        client.manager.request(Int.self).endpoint("/a").cache(policy)
    }

    /// Runs the older call, and the newer work while its response is under way.
    private func overtake<Result: Sendable>(
        _ older: RequestNode<Int>,
        on server: StubTransport,
        by newer: () async throws -> Result
    ) async throws -> (older: Response<Int>, newer: Result) {
        let older = older.header(Self.slow, "1")
        let call = Task { try await older.response() }
        try await gate.waitForWaiters(count: 1)
        wall.advance(by: 1)
        let result = try await newer()
        wall.advance(by: 1)
        gate.open()
        return (try await call.value, result)
    }

    private func stored(_ client: StubbedClient) async throws -> Int? {
        try await client.manager.cache.read(client.manager.request(Int.self).endpoint("/a"))?.model
    }

    private static let policies: [CachePolicy] = [
        .http, .reload, .elseNetwork(), .revalidate, .thenNetwork, .networkElseCache(),
    ]

    @Test(arguments: policies, Processes.allCases)
    func `the response to an older request does not replace that to a newer one`(
        policy: CachePolicy,
        processes: Processes
    ) async throws {
        let server = server()
        let first = try client(server, isOnDisk: processes != .inMemory)
        let second = processes == .two ? try client(server) : first
        // Calls of different policies share no request.
        let other = policy == .reload ? CachePolicy.http : .reload

        let (older, newer) = try await overtake(call(first, policy), on: server) {
            try await call(second, other).response()
        }

        #expect(older.model == 1)
        #expect(older.cache.storing == .left(.superseded))
        #expect(newer.model == 2)
        #expect(newer.cache.storing == .stored)
        #expect(try await stored(second) == 2)
        if processes == .two {
            #expect(try await stored(client(server)) == 2)
        }
    }

    @Test(arguments: [false, true])
    func `an older confirmation does not replace what a newer one said`(isInMemory: Bool) async throws {
        let server = server([.cacheControl: "max-age=60", .eTag: #""1""#])
        let client = try client(server, isOnDisk: !isInMemory)
        _ = try await call(client, .http).send()
        wall.advance(by: 61)

        let (older, newer) = try await overtake(call(client, .http), on: server) {
            try await call(client, .revalidate).response()
        }

        #expect(older.source == .revalidatedCache)
        #expect(newer.source == .revalidatedCache)
        #expect(older.cache.storing == .left(.superseded))
        // The newer one said 300 seconds, the older one 200.
        wall.advance(by: 250)
        #expect(try await call(client, .http).response().source.isCache)
    }

    @Test(arguments: Change.allCases, Processes.allCases)
    func `an older response does not undo a change`(change: Change, processes: Processes) async throws {
        let server = server()
        let first = try client(server, isOnDisk: processes != .inMemory)
        _ = try await call(first, .http).send()
        let second = processes == .two ? try client(server) : first

        let (older, _) = try await overtake(call(first, .reload), on: server) {
            let cache = second.manager.cache
            switch change {
            case .invalidation: #expect(try await cache.invalidate(.all) == 1)
            case .post: _ = try await second.manager.request(String.self).post().endpoint("/a").send()
            case .update: #expect(try await cache.update(call(second, .http)) { $0 += 40 } == 41)
            case .store: try await cache.store(42, for: call(second, .http), timeToLive: .seconds(60))
            }
        }

        #expect(older.model == 2)
        let reader = processes == .inMemory ? first : try client(server)
        let next = try await call(reader, .http).response()
        switch change {
        case .invalidation, .post: #expect(next.model == 3)
        case .update: #expect(next.model == 41)
        case .store: #expect(next.model == 42)
        }
    }

    @Test
    func `a newer response replaces one of the same time, and one of a clock that was set back`() async throws {
        let server = server()
        let client = try client(server)
        _ = try await call(client, .reload).send()
        #expect(try await call(client, .reload).response().cache.storing == .stored)
        wall.advance(by: -3_600)
        #expect(try await call(client, .reload).response().cache.storing == .stored)
        #expect(try await stored(client) == 3)
    }

    // MARK: - Changes by the program

    @Test(arguments: Processes.allCases)
    func `concurrent updates of a stored model lose nothing`(processes: Processes) async throws {
        let server = StubTransport(answering: [.text("[]", headers: [.contentType: "application/json"])])
        func open() throws -> StubbedClient { try client(server, isOnDisk: processes != .inMemory) }
        let first = try open()
        let clients = [first, processes == .two ? try open() : first]
        func node(_ client: StubbedClient) -> RequestNode<[Int]> {
            client.manager.request([Int].self).endpoint("/list").cache(.elseNetwork())
        }
        _ = try await node(first).send()

        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                let client = clients[number % 2]
                group.addTask {
                    _ = try await client.manager.cache.update(node(client)) { $0.append(number) }
                }
            }
            try await group.waitForAll()
        }

        let reader = processes == .inMemory ? first : try open()
        let list = try await reader.manager.cache.read(node(reader))?.model
        #expect(list?.sorted() == Array(0..<50))
    }

    @Test
    func `variants that are stored at once are all found`() async throws {
        let server = StubTransport { request in
            let names = ["X-A", "X-B", "X-C"].compactMap { HTTPField.Name($0) }
            let name = names.first { request.headers.contains($0) }
            return .text("1", headers: [.cacheControl: "max-age=60", .vary: name?.rawName ?? "X-A"])
        }
        let client = try client(server)
        func node(_ name: String) throws -> RequestNode<Int> {
            call(client, .http).header(try #require(HTTPField.Name(name)), "1")
        }
        let nodes = try ["X-A", "X-B", "X-C"].map(node)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for node in nodes {
                group.addTask { _ = try await node.cache(.reload).send() }
            }
            try await group.waitForAll()
        }

        for node in nodes {
            #expect(try await node.response().source.isCache)
        }
    }
}
