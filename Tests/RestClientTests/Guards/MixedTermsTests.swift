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
        let known = Machine.Terms(rate: .window(5, per: .seconds(60)))
        let new = Machine.Terms(rate: .window(1, per: .seconds(10)))
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
        #expect(machine.advance(at: .milliseconds(9_999)) == [])
        #expect(machine.callUp(at: .milliseconds(9_999)) == nil)
        #expect(machine.advance(at: .seconds(10)) == [1])
        #expect(machine.callUp(at: .seconds(10)) == 2)
        #expect(machine.wait(of: 2, at: .seconds(10)) == .milliseconds(100))
        #expect(machine.advance(at: .milliseconds(10_100)) == [2])
        #expect(machine.callUp(at: .milliseconds(10_100)) == nil)
    }

    @Test
    func `a call waits behind those that its own rate holds, and not behind others`() {
        var machine = Machine()
        let (number, even) = (Machine.Terms(concurrency: 1), Machine.Terms(rate: .perSecond(1)))
        #expect(Self.enter(&machine, number, at: .zero) == .begin)
        #expect(Self.enter(&machine, number, at: .zero) == .wait(1, .zero))
        #expect(Self.enter(&machine, even, at: .zero) == .wait(2, .zero))
        #expect(Self.enter(&machine, even, at: .zero) == .wait(3, .seconds(1)))
    }

    @Test
    func `a call that heeds the server waits behind those that do, and not behind others`() {
        var machine = Machine()
        let (number, learned) = (Machine.Terms(concurrency: 1), Machine.Terms(rate: .learned))
        #expect(Self.enter(&machine, learned, at: .zero) == .begin)
        var hints = RateHints(status: .ok, headers: [:], now: Date(timeIntervalSince1970: 0))
        hints.quota = RateHints.Quota(remaining: 2, reset: .seconds(10))
        machine.finish(.success, latency: .zero, hints, at: .zero)

        #expect(Self.enter(&machine, number, at: .zero) == .begin)
        #expect(Self.enter(&machine, number, at: .zero) == .wait(1, .zero))
        #expect(Self.enter(&machine, learned, at: .zero) == .wait(2, .zero))
        #expect(Self.enter(&machine, learned, at: .zero) == .wait(3, .seconds(10)))
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
    func `a call with a small number of its own begins although others keep coming that could pass by`() {
        var machine = Machine()
        let (small, large) = (Machine.Terms(concurrency: 1), Machine.Terms(concurrency: 2))
        #expect(Self.enter(&machine, large, at: .zero) == .begin)
        #expect(Self.enter(&machine, large, at: .zero) == .begin)
        #expect(Self.enter(&machine, small, at: .zero) == .wait(1, .zero))

        var begun: [[Machine.Ticket]] = []
        for ticket: Machine.Ticket in 2...4 {
            // Whenever a call ends, another one comes.
            machine.finish(.success, latency: .zero, nil, at: .zero)
            #expect(Self.enter(&machine, large, at: .zero) == .wait(ticket, .zero))
            begun.append(machine.advance(at: .zero))
        }

        #expect(begun == [[], [1, 2], [3]])
    }

    @Test
    func `a call waits for all of its limits, in a line for each`() {
        var (own, shared) = (Machine(), Machine())
        let (pace, window) = (Machine.Terms(rate: .perSecond(1)), Machine.Terms(rate: .window(3, per: .seconds(10))))
        #expect(Self.enter(&own, pace, at: .zero) == .begin)
        #expect(Self.enter(&shared, window, at: .zero) == .begin)

        // The call's own limit holds back the second one, and not the third one.
        #expect(Self.enter(&own, pace, at: .zero) == .wait(1, .seconds(1)))
        #expect(own.advance(at: .seconds(1)) == [1])
        #expect(Self.enter(&shared, window, at: .seconds(1)) == .begin)
        #expect(Self.enter(&own, pace, at: .seconds(2)) == .begin)
        #expect(Self.enter(&shared, window, at: .seconds(2)) == .begin)

        // The shared one holds back the fourth one.
        #expect(Self.enter(&own, pace, at: .seconds(3)) == .begin)
        #expect(Self.enter(&shared, window, at: .seconds(3)) == .wait(1, .seconds(7)))
        #expect(shared.advance(at: .seconds(10)) == [1])
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
        let long = Machine.Terms(rate: .window(5, per: .seconds(60)))
        let even = Machine.Terms(rate: .perSecond(1_000, burst: 1_000))
        for _ in 0..<3 {
            #expect(Self.enter(&machine, long, at: .zero) == .begin)
        }
        // It counts by turns, and keeps no starts.
        #expect(Self.enter(&machine, even, at: .zero) == .begin)
        for _ in 0..<2 {
            #expect(Self.enter(&machine, long, at: .seconds(61)) == .begin)
        }
        let new = Machine.Terms(rate: .window(2, per: .seconds(30)))
        #expect(Self.enter(&machine, new, at: .seconds(62)) == .wait(1, .seconds(29)))
    }

    @Test(
        arguments: [
            (.perSecond(2), .milliseconds(500)), (.perSecond(2, burst: 3), .milliseconds(500)),
            (.perSecond(1, burst: 2), .seconds(1)),
        ] as [(RateLimit, Duration)]
    )
    func `an even pace that is new counts what another one has counted`(new: RateLimit, wait: Duration) {
        var machine = Machine()
        #expect(Self.enter(&machine, Machine.Terms(rate: .perSecond(1)), at: .zero) == .begin)

        #expect(Self.enter(&machine, Machine.Terms(rate: new), at: .zero) == .wait(1, wait))
        #expect(machine.bucketCount == 2)
    }

    @Test
    func `of windows that have counted as many calls, the first one is that by which a new one counts`() {
        var machine = Machine()
        // The first one remembers calls of a tenth of a second together, as the latest of them.
        let (many, few) = (RateLimit.window(1_000, per: .seconds(60)), RateLimit.window(5, per: .seconds(60)))
        for (limit, milliseconds) in [(many, 0), (few, 0), (many, 10)] {
            let now = Duration.milliseconds(milliseconds)
            #expect(Self.enter(&machine, Machine.Terms(rate: limit), at: now) == .begin)
        }

        let new = Machine.Terms(rate: .window(3, per: .seconds(1)))
        #expect(Self.enter(&machine, new, at: .milliseconds(10)) == .wait(1, .seconds(1)))
    }

    @Test(
        arguments: [
            (.perSecond(1), 999, 2), (.perSecond(1), 1_000, 1), (.window(1, per: .seconds(1)), 999, 2),
            (.window(1, per: .seconds(1)), 1_000, 1),
        ] as [(RateLimit, Int, Int)]
    )
    func `a limit that has counted nothing lately is forgotten when another one comes`(
        limit: RateLimit,
        milliseconds: Int,
        count: Int
    ) {
        var machine = Machine()
        #expect(Self.enter(&machine, Machine.Terms(rate: limit), at: .zero) == .begin)

        _ = Self.enter(&machine, Machine.Terms(rate: .perSecond(5)), at: .milliseconds(milliseconds))

        #expect(machine.bucketCount == count)
    }

    @Test
    func `limits are forgotten under steady traffic too, but none that a call in the line waits for`() {
        var machine = Machine()
        let slow = Machine.Terms(rate: .count(1, per: .seconds(3_600)))
        #expect(Self.enter(&machine, slow, at: .zero) == .begin)
        #expect(Self.enter(&machine, slow, at: .zero) == .wait(1, .seconds(3_600)))
        for count in 1...100 {
            let window = Machine.Terms(rate: .window(count, per: .seconds(60)))
            let nested = machine.enter(window, patience: nil, yields: false, at: .zero)
            #expect(nested == .begin)
            #expect(machine.bucketCount <= 16)
        }
        #expect(machine.wait(of: 1, at: .zero) == .seconds(3_600))
        let last = Machine.Terms(rate: .window(101, per: .seconds(60)))
        #expect(Self.enter(&machine, last, at: .zero) == .wait(2, .zero))
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

    /// The longest waits of a limit and of a call in seconds, and whether ten seconds are too long for them.
    static let patiences: [(Int?, Int?, Bool)] = [
        (5, nil, true), (nil, 5, true), (5, 20, true), (20, 5, true), (10, nil, true), (nil, 10, true),
        (20, 20, false), (20, nil, false), (nil, 20, false), (nil, nil, false),
    ]

    @Test(arguments: patiences)
    func `the shorter wait of the call and its limit decides what is too late`(
        limit: Int?,
        call: Int?,
        isTooLate: Bool
    ) {
        var machine = Machine()
        var window = RateLimit.window(1, per: .seconds(10))
        window.maximumWait = limit.map { Duration.seconds($0) }
        let terms = Machine.Terms(rate: window)
        let patience = call.map { Duration.seconds($0) }
        let expected: Machine.Reception = isTooLate ? .tooLate(.seconds(10)) : .wait(1, .seconds(10))

        let first = machine.enter(terms, patience: patience, yields: true, at: .zero)
        let second = machine.enter(terms, patience: patience, yields: true, at: .zero)

        #expect(first == .begin)
        #expect(second == expected)
    }

    @Test
    func `a limit's longest wait concerns its own line, and not that of another limit`() {
        var (own, shared) = (Machine(), Machine())
        var impatient = RateLimit.perSecond(1_000, burst: 1_000)
        impatient.maximumWait = .seconds(5)
        let window = Machine.Terms(rate: .window(1, per: .seconds(10)))
        for expected in [Machine.Reception.begin, .wait(1, .seconds(10))] {
            #expect(Self.enter(&own, Machine.Terms(rate: impatient), at: .zero) == .begin)
            #expect(Self.enter(&shared, window, at: .zero) == expected)
        }
    }

    @Test(arguments: 0..<40)
    func `no window lets more calls begin than its number, whichever limits others have`(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var lines = Lines()
        for _ in 0..<600 {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0, 1:
                lines.enter(Int.random(in: 0..<Lines.own.count, using: &generator))
            case 2:
                let waiting = lines.places.indices.filter { !lines.places[$0].waiting.isEmpty }
                if let place = waiting.randomElement(using: &generator) {
                    let index = Int.random(in: 0..<lines.places[place].waiting.count, using: &generator)
                    let ticket = lines.places[place].waiting.remove(at: index).ticket
                    _ = lines.places[place].machine.leave(ticket)
                }
            default:
                lines.now += .milliseconds(Int.random(in: 0...700, using: &generator))
            }
            lines.advance()
        }
        let (shared, window) = (lines.places[0].begun, lines.places[1].begun)
        #expect(shared.count > 20)
        #expect(window.count > 5)
        for (index, start) in shared.enumerated() {
            #expect(shared[...index].count(where: { start - $0 < .seconds(4) }) <= 6)
        }
        for (index, start) in window.enumerated() {
            #expect(window[...index].count(where: { start - $0 < .seconds(1) }) <= 2)
        }
    }

    /// The line of a shared window, and those of calls' own limits, which lead to it.
    private struct Lines {
        /// A line, and those who wait there.
        struct Place {
            var machine = Machine()
            var waiting: [(ticket: Machine.Ticket, kind: Int)] = []
            var begun: [Duration] = []
        }

        /// The own limits of the kinds of calls; the first kind has none.
        static let own: [RateLimit?] = [nil, .window(2, per: .seconds(1)), .perSecond(3)]
        private static let shared = RateLimit.window(6, per: .seconds(4))

        var now = Duration.zero
        /// That of the shared window, and then that of each kind with a limit of its own.
        var places = Lines.own.map { _ in Place() }

        /// A call of a kind comes.
        mutating func enter(_ kind: Int) {
            enter(kind, at: kind)
        }

        private mutating func enter(_ kind: Int, at place: Int) {
            switch MixedTermsTests.enter(&places[place].machine, Self.terms(of: kind, at: place), at: now) {
            case .begin:
                let isNext = places[place].waiting.isEmpty
                #expect(isNext)
                begin(kind, at: place)
            case .wait(let ticket, _):
                places[place].waiting.append((ticket, kind))
            case .tooLate:
                Issue.record("nobody is in a hurry")
            }
        }

        private static func terms(of kind: Int, at place: Int) -> Machine.Terms {
            guard place == 0 else {
                return Machine.Terms(rate: own[kind])
            }
            // Calls of one kind come with a number besides, which holds back none of them.
            return Machine.Terms(rate: shared, concurrency: kind == 2 ? 10_000 : nil)
        }

        /// Counts the start of a call, which enters the shared line behind its own one.
        private mutating func begin(_ kind: Int, at place: Int) {
            places[place].begun.append(now)
            if place != 0 {
                enter(kind, at: 0)
            }
        }

        /// Lets those begin whose turn it is, in the shared line last.
        mutating func advance() {
            for place in places.indices.reversed() {
                for ticket in places[place].machine.advance(at: now) {
                    let call = places[place].waiting.removeFirst()
                    #expect(ticket == call.ticket)
                    begin(call.kind, at: place)
                }
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
                .prepare(node.specification, CallContext.Beginning(id: .next(), start: .zero))
        }
        let (line, time) = (client.manager.guards[GuardKey(server: "store")], client.manager.core.clock)
        let (first, second, third) = (try call(), try call(), try call())
        let slow = Machine.Terms(rate: .window(1, per: .seconds(10)))
        /// Enters the line; returns how long the call waited, or `nil` if it did not.
        @Sendable
        func enter(_ terms: Machine.Terms, _ call: CallContext, onWait: () -> Void = {}) async throws -> Duration? {
            let asked = time.now()
            guard case .wait(let ticket, let wait) = line.receive(terms, call, at: asked) else {
                return nil
            }
            onWait()
            try await line.wait(ticket, wait, call)
            return time.now() - asked
        }
        _ = try await enter(slow, first)
        let head = Task { try await enter(slow, second) }
        try await clock.waitForSleeper(for: .seconds(10))
        let stands = Gate()
        let behind = Task {
            // Nothing but the head holds it back, so that it has no time at which to look.
            try await enter(Machine.Terms(rate: .perSecond(10)), third) { stands.open() }
        }
        try await stands.wait()

        clock.advance(by: .seconds(10))
        _ = try await head.value
        try await clock.waitForSleeper(for: .milliseconds(100))
        clock.advance(by: .milliseconds(100))

        #expect(try await behind.value == .milliseconds(10_100))
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
