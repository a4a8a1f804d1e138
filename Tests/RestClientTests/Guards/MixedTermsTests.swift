// SPDX-License-Identifier: MIT

import RestEssentials
import SeededRandom
import TestSupport
import Testing

@testable import RestClient

/// Calls with different limits at one place, and calls whose own limit holds besides one that others share.
@Suite(.timeLimit(.minutes(5)))
struct MixedTermsTests {
    typealias Machine = AdmissionStateMachine

    private static func enter(_ machine: inout Machine, _ terms: Machine.Terms, at now: Duration) -> Machine.Reception {
        machine.enter(terms, patience: nil, yields: true, at: now)
    }

    private static func terms(_ rates: RateLimit...) -> Machine.Terms {
        var terms = Machine.Terms()
        terms.rates = rates
        return terms
    }

    // MARK: - In the line

    @Test
    func `a window counts calls that come with other limits`() {
        var machine = Machine()
        let window = Machine.Terms(rate: .window(2, per: .seconds(10)))
        let other = Machine.Terms(rate: .perSecond(1_000, burst: 1_000))
        #expect(Self.enter(&machine, window, at: .zero) == .begin)
        #expect(Self.enter(&machine, other, at: .seconds(1)) == .begin)
        #expect(Self.enter(&machine, window, at: .seconds(2)) == .wait(1, .seconds(8)))
        #expect(machine.available == 0)
    }

    @Test
    func `a window that is new counts what another one has counted`() {
        var machine = Machine()
        let (known, new) = (Self.terms(.window(5, per: .seconds(60))), Self.terms(.window(1, per: .seconds(10))))
        #expect(Self.enter(&machine, known, at: .zero) == .begin)
        #expect(Self.enter(&machine, new, at: .seconds(4)) == .wait(1, .seconds(6)))
    }

    @Test
    func `each call in the line waits for its own limits`() {
        var machine = Machine()
        let slow = Machine.Terms(rate: .window(1, per: .seconds(10)))
        let fast = Machine.Terms(rate: .perSecond(10))
        #expect(Self.enter(&machine, slow, at: .zero) == .begin)
        #expect(Self.enter(&machine, slow, at: .zero) == .wait(1, .seconds(10)))
        #expect(Self.enter(&machine, fast, at: .zero) == .wait(2, .zero))
        #expect(machine.isMixed)
        #expect(machine.advance(at: .milliseconds(9_999)) == [])
        #expect(machine.advance(at: .seconds(10)) == [1])
        #expect(machine.wait(of: 2, at: .seconds(10)) == .milliseconds(100))
        #expect(machine.advance(at: .milliseconds(10_100)) == [2])
        #expect(!machine.isMixed)
    }

    @Test
    func `each call in the line waits for its own number`() {
        var machine = Machine()
        #expect(Self.enter(&machine, Machine.Terms(concurrency: 1), at: .zero) == .begin)
        #expect(Self.enter(&machine, Machine.Terms(concurrency: 1), at: .zero) == .wait(1, .zero))
        #expect(Self.enter(&machine, Machine.Terms(concurrency: 2), at: .zero) == .wait(2, .zero))
        #expect(machine.advance(at: .zero) == [])
        machine.finish(.success, latency: .zero, nil, at: .zero)
        #expect(machine.advance(at: .zero) == [1, 2])
    }

    @Test
    func `a call waits for all of its limits`() {
        var machine = Machine()
        let both = Self.terms(.perSecond(1), .window(3, per: .seconds(10)))
        #expect(Self.enter(&machine, both, at: .zero) == .begin)
        #expect(Self.enter(&machine, both, at: .zero) == .wait(1, .seconds(1)))
        #expect(machine.advance(at: .seconds(1)) == [1])
        #expect(Self.enter(&machine, both, at: .seconds(2)) == .begin)
        #expect(Self.enter(&machine, both, at: .seconds(3)) == .wait(2, .seconds(7)))
        #expect(machine.advance(at: .seconds(10)) == [2])
    }

    @Test
    func `calls that an even pace does not hold leave it no debt`() {
        var machine = Machine()
        let even = Machine.Terms(rate: .perSecond(1))
        let other = Machine.Terms(concurrency: 100)
        #expect(Self.enter(&machine, even, at: .zero) == .begin)
        for _ in 0..<50 {
            #expect(Self.enter(&machine, other, at: .seconds(1)) == .begin)
        }
        #expect(Self.enter(&machine, even, at: .seconds(1)) == .wait(1, .seconds(1)))
    }

    @Test
    func `calls that an even pace does not hold leave it the part of a turn that has come`() {
        var machine = Machine()
        let even = Machine.Terms(rate: .perSecond(1))
        #expect(Self.enter(&machine, even, at: .zero) == .begin)
        for milliseconds in [250, 500, 750] {
            let nested = machine.enter(even, patience: nil, yields: false, at: .milliseconds(milliseconds))
            #expect(nested == .begin)
        }
        #expect(Self.enter(&machine, even, at: .milliseconds(750)) == .wait(1, .milliseconds(250)))
        #expect(machine.advance(at: .seconds(1)) == [1])

        // A whole turn is taken.
        let nested = machine.enter(even, patience: nil, yields: false, at: .seconds(2))
        #expect(nested == .begin)
        #expect(Self.enter(&machine, even, at: .seconds(2)) == .wait(2, .seconds(1)))
    }

    @Test
    func `a window that is new counts what the latest ones have counted, and not what is long ago`() {
        var machine = Machine()
        let long = Self.terms(.window(5, per: .seconds(60)))
        for _ in 0..<3 {
            #expect(Self.enter(&machine, long, at: .zero) == .begin)
        }
        // It counts by turns, and keeps no starts.
        #expect(Self.enter(&machine, Self.terms(.perSecond(1_000, burst: 1_000)), at: .zero) == .begin)
        for _ in 0..<2 {
            #expect(Self.enter(&machine, long, at: .seconds(61)) == .begin)
        }
        let new = Self.terms(.window(2, per: .seconds(30)))
        #expect(Self.enter(&machine, new, at: .seconds(62)) == .wait(1, .seconds(29)))
    }

    @Test
    func `limits are forgotten under steady traffic too, but none that a call in the line waits for`() {
        var machine = Machine()
        let slow = Self.terms(.count(1, per: .seconds(3_600)))
        #expect(Self.enter(&machine, slow, at: .zero) == .begin)
        #expect(Self.enter(&machine, slow, at: .zero) == .wait(1, .seconds(3_600)))
        for count in 1...100 {
            let window = Self.terms(.window(count, per: .seconds(60)))
            let nested = machine.enter(window, patience: nil, yields: false, at: .zero)
            #expect(nested == .begin)
            #expect(machine.bucketCount <= 16)
        }
        #expect(machine.wait(of: 1, at: .zero) == .seconds(3_600))
        #expect(Self.enter(&machine, Self.terms(.window(101, per: .seconds(60))), at: .zero) == .wait(2, .zero))
        // The nested calls are counted, although most of their windows are forgotten.
        #expect(machine.available == 1)
    }

    @Test
    func `an adaptive number learns from its calls, also after one without a number`() {
        var machine = Machine()
        let adaptive = Machine.Terms(concurrency: .adaptive())
        #expect(Self.enter(&machine, adaptive, at: .zero) == .begin)
        let before = machine.limit
        #expect(Self.enter(&machine, Machine.Terms(rate: .perSecond(1)), at: .zero) == .begin)
        #expect(machine.needsLatency)

        for _ in 0..<2 {
            machine.finish(.failure, latency: .zero, nil, at: .zero)
        }

        #expect(machine.limit ?? 0 < before ?? 0)
    }

    @Test
    func `the shortest wait of all limits decides what is too late`() {
        var machine = Machine()
        var impatient = RateLimit.perSecond(1_000, burst: 1_000)
        impatient.maximumWait = .seconds(5)
        let terms = Self.terms(impatient, .window(1, per: .seconds(10)))
        #expect(Self.enter(&machine, terms, at: .zero) == .begin)
        #expect(Self.enter(&machine, terms, at: .zero) == .tooLate(.seconds(10)))
    }

    @Test(arguments: 0..<40)
    func `no window lets more calls begin than its number, whichever limits others have`(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        // The shared window is longer than the own one, so that its log has all that the own one needs.
        let shared = RateLimit.window(6, per: .seconds(4))
        let kinds = [
            Self.terms(shared), Self.terms(.window(2, per: .seconds(1)), shared), Self.terms(.perSecond(3), shared),
        ]
        var machine = Machine()
        var now = Duration.zero
        var kindsInLine: [Machine.Ticket: Int] = [:]
        var waiting: [Machine.Ticket] = []
        var begun: [(at: Duration, kind: Int)] = []
        for _ in 0..<600 {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0, 1:
                let kind = Int.random(in: 0..<kinds.count, using: &generator)
                switch Self.enter(&machine, kinds[kind], at: now) {
                case .begin:
                    #expect(waiting.isEmpty)
                    begun.append((now, kind))
                case .wait(let ticket, _):
                    kindsInLine[ticket] = kind
                    waiting.append(ticket)
                case .tooLate: Issue.record("nobody is in a hurry")
                }
            case 2 where !waiting.isEmpty:
                let index = Int.random(in: 0..<waiting.count, using: &generator)
                _ = machine.leave(waiting.remove(at: index))
            default:
                now += .milliseconds(Int.random(in: 0...700, using: &generator))
            }
            for ticket in machine.advance(at: now) {
                #expect(ticket == waiting.removeFirst())
                begun.append((now, kindsInLine[ticket] ?? 0))
            }
        }
        #expect(begun.count > 20)
        for (index, start) in begun.enumerated() {
            #expect(begun[...index].count(where: { start.at - $0.at < .seconds(4) }) <= 6)
            if start.kind == 1 {
                #expect(begun[...index].count(where: { start.at - $0.at < .seconds(1) }) <= 2)
            }
        }
    }

    @Test
    func `a call looks again when one before it begins that its own limits have to count`() async throws {
        let clock = ManualClock()
        let client = StubbedClient(StubTransport { _ in .text("7") }) { $0.clock = clock }
        func call() throws -> CallContext {
            let node = client.manager.request(Void.self).endpoint("/a").timeout(nil)
            return try client.manager.runner
                .resolve(node.specification, CallBeginning(id: .next(), start: .zero)).request.call
        }
        let line = client.manager.guards[GuardKey(server: "store")]
        let (first, second, third) = (try call(), try call(), try call())
        let slow = Machine.Terms(rate: .window(1, per: .seconds(10)))
        _ = try await line.enter(slow, first) {}
        let head = Task { try await line.enter(slow, second) {} }
        try await clock.waitForSleeper(for: .seconds(10))
        let stands = Gate()
        let behind = Task {
            // Nothing but the head holds it back, so that it has no time at which to look.
            try await line.enter(Machine.Terms(rate: .perSecond(10)), third) { stands.open() }
        }
        try await stands.wait()

        clock.advance(by: .seconds(10))
        _ = try await head.value
        try await clock.waitForSleeper(for: .milliseconds(100))
        clock.advance(by: .milliseconds(100))

        guard case .after(let wait) = try await behind.value else {
            Issue.record("it did not wait")
            return
        }
        #expect(wait == .milliseconds(10_100))
    }

    // MARK: - A call's own limit

    /// A client whose level has a limit of one call in a minute, and an operation of its server.
    private static func client(
        _ level: CallOptions.Level,
        _ limit: RateLimit = .window(1, per: .seconds(60)),
        _ clock: ManualClock = ManualClock()
    ) -> (client: StubbedClient, operation: APIAlias<Void>) {
        let client = StubbedClient(StubTransport { _ in .text("7") }) { configuration in
            configuration.clock = clock
            configuration = configuration.timeout(.seconds(10))
        }
        let operation = APIAlias<Void>("operation")
        let server = Server("https://api.example.com/v1")
        let api = API(.get, "/a", server: "store")
        client.manager.servers["store"] = level == .server ? server.rateLimit(limit) : server
        client.manager.apis[operation] = level == .api ? api.rateLimit(limit) : api
        if level == .manager {
            client.manager.options = client.manager.options.rateLimit(limit)
        }
        return (client, operation)
    }

    @Test(arguments: [CallOptions.Level.manager, .server, .api])
    func `a limit of its own does not free a call from the one that others share`(level: CallOptions.Level) async throws
    {
        let (client, operation) = Self.client(level)
        let node = client.manager.request(operation)
        let own = node.rateLimit(.perSecond(1_000, burst: 1_000))
        try await own.send()

        // The shared window has counted the first call.
        for next in [node, own] {
            let error = await #expect(throws: RestClientError.self) { try await next.send() }
            #expect(error?.code == .rateLimitExceeded)
        }
        #expect(client.requests.count == 1)
        #expect(client.manager.guards.snapshots.allSatisfy { $0.running == 0 && $0.waiting == 0 })
    }

    @Test(arguments: [CallOptions.Level.manager, .server])
    func `a call is held to its own limit too, and others are not`(level: CallOptions.Level) async throws {
        let (client, operation) = Self.client(level, .perSecond(1_000, burst: 1_000))
        let node = client.manager.request(operation)
        let own = node.rateLimit(.count(1, per: .seconds(60)))
        try await own.send()

        let error = await #expect(throws: RestClientError.self) { try await own.send() }
        try await node.send()

        #expect(error?.code == .rateLimitExceeded)
        #expect(client.requests.count == 2)
    }

    @Test(arguments: [CallOptions.Level.manager, .server, .api])
    func `a call that waits for its own limit holds up no other one`(level: CallOptions.Level) async throws {
        let clock = ManualClock()
        let (client, operation) = Self.client(level, .perSecond(1_000, burst: 1_000), clock)
        let node = client.manager.request(operation)
        let own = node.rateLimit(.window(1, per: .seconds(5)))
        try await own.send()
        let held = Task { try await own.send() }
        try await clock.waitForSleeper(for: .seconds(5))

        try await node.send()
        try await node.rateLimit(.window(2, per: .seconds(5))).send()
        #expect(client.requests.count == 3)

        clock.advance(by: .seconds(5))
        try await held.value
        #expect(client.requests.count == 4)
        let limits = client.manager.guards.snapshots.map(\.rateLimit)
        #expect(limits == [nil, "1 calls in any 5.0 seconds", "2 calls in any 5.0 seconds"])
    }

    @Test(arguments: [CallOptions.Level.manager, .server, .api])
    func `a call that the shared limit refuses keeps its own turn`(level: CallOptions.Level) async throws {
        let clock = ManualClock()
        let (client, operation) = Self.client(level, .window(1, per: .seconds(60)), clock)
        let node = client.manager.request(operation)
        let own = node.rateLimit(.window(1, per: .seconds(3_600)))
        try await node.send()

        let error = await #expect(throws: RestClientError.self) { try await own.send() }
        clock.advance(by: .seconds(60))
        try await own.send()

        #expect(error?.code == .rateLimitExceeded)
        #expect(client.requests.count == 2)
    }

    @Test(arguments: [CallOptions.Level.server, .api])
    func `the number of calls is limited beside both`(level: CallOptions.Level) async throws {
        let (client, operation) = Self.client(level, .window(2, per: .seconds(60)))
        client.manager.options = client.manager.options.concurrency(4).circuitBreaker(.standard)
        let own = client.manager.request(operation).rateLimit(.perSecond(1_000, burst: 1_000))
        try await own.send()
        try await own.send()

        let error = await #expect(throws: RestClientError.self) { try await own.send() }

        #expect(error?.code == .rateLimitExceeded)
        #expect(client.requests.count == 2)
        let apis: [String?] = level == .server ? [nil, "operation"] : [nil, "operation", "operation"]
        #expect(client.manager.guards.snapshots.map(\.api) == apis)
        #expect(client.manager.guards.snapshots.allSatisfy { $0.running == 0 && $0.waiting == 0 })
    }

    @Test
    func `among processes, a limit of its own does not free a call from the one that others share`() async throws {
        let directory = try TemporaryDirectory()
        let limit = RateLimit.window(1, per: .seconds(3_600)).sharedAcrossProcesses()
        let own = RateLimit.perSecond(1_000, burst: 1_000).sharedAcrossProcesses()
        let (first, operation) = Self.client(.api, limit)
        let (second, _) = Self.client(.api, limit)
        for client in [first, second] {
            try client.manager.persist(in: directory.url)
        }
        try await first.manager.request(operation).rateLimit(own).send()

        let error = await #expect(throws: RestClientError.self) {
            try await second.manager.request(operation).rateLimit(own).send()
        }

        #expect(error?.code == .rateLimitExceeded)
        #expect(second.requests.isEmpty)
        #expect(directory.names.contains("rate-limits.sqlite"))
    }
}
