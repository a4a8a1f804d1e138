// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

@Suite(.timeLimit(.minutes(5)))
struct ServerGuardTests {
    /// A client on a clock of its own, whose server has options.
    private static func client(
        _ clock: ManualClock = ManualClock(),
        _ transport: StubTransport = StubTransport { _ in .text("7") },
        _ describe: (Server) -> Server
    ) -> StubbedClient {
        let client = StubbedClient(transport) { configuration in
            configuration.clock = clock
            configuration = configuration.timeout(.seconds(10))
        }
        client.manager.servers["store"] = describe(Server("https://api.example.com/v1"))
        return client
    }

    // MARK: - Rate

    @Test
    func `calls wait for their turn in their order, and hold no worker slot meanwhile`() async throws {
        let clock = ManualClock()
        let client = Self.client(clock) { $0.rateLimit(.perSecond(1)) }
        let log = EventRecorder(client.manager)
        try await client.manager.request(Void.self).endpoint("/first").send()

        let second = Task { try await client.manager.request(Void.self).endpoint("/second").send() }
        try await clock.waitForSleepers(count: 1)
        let third = Task { try await client.manager.request(Void.self).endpoint("/third").send() }
        try await clock.waitForSleepers(count: 2)
        #expect(client.manager.workers.runningCount == 0)
        #expect(client.manager.guards["store"]?.waiting == 2)
        #expect(log.count(of: .callHeldBack) == 2)

        clock.advance(by: .seconds(1))
        try await second.value
        #expect(client.requests.map { $0.url.suffix(6) } == ["/first", "second"])
        #expect(client.manager.guards["store"]?.available == 0)
        clock.advance(by: .seconds(1))
        try await third.value
        #expect(client.requests.count == 3)
        #expect(client.manager.guards["store"]?.waiting == 0)
        #expect(client.manager.guards["store"]?.available == 0)
        clock.advance(by: .seconds(1))
        #expect(client.manager.guards["store"]?.available == 1)
    }

    @Test
    func `a cancelled call leaves the line at once, and those behind it move up`() async throws {
        let clock = ManualClock()
        let client = Self.client(clock) { $0.rateLimit(.perSecond(1)) }
        try await client.manager.request(Void.self).endpoint("/first").send()
        let second = Task { try await client.manager.request(Void.self).endpoint("/second").send() }
        try await clock.waitForSleepers(count: 1)
        let third = Task { try await client.manager.request(Void.self).endpoint("/third").send() }
        try await clock.waitForSleepers(count: 2)

        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(client.manager.guards["store"]?.waiting == 1)
        // Its wait of two seconds has become one of one second.
        try await clock.waitForSleeper(for: .seconds(1))
        clock.advance(by: .seconds(1))
        try await third.value
        #expect(client.requests.count == 2)
    }

    @Test
    func `a call that could not begin in its time fails at once`() async throws {
        let client = Self.client { $0.rateLimit(.count(1, per: .seconds(60))) }
        try await client.manager.request(Void.self).endpoint("/a").send()
        let error = await client.failure { $0.endpoint("/a") }
        #expect(error?.code == .rateLimitExceeded)
        #expect(error?.message.contains("60") == true)
        #expect(client.requests.count == 1)
    }

    @Test
    func `the server's quota and its pauses are kept`() async throws {
        let clock = ManualClock()
        let quota: HTTPFields = [
            try #require(HTTPField.Name("X-RateLimit-Remaining")): "1",
            try #require(HTTPField.Name("X-RateLimit-Reset")): "5",
        ]
        let responses = [
            RawResponse.status(.ok, headers: quota),
            .status(.tooManyRequests, headers: [.retryAfter: "3"]),
            .status(.ok),
        ]
        let client = Self.client(clock, StubTransport(answering: responses)) { $0.rateLimit(.learned) }
        let node = client.manager.request(Void.self).endpoint("/a")
        try await node.send()
        _ = await client.failure { _ in node }
        let call = Task { try await node.send() }
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(4))
        #expect(client.requests.count == 2)
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(1))
        try await call.value
        #expect(client.requests.count == 3)
    }

    /// The fields of a quota that is used up, for a time in seconds.
    private static func nothingLeft(for seconds: Int) throws -> HTTPFields {
        [
            try #require(HTTPField.Name("X-RateLimit-Remaining")): "0",
            try #require(HTTPField.Name("X-RateLimit-Reset")): "\(seconds)",
        ]
    }

    @Test
    func `a pause ends also for a call that only the number held back before`() async throws {
        let (clock, gate) = (ManualClock(), Gate())
        let transport = StubTransport { request in
            guard request.url.hasSuffix("/first") else {
                return .text("7")
            }
            try await gate.wait()
            return .status(.tooManyRequests, headers: [.retryAfter: "5"])
        }
        let client = Self.client(clock, transport) { $0.concurrency(1).rateLimit(.perSecond(100)) }
        let log = EventRecorder(client.manager)
        let first = Task { await client.failure { $0.endpoint("/first") } }
        try await gate.waitForWaiters(count: 1)
        clock.advance(by: .seconds(1))
        let second = Task { try await client.manager.request(Void.self).endpoint("/second").timeout(nil).send() }
        try await log.wait(for: .callHeldBack)

        gate.open()
        #expect(await first.value?.status == .tooManyRequests)
        try await clock.waitForSleeper(for: .seconds(5))
        #expect(client.requests.count == 1)
        clock.advance(by: .seconds(5))

        try await second.value
        #expect(client.requests.count == 2)
    }

    @Test
    func `a call that waits for a quota waits no longer than the latest response says`() async throws {
        let (clock, gates) = (ManualClock(), ["/long": Gate(), "/short": Gate()])
        let responses = [
            "/long": RawResponse.status(.ok, headers: try Self.nothingLeft(for: 3_600)),
            "/short": .status(.ok, headers: try Self.nothingLeft(for: 2)),
        ]
        let transport = StubTransport { request in
            let path = "/" + (request.url.split(separator: "/").last ?? "")
            try await gates[path]?.wait()
            return responses[path] ?? .text("7")
        }
        let client = Self.client(clock, transport) { $0.rateLimit(.learned) }
        let calls = ["/long", "/short"]
            .map { path in
                Task { try await client.manager.request(Void.self).endpoint(PathTemplate(path)).send() }
            }
        try await transport.waitForRequests(count: 2)
        gates["/long"]?.open()
        try await calls[0].value
        let held = Task { try await client.manager.request(Void.self).endpoint("/held").timeout(nil).send() }
        try await clock.waitForSleeper(for: .seconds(3_600))

        gates["/short"]?.open()
        try await calls[1].value
        try await clock.waitForSleeper(for: .seconds(2))
        clock.advance(by: .seconds(2))

        try await held.value
        #expect(client.requests.count == 3)
    }

    @Test
    func `an API has a rate of its own where it sets one`() async throws {
        let client = Self.client { $0.rateLimit(.count(1, per: .seconds(60))) }
        let key = APIAlias<Void>("a")
        client.manager.apis[key] = API(.get, "/a", server: "store").rateLimit(.count(2, per: .seconds(60), burst: 2))
        try await client.manager.request(Void.self).endpoint("/b").send()
        try await client.manager.request(key).send()
        try await client.manager.request(key).send()
        let error = await client.failure { $0.endpoint("/b") }
        #expect(error?.code == .rateLimitExceeded)
        #expect(client.manager.guards.snapshots.map(\.api) == [nil, "a"])
    }

    // MARK: - Number

    @Test
    func `no more calls than allowed are under way, and others pass by`() async throws {
        let gate = Gate()
        let transport = StubTransport { request in
            if request.url.contains("api.example") {
                try await gate.wait()
            }
            return .text("7")
        }
        let client = Self.client(ManualClock(), transport) { $0.concurrency(2) }
        client.manager.servers["other"] = "https://other.example.com"
        client.manager.workers.size = 3
        let calls = (0..<5).map { _ in Task { try await client.manager.request(Int.self).endpoint("/a").send() } }
        try await gate.waitForWaiters(count: 2)
        let answer = try await client.manager.request(Int.self).server("other").endpoint("/b").send()
        #expect(answer == 7)
        #expect(client.requests.filter { $0.url.contains("api.example") }.count == 2)
        #expect(client.manager.guards["store"]?.running == 2)
        gate.open()
        for call in calls {
            _ = try await call.value
        }
        #expect(client.requests.count == 6)
        #expect(client.manager.guards["store"]?.running == 0)
    }

    @Test
    func `a call that fails or is cancelled gives its place away`() async throws {
        let gate = Gate()
        let transport = StubTransport { request in
            guard request.url.hasSuffix("/stuck") else {
                throw RestClientError(.connectionFailed, "no")
            }
            try await gate.wait()
            return .text("7")
        }
        let client = Self.client(ManualClock(), transport) { $0.concurrency(1) }
        for _ in 0..<3 {
            let error = await client.failure { $0.endpoint("/failing") }
            #expect(error?.code == .connectionFailed)
        }
        let stuck = Task { try await client.manager.request(Int.self).endpoint("/stuck").send() }
        try await gate.waitForWaiters(count: 1)
        stuck.cancel()
        await #expect(throws: CancellationError.self) { try await stuck.value }
        let error = await client.failure { $0.endpoint("/failing") }
        #expect(error?.code == .connectionFailed)
        #expect(client.manager.guards["store"]?.running == 0)
    }

    @Test
    func `a call that waits for a place ends with its time`() async throws {
        let clock = ManualClock()
        let gate = Gate()
        let client = Self.client(
            clock,
            StubTransport { _ in
                try await gate.wait()
                return .text("7")
            }
        ) { $0.concurrency(1) }
        let first = Task { try await client.manager.request(Int.self).endpoint("/a").timeout(.seconds(100)).send() }
        try await gate.waitForWaiters(count: 1)
        let second = Task { try await client.manager.request(Int.self).endpoint("/a").timeout(.seconds(2)).send() }
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(2))
        let error = await #expect(throws: RestClientError.self) { try await second.value }
        #expect(error?.code == .timeout)
        #expect(client.manager.guards["store"]?.waiting == 0)
        gate.open()
        let answer = try await first.value
        #expect(answer == 7)
    }

    // MARK: - Breaker

    @Test
    func `a breaker refuses calls, says when it probes, and closes again`() async throws {
        let clock = ManualClock()
        let responses = [RawResponse.status(.internalServerError), .status(.badGateway), .text("7")]
        let client = Self.client(clock, StubTransport(answering: responses)) { server in
            server.circuitBreaker(.failures(2, within: .seconds(10), opensFor: .seconds(5)))
        }
        let log = EventRecorder(client.manager)
        for _ in 0..<2 {
            let error = await client.failure { $0.endpoint("/a") }
            #expect(error?.code == .unacceptableStatus)
        }
        clock.advance(by: .seconds(2))
        let refused = await client.failure { $0.endpoint("/a") }
        #expect(refused?.code == .circuitOpen)
        #expect(refused?.attempts == 0)
        let refusal = try #require(refused?.underlying as? CircuitRefusal)
        #expect(refusal == CircuitRefusal(server: "store", state: .open, probesIn: .seconds(3)))
        #expect(refused?.message.contains("3.0 seconds") == true)
        #expect(client.requests.count == 2)
        #expect(client.manager.guards["store"]?.circuit == .open)

        clock.advance(by: .seconds(3))
        let answer = try await client.manager.request(Int.self).endpoint("/a").send()
        #expect(answer == 7)
        #expect(client.manager.guards["store"]?.circuit == .closed)
        let states = log.events.compactMap { event -> CircuitState? in
            guard case .circuitChanged("store", let state) = event.kind else {
                return nil
            }
            return state
        }
        #expect(states == [.open, .halfOpen, .closed])
    }

    @Test
    func `a change of the breaker is told although the callers of a shared request have left`() async throws {
        let (sent, gate, told) = (Gate(), Gate(), Gate())
        let transport = StubTransport { _ in
            sent.open()
            // The response comes although nobody waits for it any more.
            await Task { try? await gate.wait() }.value
            return .status(.internalServerError)
        }
        let client = Self.client(ManualClock(), transport) { server in
            server.circuitBreaker(.failures(1, within: .seconds(10), opensFor: .seconds(5)))
        }
        let observation = client.manager.observe { event in
            if case .circuitChanged("store", .open) = event.kind {
                told.open()
            }
        }
        let node = client.manager.request(Int.self).endpoint("/a").sharingFlight()
        let caller = Task { try await node.send() }
        try await sent.wait()
        caller.cancel()
        await #expect(throws: (any Error).self) { try await caller.value }

        gate.open()

        try await told.wait()
        #expect(client.manager.guards["store"]?.circuit == .open)
        observation.cancel()
    }

    @Test
    func `retries do not run against an open breaker`() async {
        var policy = RetryPolicy(attempts: 10)
        policy.backoff.first = .zero
        let client = Self.client(ManualClock(), StubTransport(answering: [.status(.badGateway)])) { server in
            server.circuitBreaker(.failures(3, within: .seconds(10), opensFor: .seconds(5))).retry(policy)
        }
        let error = await client.failure { $0.endpoint("/a") }
        #expect(error?.code == .circuitOpen)
        #expect(client.requests.count == 3)
    }

    @Test
    func `a server is isolated and released by hand`() async throws {
        let client = Self.client { $0.circuitBreaker(.standard) }
        client.manager.guards.isolate("store")
        let error = await client.failure { $0.endpoint("/a") }
        #expect(error?.code == .circuitOpen)
        #expect((error?.underlying as? CircuitRefusal)?.state == .isolated)
        #expect(client.requests.isEmpty)
        client.manager.guards.release("store")
        try await client.manager.request(Void.self).endpoint("/a").send()
        #expect(client.requests.count == 1)
    }

    @Test
    func `a cancelled probe lets the next call probe`() async throws {
        let clock = ManualClock()
        let gate = Gate()
        let transport = StubTransport { request in
            if request.url.hasSuffix("/stuck") {
                try await gate.wait()
            }
            return request.url.hasSuffix("/good") ? .text("7") : .status(.badGateway)
        }
        let client = Self.client(clock, transport) { server in
            server.circuitBreaker(.failures(1, within: .seconds(10), opensFor: .seconds(5)))
        }
        _ = await client.failure { $0.endpoint("/bad") }
        clock.advance(by: .seconds(5))
        let probe = Task { try await client.manager.request(Int.self).endpoint("/stuck").send() }
        try await gate.waitForWaiters(count: 1)
        let refused = await client.failure { $0.endpoint("/good") }
        #expect((refused?.underlying as? CircuitRefusal)?.state == .halfOpen)
        probe.cancel()
        _ = await probe.result
        let answer = try await client.manager.request(Int.self).endpoint("/good").send()
        #expect(answer == 7)
    }

    // MARK: - Without such options

    @Test
    func `calls without such options meet no guard`() async throws {
        let client = StubbedClient(answering: .text("7"))
        try await client.manager.request(Void.self).endpoint("/a").send()
        try await client.manager.request(Void.self).endpoint("/a").retry(3).send()
        #expect(client.manager.guards.snapshots.isEmpty)
    }

    @Test
    func `calls from inside a call do not wait for its place`() async throws {
        let client = Self.client { $0.concurrency(1) }
        client.manager.workers.size = 1
        let answer = try await client.manager.request(Int.self).endpoint("/outer")
            .interceptors(Nested(manager: client.manager), perAttempt: true).send()
        #expect(answer == 7)
        #expect(client.requests.map { $0.url.suffix(6) } == ["/inner", "/outer"])
    }

    @Test
    func `a call whose turn another one took from inside a call begins when the next turn comes`() async throws {
        let (clock, gate, end) = (ManualClock(), Gate(), Gate())
        let transport = StubTransport { request in
            if request.url.hasSuffix("/outer") {
                try await end.wait()
            }
            return .text("7")
        }
        let client = Self.client(clock, transport) { $0.concurrency(1).rateLimit(.window(2, per: .seconds(10))) }
        let log = EventRecorder(client.manager)
        let outer = Task {
            try await client.manager.request(Int.self).endpoint("/outer").timeout(nil)
                .interceptors(Nested(manager: client.manager, gate: gate), perAttempt: true).send()
        }
        try await gate.waitForWaiters(count: 1)
        let held = Task { try await client.manager.request(Void.self).endpoint("/held").timeout(nil).send() }
        try await log.wait(for: .callHeldBack)

        gate.open()
        // The end of the inner call makes it look again.
        try await clock.waitForSleeper(for: .seconds(10))
        clock.advance(by: .seconds(10))
        end.open()

        #expect(try await outer.value == 7)
        try await held.value
        #expect(client.requests.map { $0.url.suffix(5) } == ["inner", "outer", "/held"])
    }

    private struct Nested: Interceptor {
        let manager: RestClientManager
        var gate: Gate?

        func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
            try await gate?.wait()
            _ = try await manager.request(Int.self).endpoint("/inner").send()
            return try await next(request)
        }
    }
}
