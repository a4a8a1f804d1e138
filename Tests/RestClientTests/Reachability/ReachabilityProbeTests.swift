// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// A probe tells whether a server responds, advises waits between attempts, and blocks no call.
@Suite(.timeLimit(.minutes(5)))
struct ReachabilityProbeTests {
    private let clock = ManualClock()

    /// A server that is down until the counter has counted.
    private func client(up: Counter, status: HTTPResponse.Status = .ok) -> StubbedClient {
        StubbedClient(
            StubTransport { request in
                guard up.value > 0 else {
                    throw RestClientError(.connectionFailed, "the server is down")
                }
                return request.method == .head ? .status(status) : .text("1")
            }
        ) { [clock] in $0.clock = clock }
    }

    private var patient: RetryPolicy {
        var policy = RetryPolicy(attempts: 3)
        policy.backoff.first = .seconds(60)
        policy.backoff.jitter = 0
        return policy
    }

    // MARK: - Checks

    @Test(arguments: [HTTPResponse.Status.ok, .notFound, .unauthorized, .internalServerError])
    func `any response counts`(status: HTTPResponse.Status) async throws {
        let up = Counter()
        let client = client(up: up, status: status)
        client.manager.servers["store"] = Server("https://api.example.com/v1").bearer("secret")
        let probe = client.manager.reachability(of: "store")
        #expect(probe.state == .unknown)
        #expect(client.requests.isEmpty)

        #expect(try await probe.check() == .unreachable)
        up.next()
        #expect(try await probe.check() == .reachable)

        #expect(probe.state == .reachable)
        #expect(client.requests.map(\.method) == [.head, .head])
        #expect(client.requests[0].url == "https://api.example.com/v1")
        #expect(client.requests[0].headers[.authorization] == nil)
        #expect(client.manager.reachability(of: "store") === probe)
    }

    @Test
    func `a server that is not registered is an error, and its state unknown`() async {
        let client = client(up: Counter())
        let probe = client.manager.reachability(of: "stroe")

        let error = await #expect(throws: RestClientError.self) { try await probe.check() }

        #expect(error?.code == .unknownServer)
        #expect(error?.message.contains("'store'") == true)
        #expect(probe.state == .unknown)
    }

    @Test
    func `a server that does not respond in time is unreachable`() async throws {
        let client = StubbedClient(
            StubTransport { _ in
                try await Gate().wait()
                return .status(.ok)
            }
        ) { [clock] in $0.clock = clock }
        let check = Task { try await client.manager.reachability(of: "store").check(timeout: .seconds(3)) }
        try await clock.waitForSleepers(count: 1)

        clock.advance(by: .seconds(3))

        #expect(try await check.value == .unreachable)
    }

    @Test
    func `a check that is cancelled says nothing`() async throws {
        let client = StubbedClient(
            StubTransport { _ in
                try await Gate().wait()
                return .status(.ok)
            }
        )
        let probe = client.manager.reachability(of: "store")
        let check = Task { try await probe.check() }
        try await client.transport.waitForRequests(count: 1)

        check.cancel()

        await #expect(throws: CancellationError.self) { try await check.value }
        #expect(probe.state == .unknown)
    }

    // MARK: - Watching

    @Test
    func `a watch asks in intervals, until its token is cancelled`() async throws {
        let up = Counter()
        let client = client(up: up)
        let log = EventRecorder(client.manager)
        let probe = client.manager.reachability(of: "store")
        let seen = Recorder<Reachability>()
        let reader = Task {
            for await state in probe.states {
                seen.record(state)
                if state == .reachable {
                    break
                }
            }
        }
        try await seen.waitForElement { $0 == .unknown }

        let watch = probe.watch(every: .seconds(20))
        try await seen.waitForElement { $0 == .unreachable }
        try await pass(until: { client.requests.count >= 3 })
        up.next()
        try await pass(until: { log.count(of: .reachabilityChanged) >= 2 })
        await reader.value
        watch.cancel()
        try await clock.waitForNoSleepers()

        #expect(seen.elements == [.unknown, .unreachable, .reachable])
        #expect(
            log.lines.prefix(2) == ["reachabilityChanged store unreachable", "reachabilityChanged store reachable"]
        )
        #expect(log.events.allSatisfy { $0.callID == nil })
        clock.advance(by: .seconds(100))
        #expect(clock.deadlines.isEmpty)
    }

    /// Lets the pauses of a watch pass until a condition holds.
    private func pass(until isMet: () -> Bool) async throws {
        while !isMet() {
            try await clock.waitForSleepers(count: 1)
            clock.advance(by: .seconds(20))
        }
    }

    @Test
    func `the states end with the task that reads them`() async {
        let probe = client(up: Counter()).manager.reachability(of: "store")
        let first = Gate()
        let reader = Task {
            var count = 0
            for await _ in probe.states {
                count += 1
                first.open()
            }
            return count
        }
        try? await first.wait()

        reader.cancel()

        #expect(await reader.value == 1)
    }

    // MARK: - Advice

    @Test
    func `a call waits for its next attempt no longer than until the server responds again`() async throws {
        let up = Counter()
        let client = client(up: up)
        let probe = client.manager.reachability(of: "store")
        let start = clock.now
        #expect(try await probe.check() == .unreachable)
        let call = Task { try await client.manager.request(Int.self).endpoint("/a").retry(patient).response() }
        try await clock.waitForSleepers(count: 1)

        up.next()
        #expect(try await probe.check() == .reachable)

        let response = try await call.value
        #expect(response.attempts == 2)
        #expect(clock.now == start)
    }

    @Test
    func `the wait ends in its time if the server does not respond before`() async throws {
        let up = Counter()
        let client = client(up: up)
        let probe = client.manager.reachability(of: "store")
        #expect(try await probe.check() == .unreachable)
        let call = Task { try await client.manager.request(Int.self).endpoint("/a").retry(patient).send() }
        try await clock.waitForSleepers(count: 1)
        up.next()

        clock.advance(by: .seconds(60))

        #expect(try await call.value == 1)
        #expect(probe.state == .unreachable)
    }

    @Test
    func `a call that is cancelled in its wait ends at once`() async throws {
        let client = client(up: Counter())
        #expect(try await client.manager.reachability(of: "store").check() == .unreachable)
        let call = Task { try await client.manager.request(Int.self).endpoint("/a").retry(patient).send() }
        try await clock.waitForSleepers(count: 1)

        call.cancel()

        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(client.requests.count == 2)
    }

    @Test
    func `the wait that a response asks for is not shortened`() async throws {
        let (up, repaired) = (Counter(), Counter())
        let client = StubbedClient(
            StubTransport { request in
                if request.method == .head, up.value == 0 {
                    throw RestClientError(.connectionFailed, "the server is down")
                }
                return repaired.value > 0 ? .text("1") : .status(.serviceUnavailable)
            }
        ) { [clock] in $0.clock = clock }
        let probe = client.manager.reachability(of: "store")
        #expect(try await probe.check() == .unreachable)
        let call = Task { try await client.manager.request(Int.self).endpoint("/a").retry(patient).send() }
        try await clock.waitForSleepers(count: 1)
        up.next()
        repaired.next()

        #expect(try await probe.check() == .reachable)
        #expect(client.requests.count { $0.method == .get } == 1)
        clock.advance(by: .seconds(60))

        #expect(try await call.value == 1)
    }

    @Test
    func `a call to a server that seems unreachable is sent nevertheless`() async throws {
        let up = Counter()
        let client = client(up: up)
        #expect(try await client.manager.reachability(of: "store").check() == .unreachable)
        up.next()

        #expect(try await client.manager.request(Int.self).endpoint("/a").send() == 1)
    }

    @Test
    func `a server with a pinned key is not asked over a transport that does not check it`() async throws {
        let client = client(up: Counter())
        client.manager.servers["store"] = Server("https://api.example.com/v1")
            .pinnedKeys(["sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="])

        let error = await #expect(throws: RestClientError.self) {
            try await client.manager.reachability(of: "store").check()
        }

        #expect(error?.code == .tlsFailed)
        #expect(error?.message.contains("does not check pinned keys") == true)
        #expect(client.requests.isEmpty)
    }
}
