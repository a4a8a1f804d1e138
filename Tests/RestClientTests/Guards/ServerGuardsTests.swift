// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// The guards that are forgotten when there are many, and those that are not.
@Suite(.timeLimit(.minutes(5)))
struct ServerGuardsTests {
    /// A client on a clock of its own, whose server has options.
    private static func client(
        _ clock: ManualClock,
        _ transport: StubTransport = StubTransport { _ in .text("7") },
        _ describe: (Server) -> Server
    ) -> StubbedClient {
        let client = StubbedClient(transport) { $0.clock = clock }
        client.manager.servers["store"] = describe(Server("https://api.example.com/v1"))
        return client
    }

    /// Asks for so many guards that idle ones are forgotten.
    private static func crowd(_ guards: ServerGuards) {
        for number in 0...1_024 {
            _ = guards[GuardKey(server: "\(number)")]
        }
    }

    /// The guards of a server, its response, and the seconds for which they know something of use.
    private static let knowledge: [(describe: @Sendable (Server) -> Server, response: RawResponse, seconds: Int)] = [
        ({ $0.rateLimit(.count(1, per: .seconds(60))) }, .status(.ok), 60),
        ({ $0.rateLimit(.window(1, per: .seconds(60))) }, .status(.ok), 60),
        ({ $0.rateLimit(.learned) }, .status(.tooManyRequests, headers: [.retryAfter: "50"]), 50),
        ({ $0.circuitBreaker(.failures(9, within: .seconds(30), opensFor: .seconds(5))) }, .status(.ok), 30),
        ({ $0.circuitBreaker(.failures(1, within: .seconds(30), opensFor: .seconds(5))) }, .status(.badGateway), 35),
        ({ $0.retryBudget(.standard) }, .status(.ok), 10),
        ({ $0.concurrency(.adaptive()) }, .status(.ok), 0),
        ({ $0.concurrency(4) }, .status(.ok), 0),
    ]

    @Test(arguments: knowledge.indices)
    func `a guard is kept as long as it knows something of use`(index: Int) async throws {
        let (describe, response, seconds) = Self.knowledge[index]
        let clock = ManualClock()
        let client = Self.client(clock, StubTransport(answering: [response]), describe)
        let guards = client.manager.guards
        _ = try? await client.manager.request(Void.self).endpoint("/a").send()
        let known = guards[GuardKey(server: "store")]

        clock.advance(by: .seconds(seconds) - .nanoseconds(1))
        Self.crowd(guards)
        let isForgottenEarly = known.isForgotten
        clock.advance(by: .nanoseconds(1))
        Self.crowd(guards)

        #expect(isForgottenEarly == (seconds == 0))
        #expect(known.isForgotten)
    }

    @Test
    func `a breaker that was not probed to its end is kept for its window after the first probe`() async throws {
        let clock = ManualClock()
        let transport = StubTransport(answering: [.status(.badGateway), .status(.ok)])
        var breaker = CircuitBreaker.failures(1, within: .seconds(30), opensFor: .seconds(5))
        breaker.probes = 2
        let client = Self.client(clock, transport) { [breaker] in $0.circuitBreaker(breaker) }
        let guards = client.manager.guards
        let known = guards[GuardKey(server: "store")]
        for _ in 0..<2 {
            _ = try? await client.manager.request(Void.self).endpoint("/a").send()
            clock.advance(by: .seconds(5))
        }

        #expect(guards["store"]?.circuit == .halfOpen)
        clock.advance(by: .seconds(25) - .nanoseconds(1))
        Self.crowd(guards)
        #expect(!known.isForgotten)
        clock.advance(by: .nanoseconds(1))
        Self.crowd(guards)
        #expect(known.isForgotten)
    }

    @Test
    func `calls to many servers free none from a limit`() async throws {
        let client = Self.client(ManualClock()) { $0.rateLimit(.window(1, per: .seconds(3_600))) }
        try await client.manager.request(Void.self).endpoint("/a").send()

        Self.crowd(client.manager.guards)
        let error = await client.failure { $0.endpoint("/a").timeout(.seconds(10)) }

        #expect(error?.code == .rateLimitExceeded)
        #expect(client.requests.count == 1)
    }

    @Test
    func `a guard is kept while its breaker has to learn how a call ends`() async throws {
        let (clock, gate) = (ManualClock(), Gate())
        let transport = StubTransport { _ in
            try await gate.wait()
            return .text("7")
        }
        let client = Self.client(clock, transport) { $0.circuitBreaker(.standard) }
        let guards = client.manager.guards
        let call = Task { try await client.manager.request(Void.self).endpoint("/a").send() }
        try await gate.waitForWaiters(count: 1)
        let known = guards[GuardKey(server: "store")]

        Self.crowd(guards)
        #expect(!known.isForgotten)
        gate.open()
        try await call.value

        #expect(guards["store"]?.calls == 1)
        clock.advance(by: .seconds(30))
        Self.crowd(guards)
        #expect(known.isForgotten)
    }

    @Test
    func `a retry takes its room from the guard that is registered then`() throws {
        let client = Self.client(ManualClock()) { $0.retryBudget(RetryBudget(ratio: 0, minimumPerSecond: 0.1)) }
        let guards = client.manager.guards
        let node = client.manager.request(Void.self).endpoint("/a")
        let call = try client.manager.runner
            .prepare(node.specification, CallContext.Beginning(id: .next(), start: .zero))
        let known = guards[GuardKey(server: "store")]
        let first = guards.retries(of: call)

        Self.crowd(guards)
        let second = guards.retries(of: call)

        #expect(known.isForgotten)
        #expect(first?() == true)
        #expect(second?() == false)
    }

    @Test
    func `guards that are needed are kept, as many as they are, and others do not join them`() {
        let guards = StubbedClient().manager.guards
        for number in 0..<1_100 {
            guards.isolate(ServerAlias(rawValue: "isolated \(number)"))
        }
        #expect(guards.snapshots.count == 1_100)

        for number in 0..<2_000 {
            _ = guards[GuardKey(server: "idle \(number)")]
        }

        let snapshots = guards.snapshots
        #expect(snapshots.count(where: { $0.circuit == .isolated }) == 1_100)
        #expect(snapshots.count < 2_200)
    }
}
