// SPDX-License-Identifier: MIT

import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// The interruptions and the ends of feeds of server-sent events.
@Suite(.timeLimit(.minutes(5)))
struct EventStreamTests {
    private struct Mine: Error, Equatable { var text: String }
    private struct Problem: Error, Codable, Equatable { var message: String }

    private let one = ServerSentEvent(data: "one")
    private let two = ServerSentEvent(data: "two")
    /// Delivers the first event, and is cut within the second one.
    private var cut: DummyResponse { .serverSentEvents([one, two]).truncated(after: 12) }

    private func client(_ clock: (any Clock<Duration>)? = nil, _ dummy: (Dummy) -> Dummy) -> StubbedClient {
        let client = StubbedClient { configuration in
            configuration.clock = clock ?? configuration.clock
            configuration = configuration.timeout(.seconds(60))
        }
        client.manager.dummies.mode = .strict
        client.manager.dummies.register(dummy(Dummy(.get, "/a")))
        return client
    }

    private func policy(_ change: (inout EventStreamPolicy) -> Void = { _ in }) -> EventStreamPolicy {
        var policy = EventStreamPolicy()
        policy.backoff.first = .zero
        change(&policy)
        return policy
    }

    private func node(_ client: StubbedClient) -> RequestNode<Void> {
        client.manager.request(Void.self).endpoint("/a")
    }

    private func data(_ node: RequestNode<Void>, _ policy: EventStreamPolicy) async throws -> [String] {
        var received: [String] = []
        for try await event in node.serverSentEvents(policy) {
            received.append(event.data)
        }
        return received
    }

    // MARK: - Unsafe requests

    @Test(arguments: [
        // The response, what is received, the code of the error, the number of requests.
        ("whole", ["one", "two"], nil as String?, 1), ("cut", ["one"], "connectionClosed", 1),
        ("refused", ["one", "two"], nil, 2), ("lost", [], "connectionClosed", 1), ("busy", [], "unacceptableStatus", 1),
    ])
    func `a POST that may have had an effect is not sent again`(
        first: String,
        received: [String],
        code: String?,
        requests: Int
    ) async throws {
        let whole = DummyResponse.serverSentEvents([one, two])
        let response: DummyResponse =
            switch first {
            case "whole": whole
            case "cut": cut
            case "refused": .status(.tooManyRequests)
            case "lost": .connectionReset
            default: .status(.serviceUnavailable)
            }
        let client = StubbedClient()
        client.manager.dummies.mode = .strict
        client.manager.dummies.register(Dummy(.post, "/a").responds(response).then(whole).then(.status(.noContent)))
        var found: [String] = []

        do {
            for try await event in node(client).post().serverSentEvents(policy { $0.transientStatuses = [429, 503] }) {
                found.append(event.data)
            }
            #expect(code == nil)
        } catch let error as RestClientError {
            #expect("\(error.code)" == code)
        }

        #expect(found == received)
        #expect(client.manager.dummies.calls.count == requests)
    }

    @Test
    func `a policy can have an unsafe request sent again`() async throws {
        let client = StubbedClient()
        client.manager.dummies.mode = .strict
        client.manager.dummies
            .register(Dummy(.post, "/a").responds(cut).then(.serverSentEvents([two])).then(.status(.noContent)))

        #expect(try await data(node(client).post(), policy { $0.retriesUnsafeRequests = true }) == ["one", "two"])
        #expect(client.manager.dummies.calls.count == 3)
    }

    // MARK: - Error mappers

    @Test(arguments: [false, true])
    func `an interruption stays one, whatever error mappers make of it`(isNodes: Bool) async throws {
        let client = client { dummy in
            dummy.responds(cut).then(.connectionReset).then(.serverSentEvents([two])).then(.status(.noContent))
        }
        var node = node(client)
        if isNodes {
            node = node.mapError { _ in Mine(text: "mapped") }
        } else {
            client.manager.options = client.manager.options.mapError { _ in Mine(text: "mapped") }
        }

        #expect(try await data(node, policy()) == ["one", "two"])
        #expect(client.manager.dummies.calls.count == 4)
    }

    @Test
    func `a transient status interrupts a feed although its body is mapped, and any other one is mapped`() async {
        let client = client { dummy in
            dummy.responds(.json(Problem(message: "busy"), status: .serviceUnavailable))
                .then(.json(Problem(message: "gone"), status: .gone))
        }
        client.manager.options = client.manager.options.mapError(to: Problem.self)
        let log = EventRecorder(client.manager)

        let error = await #expect(throws: Problem.self) {
            try await data(node(client), policy { $0.transientStatuses = [503] })
        }

        #expect(error == Problem(message: "gone"))
        #expect(client.manager.dummies.calls.count == 2)
        let failures = log.events.compactMap { event -> Problem? in
            guard case .callFailed(let error) = event.kind else {
                return nil
            }
            return error as? Problem
        }
        #expect(failures.map(\.message) == ["gone"])
    }

    @Test
    func `what ends a feed is mapped by the node first, and then by the levels, also without a failed call`() async {
        let seen = Recorder<String>()
        let client = client { $0.responds(.text("<html>")) }
        client.manager.options = client.manager.options.mapError { error in
            seen.record("manager")
            return Mine(text: "\(error.code)")
        }
        let node = node(client)
            .mapError { error in
                seen.record("node")
                return error
            }

        let error = await #expect(throws: Mine.self) { try await data(node, policy()) }

        #expect(error == Mine(text: "notAnEventStream"))
        #expect(seen.elements.suffix(2) == ["node", "manager"])
    }

    // MARK: - Silence

    @Test
    func `a feed may be silent for longer than the call's timeout`() async throws {
        let clock = ManualClock()
        let client = client(clock) { $0.responds(.serverSentEvents([one], every: .seconds(100))) }
        let task = Task { try await node(client).serverSentEvents().first { _ in true } }
        try await clock.waitForSleeper(for: .seconds(100))

        clock.advance(by: .seconds(100))

        #expect(try await task.value == one)
        #expect(client.manager.dummies.calls.count == 1)
    }

    @Test
    func `the silence of a server that accepted the feed is no failure`() async throws {
        let clock = ManualClock()
        let client = client(clock) { $0.responds(.serverSentEvents([one], every: .seconds(100))) }
        client.manager.options = client.manager.options.timeouts(idle: .seconds(10))
        var policy = EventStreamPolicy()
        policy.failureLimit = 1
        let task = Task { [policy] in try await data(node(client), policy) }

        for _ in 0..<4 {
            try await clock.waitForSleeper(for: .seconds(10))
            clock.advance(by: .seconds(10))
            // The wait does not grow.
            try await clock.waitForSleeper(for: .seconds(3))
            clock.advance(by: .seconds(3))
        }
        try await clock.waitForSleeper(for: .seconds(10))
        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(client.manager.dummies.calls.count == 5)
    }

    // MARK: - Refusals

    private func guarded(_ clock: ManualClock, _ server: Server) -> StubbedClient {
        let sent = Recorder<Void>()
        let transport = StubTransport { _ in
            sent.record(())
            guard sent.count > 1 else {
                throw RestClientError(.connectionFailed, "")
            }
            return .text("data: one\n\n", headers: [.contentType: "text/event-stream"])
        }
        let client = StubbedClient(transport) { configuration in
            configuration.clock = clock
            configuration = configuration.timeout(nil)
        }
        client.manager.servers["store"] = server
        return client
    }

    @Test
    func `a circuit breaker interrupts a feed until it probes, which is no failure of the server`() async throws {
        let clock = ManualClock()
        let breaker = CircuitBreaker.failures(1, within: .seconds(60), opensFor: .seconds(10))
        let client = guarded(clock, Server("https://api.example.com").circuitBreaker(breaker))
        var policy = EventStreamPolicy()
        policy.failureLimit = 1
        let task = Task { [policy] in try await node(client).serverSentEvents(policy).first { _ in true } }

        try await clock.waitForSleeper(for: .seconds(3))
        clock.advance(by: .seconds(3))
        // It is refused for the rest of the ten seconds.
        try await clock.waitForSleeper(for: .seconds(7))
        #expect(client.requests.count == 1)
        clock.advance(by: .seconds(7))

        #expect(try await task.value == one)
        #expect(client.requests.count == 2)
    }

    @Test
    func `a rate limit interrupts a feed until its turn`() async throws {
        let clock = ManualClock()
        var limit = RateLimit.count(1, per: .seconds(64))
        limit.maximumWait = .seconds(1)
        let client = guarded(clock, Server("https://api.example.com").rateLimit(limit))
        let task = Task { try await node(client).serverSentEvents().first { _ in true } }

        try await clock.waitForSleeper(for: .seconds(3))
        clock.advance(by: .seconds(3))
        try await clock.waitForSleeper(for: .seconds(61))
        #expect(client.requests.count == 1)
        clock.advance(by: .seconds(61))

        #expect(try await task.value == one)
        #expect(client.requests.count == 2)
    }

    @Test
    func `a feed that wants no wait asks a breaker once a second while another call probes`() async throws {
        let clock = ManualClock()
        let gate = Gate()
        let sent = Counter()
        let transport = StubTransport { _ in
            switch sent.next() {
            case 1:
                throw RestClientError(.connectionFailed, "")
            case 2:
                try await gate.wait()
                return RawResponse()
            default:
                return .text("data: one\n\n", headers: [.contentType: "text/event-stream"])
            }
        }
        let client = StubbedClient(transport) { configuration in
            configuration.clock = clock
            configuration = configuration.timeout(nil)
        }
        let breaker = CircuitBreaker.failures(1, within: .seconds(60), opensFor: .seconds(10))
        client.manager.servers["store"] = Server("https://api.example.com").circuitBreaker(breaker)
        await #expect(throws: RestClientError.self) { try await node(client).send() }
        clock.advance(by: .seconds(10))
        let probe = Task { try await node(client).send() }
        try await gate.waitForWaiters(count: 1)
        let refused = EventRecorder(client.manager)

        let task = Task { try await node(client).serverSentEvents(policy()).first { _ in true } }
        for _ in 0..<3 {
            try await clock.waitForSleeper(for: .seconds(1))
            clock.advance(by: .seconds(1))
        }
        try await clock.waitForSleeper(for: .seconds(1))
        #expect(client.requests.count == 2)
        #expect(refused.lines.count { $0.hasPrefix("retryDecided") && $0.hasSuffix("circuitOpen") } == 4)
        #expect(!refused.lines.contains { $0.hasPrefix("callFailed") })
        gate.open()
        try await probe.value
        clock.advance(by: .seconds(1))

        #expect(try await task.value == one)
        #expect(client.requests.count == 3)
    }

    // MARK: - Among the running calls

    @Test
    func `a feed that waits is listed, and ends when it is cancelled there`() async throws {
        let clock = ManualClock()
        let client = client(clock) { $0.responds(.serverSentEvents([one])) }
        let counts = Recorder<Int>()
        let task = Task {
            for try await _ in node(client).tags("screen").serverSentEvents() {
                counts.record(client.manager.calls.running(.tag("screen")).count)
            }
        }
        try await clock.waitForSleeper(for: .seconds(3))

        let waiting = client.manager.calls.running(.tag("screen"))
        #expect(waiting.map(\.request.url) == ["https://api.example.com/v1/a"])
        #expect(counts.elements == [1])
        #expect(client.manager.calls.cancel(.tag("screen")) == 1)

        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(client.manager.calls.running().isEmpty)
        #expect(client.manager.dummies.calls.count == 1)
    }

    @Test
    func `a feed can be cancelled at the moment between its request and its wait`() async throws {
        let client = client { $0.responds(.status(.unauthorized)) }
        let cancelled = Recorder<Int>()
        let manager = client.manager
        // The handler is called when the request has left the table.
        manager.options = manager.options.onRefusedCredentials { _ in
            cancelled.record(manager.calls.cancel(.tag("screen")))
        }

        await #expect(throws: CancellationError.self) {
            try await data(node(client).tags("screen"), policy { $0.transientStatuses = [401] })
        }

        #expect(cancelled.elements == [1])
        #expect(manager.calls.running().isEmpty)
        #expect(manager.dummies.calls.count == 1)
    }

    @Test
    func `cancelling the call of an open feed ends the feed, and counts once`() async throws {
        let client = client { $0.responds(.serverSentEvents([one, two])) }
        let counts = Recorder<Int>()

        await #expect(throws: CancellationError.self) {
            for try await _ in node(client).tags("screen").serverSentEvents(policy()) {
                counts.record(client.manager.calls.cancel(.tag("screen")))
                #expect(client.manager.calls.running().isEmpty)
            }
        }

        #expect(counts.elements == [1])
        #expect(client.manager.dummies.calls.count == 1)
    }

    @Test
    func `waiting for a feed waits for its end, not for that of one request`() async throws {
        let clock = ManualClock()
        let client = client(clock) { $0.responds(.serverSentEvents([one])).then(.status(.noContent)) }
        let ends = Recorder<String>()
        let asked = Recorder<Void>()
        let task = Task {
            let events = try await data(node(client), EventStreamPolicy())
            ends.record("feed")
            return events
        }
        try await clock.waitForSleeper(for: .seconds(3))
        let waiting = Task {
            await client.manager.calls
                .finished(
                    .matching { _ in
                        asked.record(())
                        return true
                    }
                )
            ends.record("waiting")
        }
        _ = try await asked.waitForCount(1)
        #expect(ends.elements.isEmpty)

        clock.advance(by: .seconds(3))

        #expect(try await task.value == ["one"])
        await waiting.value
        #expect(Set(ends.elements) == ["feed", "waiting"])
        #expect(client.manager.dummies.calls.count == 2)
    }

    @Test
    func `the end of a scope ends a feed that waits`() async throws {
        let clock = ManualClock()
        let client = client(clock) { $0.responds(.serverSentEvents([one])) }

        let task = try await client.manager.withCalls {
            let task = Task { try await data(node(client), EventStreamPolicy()) }
            try await clock.waitForSleeper(for: .seconds(3))
            return task
        }

        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(client.manager.dummies.calls.count == 1)
    }

    @Test
    func `a feed keeps its key while it waits, and frees it at its end`() async throws {
        let clock = ManualClock()
        let client = client(clock) { $0.responds(.serverSentEvents([one])).then(.status(.noContent)) }
        let node = node(client).refusingDuplicates(of: "feed")
        let task = Task { try await data(node, EventStreamPolicy()) }
        try await clock.waitForSleeper(for: .seconds(3))

        let error = await #expect(throws: RestClientError.self) { try await node.send() }
        #expect(error?.code == .duplicateCall)
        let other = await #expect(throws: RestClientError.self) { try await data(node, EventStreamPolicy()) }
        #expect(other?.code == .duplicateCall)
        clock.advance(by: .seconds(3))

        #expect(try await task.value == ["one"])
        try await node.send()
    }

    @Test
    func `a feed that its reader leaves is no longer running`() async throws {
        let client = client { $0.responds(.serverSentEvents([one, two])) }

        for try await event in node(client).serverSentEvents() {
            #expect(event == one)
            break
        }

        #expect(client.manager.calls.running().isEmpty)
    }
}
