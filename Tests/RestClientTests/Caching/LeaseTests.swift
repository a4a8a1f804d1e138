// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import Synchronization
import TestSupport
import Testing

@testable import RestClient
@testable import SharedStore

/// Managers that share nothing but a file, as processes do.
@Suite(.timeLimit(.minutes(5)))
final class LeaseTests {
    /// The reasons for which the cache does not respond.
    enum Miss: CaseIterable {
        case absent, stale, invalidated, variant
    }

    private static let lease = Duration.seconds(20)
    private static let variant = HTTPField.Name("X-Variant") ?? .accept

    /// The response of the server of all processes, and the gate that may hold it back.
    private final class Script: Sendable {
        let gate = Gate()
        let isHeld = Mutex(false)
        let answers = Mutex<[RawResponse]>([])

        func answer() async throws -> RawResponse {
            if isHeld.withLock({ $0 }) {
                try await gate.wait()
            }
            let told = answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            return told ?? .text("7", headers: [.cacheControl: "max-age=60", .vary: "X-Variant"])
        }
    }

    private let directory: URL
    private let wall = WallClock()
    private let clock = ManualClock()
    private let script: Script
    private let server: StubTransport
    private var gate: Gate { script.gate }

    init() {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("lease-\(UUID().uuidString)")
        let script = Script()
        self.script = script
        server = StubTransport { _ in try await script.answer() }
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    // MARK: - Parts

    /// A client as another process would have it.
    private func client(
        lease: Duration? = LeaseTests.lease,
        isOnDisk: Bool = true,
        configure: (inout RestClientManager.Configuration) -> Void = { _ in }
    ) throws -> StubbedClient {
        let (wall, clock) = (wall, clock)
        let client = StubbedClient(server) { configuration in
            configuration.now = { wall.now }
            configuration.clock = clock
            configuration = configuration.timeout(nil)
            configuration.cacheLease = lease
            configure(&configuration)
        }
        if isOnDisk {
            try client.manager.persist(in: directory)
        }
        return client
    }

    private func node(_ client: StubbedClient) -> RequestNode<Int> {
        client.manager.request(Int.self).endpoint("/a").cache()
    }

    private func start(_ node: RequestNode<Int>) -> Task<Response<Int>, any Error> {
        Task { try await node.response() }
    }

    /// How many leases there are now.
    private var leaseCount: Int {
        get throws {
            let file = directory.appendingPathComponent("response-cache.sqlite").path
            let connection = try Connection(file: file, mode: .readOnly, busyTimeout: .seconds(10))
            return try connection.text("SELECT count(*) FROM leases").flatMap { Int($0) } ?? -1
        }
    }

    /// How many leases there are once the clients have written all that they were to write.
    private func leases(after clients: StubbedClient...) async throws -> Int {
        for client in clients {
            // Behind everything that was begun before.
            _ = try await client.manager.cache.storage.remove("nothing")
        }
        return try leaseCount
    }

    private func transactions(_ client: StubbedClient) -> Int? {
        (client.manager.cache.storage.state.withLock { $0.backing } as? SQLiteBacking)?.transactionCount
    }

    /// Starts two calls, of which the first is on the wire, and the second waits for it.
    private func startBoth(
        _ first: RequestNode<Int>,
        _ second: RequestNode<Int>
    ) async throws -> (Task<Response<Int>, any Error>, Task<Response<Int>, any Error>) {
        let sent = server.requests.count
        script.isHeld.withLock { $0 = true }
        let holder = start(first)
        try await server.waitForRequests(count: sent + 1)
        let waiter = start(second)
        try await clock.waitForSleepers(count: 1)
        #expect(server.requests.count == sent + 1)
        return (holder, waiter)
    }

    // MARK: - Taking turns

    @Test(arguments: Miss.allCases)
    func `of two processes that miss a response one asks, and the other takes what it stored`(miss: Miss) async throws {
        let changes = Recorder<CacheEvent.Name>()
        let (first, second) = (try client(), try client { $0.cache.onEvent = { changes.record($0.name) } })
        var (firstNode, secondNode) = (node(first), node(second))
        if miss != .absent {
            // Both have it in memory too.
            _ = try await firstNode.send()
            #expect(try await leases(after: first) == 0)
            _ = try await secondNode.send()
        }
        switch miss {
        case .absent: break
        case .stale: wall.advance(by: 61)
        case .invalidated:
            try await first.manager.cache.invalidate(.all)
            // Until then it has the response in memory.
            try await changes.wait { $0.contains(.changedByAnotherProcess) }
        case .variant:
            firstNode = firstNode.header(Self.variant, "1")
            secondNode = secondNode.header(Self.variant, "1")
        }
        let sent = server.requests.count
        let (holder, waiter) = try await startBoth(firstNode, secondNode)
        gate.open()
        #expect(try await holder.value.source == .network)
        clock.advance(by: LeasePatience.shortestPause)

        #expect(try await waiter.value.source.isCache)
        #expect(try await waiter.value.cache.outcome == .fresh)
        #expect(server.requests.count == sent + 1)
        #expect(try await leases(after: first, second) == 0)
    }

    @Test
    func `a response that was stored between the look and the lease is not fetched again`() async throws {
        let first = try client()
        _ = try await node(first).send()
        #expect(try await leases(after: first) == 0)
        // The second one is asked to look past what it has: its flight begins with a lease that nobody else holds.
        let second = try client()
        let exchange = try await exchange(of: node(second), second)
        let finding = CacheFinding(lookup: .fetch(.absent))
        let reply = try await exchange.forward(finding, leasedFor: Self.lease)

        #expect(reply.response.source.isCache)
        #expect(server.requests.count == 1)
        #expect(try await leases(after: second) == 0)
    }

    private func exchange(of node: RequestNode<Int>, _ client: StubbedClient) async throws -> CacheExchange {
        let (stored, _) = try await client.manager.runner.storedModel(node)
        let stage = CachedCall(
            cache: stored.cache,
            // No request may be sent.
            stages: StageList([]),
            decoder: AnyModelDecoder(stored.decoder),
            hasInterceptors: false,
            identify: { request, _ in request },
            early: nil
        )
        return CacheExchange(stage, stored.request)
    }

    @Test(arguments: [RawResponse.status(.internalServerError), .text("none", headers: [.cacheControl: "max-age=60"])])
    func `whoever fails lets the next one ask`(failure: RawResponse) async throws {
        let (first, second) = (try client(), try client())
        script.answers.withLock { $0 = [failure] }
        let (holder, waiter) = try await startBoth(node(first), node(second))
        gate.open()
        await #expect(throws: RestClientError.self) { try await holder.value }
        #expect(try await leases(after: first) == 0)
        clock.advance(by: LeasePatience.shortestPause)

        #expect(try await waiter.value.source == .network)
        #expect(server.requests.count == 2)
    }

    @Test
    func `whoever is cancelled lets the next one ask`() async throws {
        let (first, second) = (try client(), try client())
        let (holder, waiter) = try await startBoth(node(first), node(second))
        holder.cancel()
        await #expect(throws: CancellationError.self) { try await holder.value }
        // The abandoned request ends some time later, and the waiter looks again after each pause. The wall clock, by
        // which a lease expires, stands still.
        let pauses = Task { [clock] in
            while true {
                try await clock.waitForSleepers(count: 1)
                clock.advanceToNextDeadline()
            }
        }
        defer { pauses.cancel() }
        // The gate also holds back the abandoned request, which could otherwise still succeed.
        try await server.waitForRequests(count: 2)
        gate.open()

        #expect(try await waiter.value.source == .network)
        #expect(server.requests.count == 2)
    }

    @Test
    func `whoever waits and is cancelled leaves at once`() async throws {
        let (first, second) = (try client(), try client())
        let (holder, waiter) = try await startBoth(node(first), node(second))
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        try await clock.waitForNoSleepers()
        gate.open()

        #expect(try await holder.value.model == 7)
        #expect(server.requests.count == 1)
        #expect(try await leases(after: first) == 0)
    }

    // MARK: - Holders that do not come back

    @Test
    func `the lease of a process that died runs out`() async throws {
        let (first, second) = (try client(), try client())
        let (holder, waiter) = try await startBoth(node(first), node(second))
        // No sign of life of the first one for the time of a lease.
        wall.advance(by: 20)
        script.isHeld.withLock { $0 = false }
        clock.advance(by: LeasePatience.shortestPause)
        #expect(try await waiter.value.source == .network)
        #expect(server.requests.count == 2)

        // It was not dead after all, and takes nothing from anyone.
        gate.open()
        #expect(try await holder.value.model == 7)
        #expect(try await leases(after: first, second) == 0)
    }

    @Test
    func `nobody waits longer than for one lease, whatever the time of day`() async throws {
        let (first, second) = (try client(), try client())
        let (holder, waiter) = try await startBoth(node(first), node(second))
        while clock.now.offset < Self.lease {
            try await clock.waitForSleepers(count: 1)
            clock.advanceToNextDeadline()
        }
        #expect(clock.now.offset == Self.lease)
        try await server.waitForRequests(count: 2)
        gate.open()

        #expect(try await waiter.value.source == .network)
        #expect(try await holder.value.source == .network)
        #expect(try await leases(after: first, second) == 0)
    }

    @Test
    func `what dead processes left behind goes with the next lease`() async throws {
        let client = try client()
        let now = wall.now
        for name in ["a", "b", "c"] {
            _ = try await client.manager.cache.storage.acquireLease(name, for: .seconds(1), now: now)
        }
        #expect(try leaseCount == 3)
        wall.advance(by: 2)
        _ = try await node(client).send()

        #expect(try await leases(after: client) == 0)
    }

    // MARK: - No lease

    @Test
    func `without a lease nothing more is written`() async throws {
        let client = try client(lease: nil)
        let before = try #require(transactions(client))
        script.answers.withLock { $0 = [.text("7", headers: [.cacheControl: "max-age=60"])] }
        _ = try await node(client).send()
        _ = try await node(client).send()

        #expect(transactions(client) == before + 1)
    }

    @Test
    func `a hit, a change and what must not be stored take no lease`() async throws {
        let client = try client()
        script.answers.withLock { $0 = [.text("7", headers: [.cacheControl: "max-age=60"])] }
        _ = try await node(client).send()
        #expect(try await leases(after: client) == 0)
        let before = try #require(transactions(client))
        _ = try await node(client).send()
        _ = try await node(client).header(.cacheControl, "no-store").send()
        _ = try await client.manager.request(Int.self).post().endpoint("/b").cache().send()

        #expect(server.requests.count == 3)
        #expect(transactions(client) == before)
    }

    @Test
    func `a cache in memory has nobody to wait for`() async throws {
        let (first, second) = (try client(isOnDisk: false), try client(isOnDisk: false))
        script.isHeld.withLock { $0 = true }
        let calls = [start(node(first)), start(node(second))]
        try await server.waitForRequests(count: 2)
        gate.open()

        for call in calls { #expect(try await call.value.source == .network) }
    }

    @Test
    func `a store that cannot be written fails no call`() async throws {
        let client = try client { $0.cache.busyTimeout = .milliseconds(20) }
        let log = EventRecorder(client.manager)
        let file = directory.appendingPathComponent("response-cache.sqlite").path
        let other = try Connection(file: file, mode: .readWrite, busyTimeout: .seconds(10))
        try other.execute("BEGIN IMMEDIATE")

        #expect(try await node(client).send() == 7)
        #expect(log.lines.count { $0.hasPrefix("cacheFailed") } == 2)
        try other.execute("ROLLBACK")
    }
}
