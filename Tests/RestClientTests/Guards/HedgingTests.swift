// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

@Suite(.timeLimit(.minutes(5)))
struct HedgingTests {
    /// A server whose first request hangs until it is cancelled.
    private static func firstHangs(_ rest: RawResponse = .text("2")) -> StubTransport {
        let count = Recorder<Void>()
        return StubTransport { _ in
            count.record(())
            if count.count == 1 {
                await untilCancelled()
                throw CancellationError()
            }
            return rest
        }
    }

    /// A server that responds once the gate is open.
    private static func waiting(for gate: Gate) -> StubTransport {
        StubTransport { _ in
            try await gate.wait()
            return .text("1")
        }
    }

    private static func client(_ clock: ManualClock, _ transport: StubTransport) -> StubbedClient {
        StubbedClient(transport) { $0.clock = clock }
    }

    /// A call without a time limit that is hedged after two seconds.
    private static func node(_ client: StubbedClient) -> RequestNode<Int> {
        client.manager.request(Int.self).endpoint("/a").timeout(nil).hedging(.after(.seconds(2)))
    }

    @Test
    func `a request that takes long is sent again, the faster response wins, and the other one is cancelled`()
        async throws
    {
        let clock = ManualClock()
        let client = Self.client(clock, Self.firstHangs())
        let log = EventRecorder(client.manager)
        let node = Self.node(client)
        let call = Task { try await node.response() }
        try await client.transport.waitForRequests(count: 1)
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(2))
        let response = try await call.value
        #expect(response.model == 2)
        #expect(response.attempts == 2)
        #expect(log.count(of: .callHedged) == 1)
        #expect(client.manager.workers.runningCount == 0)
    }

    @Test
    func `the redirects of the request that loses are not those of the response`() async throws {
        let clock = ManualClock()
        let paths = Recorder<String>()
        let transport = StubTransport { request in
            paths.record(request.url)
            if request.url.hasSuffix("/b") {
                await untilCancelled()
                throw CancellationError()
            }
            return paths.count == 1 ? .redirect(302, to: "/b") : .text("2")
        }
        let client = Self.client(clock, transport)
        let node = Self.node(client)
        let call = Task { try await node.response() }
        try await client.transport.waitForRequests(count: 2)
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(2))
        let response = try await call.value
        #expect(response.model == 2)
        #expect(response.timings.exchanges.map(\.attempt).sorted() == [1, 1, 2])
        let story = response.explain()
        #expect(!story.contains("redirected"))
        #expect(story.contains("the second request was faster"))
    }

    @Test
    func `a request that waits for its turn is not hedged`() async throws {
        let clock = ManualClock()
        let gate = Gate()
        let client = Self.client(clock, Self.waiting(for: gate))
        client.manager.workers.size = 1
        let log = EventRecorder(client.manager)
        let blocking = Task { try await client.manager.request(Int.self).endpoint("/a").timeout(nil).send() }
        try await gate.waitForWaiters(count: 1)
        let node = client.manager.request(Int.self).endpoint("/b").timeout(nil).hedging(.after(.seconds(2)))
        let call = Task { try await node.send() }
        try await log.wait(for: .callQueued)
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(2))
        try await clock.waitForSleepers(count: 1)
        gate.open()
        _ = try await (blocking.value, call.value)
        #expect(log.count(of: .callHedged) == 0)
        #expect(client.requests.count == 2)
    }

    @Test
    func `a request in time is sent once`() async throws {
        let client = Self.client(ManualClock(), StubTransport(answering: [.text("1")]))
        let response = try await Self.node(client).response()
        #expect(response.attempts == 1)
        #expect(client.requests.count == 1)
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .delete])
    func `an unsafe request is never hedged`(method: HTTPRequest.Method) async throws {
        let clock = ManualClock()
        let client = Self.client(clock, StubTransport(answering: [.text("1")]))
        try await client.manager.request(Void.self).method(method).endpoint("/a").hedging(.after(.zero)).send()
        #expect(client.requests.count == 1)
    }

    @Test
    func `a request of which an interceptor makes an unsafe one is not hedged`() async throws {
        struct Posting: Interceptor {
            func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
                var request = request
                request.method = .post
                return try await next(request)
            }
        }
        let clock = ManualClock()
        let gate = Gate()
        let client = Self.client(clock, Self.waiting(for: gate))
        let log = EventRecorder(client.manager)
        let node = Self.node(client).interceptors(Posting(), perAttempt: true)
        let call = Task { try await node.send() }
        try await gate.waitForWaiters(count: 1)
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(2))
        gate.open()
        _ = try await call.value
        #expect(log.count(of: .callHedged) == 0)
        #expect(client.requests.map(\.method) == [.post])
    }

    @Test
    func `a hedge that fails leaves the first request its chance`() async throws {
        let clock = ManualClock()
        let gate = Gate()
        let count = Recorder<Void>()
        let transport = StubTransport { _ in
            count.record(())
            if count.count > 1 {
                throw RestClientError(.connectionFailed, "no")
            }
            try await gate.wait()
            return .text("1")
        }
        let client = Self.client(clock, transport)
        let log = EventRecorder(client.manager)
        let node = Self.node(client)
        let call = Task { try await node.send() }
        try await gate.waitForWaiters(count: 1)
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(2))
        try await log.wait(for: .attemptFailed)
        gate.open()
        let response = try await call.value
        #expect(response == 1)
    }

    @Test
    func `cancelling the call cancels both requests`() async throws {
        let clock = ManualClock()
        let gate = Gate()
        let client = Self.client(clock, Self.waiting(for: gate))
        let node = Self.node(client)
        let call = Task { try await node.send() }
        try await gate.waitForWaiters(count: 1)
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(2))
        try await gate.waitForWaiters(count: 2)
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(client.manager.workers.runningCount == 0)
    }

    @Test
    func `hedges have a budget`() {
        let memory = HedgeMemory()
        var hedging = Hedging.after(.zero)
        hedging.budget = 0.1
        for _ in 0..<100 {
            _ = memory.delay(hedging, at: .zero)
        }
        let taken = (0..<100).filter { _ in memory.take(hedging, at: .zero) }.count
        #expect(taken == 11)
        #expect(memory.take(hedging, at: .seconds(20)))
    }

    @Test(arguments: [
        (0.5, 51), (0.0, 51), (-1, 51), (.nan, 51), (0.8, 81), (0.95, 96), (0.999, 100), (1, 100), (7, 100),
    ])
    func `a percentile is at least the median`(part: Double, milliseconds: Int) {
        let latencies = (1...100).map { Duration.milliseconds($0) }

        #expect(Hedging.percentile(part).delay(after: latencies) == .milliseconds(milliseconds))
    }

    @Test
    func `a percentile leaves the slowest of very many out`() {
        let latencies = (1...10_000).map { Duration.milliseconds($0) }

        #expect(Hedging.percentile(1).delay(after: latencies) == .milliseconds(9_991))
    }

    @Test
    func `twenty responses are enough, and the latest two hundred count`() {
        let few = (1...20).map { Duration.milliseconds($0) }
        #expect(Hedging.percentile(0.5).delay(after: few) == .milliseconds(11))
        #expect(Hedging.percentile(0.5).delay(after: few.dropLast()) == nil)

        let memory = HedgeMemory()
        for number in 0..<201 {
            memory.learn(number < 101 ? .seconds(1) : .seconds(2))
        }
        #expect(memory.delay(.percentile(0.5), at: .zero) == .seconds(2))
    }

    @Test
    func `a delay is not negative, and the budget is a tenth`() {
        #expect(Hedging.after(.seconds(-3)).delay(after: []) == .zero)
        #expect(Hedging.after(.seconds(3)).budget == 0.1)
    }

    @Test
    func `a percentile needs enough responses, and is that of the latest ones`() {
        let latencies = (1...100).map { Duration.milliseconds($0) }
        #expect(Hedging.percentile(0.95).delay(after: latencies.shuffled()) == .milliseconds(96))
        #expect(Hedging.percentile(0.95).delay(after: Array(latencies.prefix(19))) == nil)
        #expect(Hedging.after(.seconds(1)).delay(after: []) == .seconds(1))
        let memory = HedgeMemory()
        for _ in 0..<200 {
            memory.learn(.seconds(1))
        }
        for _ in 0..<200 {
            memory.learn(.seconds(2))
        }
        #expect(memory.delay(.percentile(0.5), at: .zero) == .seconds(2))
    }
}
