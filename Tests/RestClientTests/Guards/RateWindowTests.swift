// SPDX-License-Identifier: MIT

import RestEssentials
import SeededRandom
import TestSupport
import Testing

@testable import RestClient

/// Rate limits by a sliding window.
@Suite(.timeLimit(.minutes(5)))
struct RateWindowTests {
    typealias Machine = AdmissionStateMachine

    /// The largest number of instants in any span of a length.
    private static func most(_ instants: [Duration], within length: Duration) -> Int {
        instants.indices
            .map { index in instants[index...].prefix { $0 - instants[index] < length }.count }
            .max() ?? 0
    }

    // MARK: - Beside a token bucket

    @Test(arguments: [
        (RateLimit.count(100, per: .seconds(60), burst: 100), 199),
        (.window(100, per: .seconds(60)), 100),
    ])
    func `a bucket and its refill may begin in one minute, a window never lets more begin`(limit: RateLimit, most: Int)
    {
        var machine = Machine()
        var (now, begun) = (Duration.zero, [Duration]())
        for step in 0..<400 {
            now = .milliseconds(300 * step)
            if case .begin = machine.enter(.init(rate: limit), patience: .zero, yields: true, at: now) {
                begun.append(now)
            }
            // The burst at the beginning.
            while step == 0, case .begin = machine.enter(.init(rate: limit), patience: .zero, yields: true, at: now) {
                begun.append(now)
            }
        }
        #expect(Self.most(begun, within: .seconds(60)) == most)
    }

    // MARK: - In the line

    @Test
    func `all calls of a window begin at once, and the next ones when these are a period ago`() {
        var machine = Machine()
        let terms = Machine.Terms(rate: .window(2, per: .seconds(10)))
        func enter(_ seconds: Int) -> Machine.Reception {
            machine.enter(terms, patience: nil, yields: true, at: .seconds(seconds))
        }
        #expect(enter(0) == .begin)
        #expect(machine.available == 1)
        #expect(enter(4) == .begin)
        #expect(machine.available == 0)
        let receptions = (0..<5).map { _ in enter(5) }
        #expect(
            receptions == [
                .wait(1, .seconds(5)), .wait(2, .seconds(9)), .wait(3, .seconds(15)), .wait(4, .seconds(19)),
                .wait(5, .seconds(25)),
            ]
        )
        var begun: [[Machine.Ticket]] = []
        for seconds in [9, 10, 13, 14, 19, 20, 24, 30] {
            begun.append(machine.advance(at: .seconds(seconds)))
        }
        #expect(begun == [[], [1], [], [2], [], [3], [4], [5]])
        machine.refill(at: .seconds(40))
        #expect(machine.available == 2)
    }

    @Test
    func `one that leaves lets those behind it move up, and one that is too late does not wait`() {
        var machine = Machine()
        let terms = Machine.Terms(rate: .window(1, per: .seconds(10)))
        for _ in 0..<3 {
            _ = machine.enter(terms, patience: nil, yields: true, at: .zero)
        }
        let late = machine.enter(terms, patience: .seconds(30), yields: true, at: .zero)
        #expect(late == .tooLate(.seconds(30)))
        #expect(machine.wait(of: 2, at: .zero) == .seconds(20))
        _ = machine.leave(1)
        #expect(machine.wait(of: 2, at: .zero) == .seconds(10))
    }

    @Test
    func `what must not wait counts`() {
        var machine = Machine()
        let terms = Machine.Terms(rate: .window(1, per: .seconds(10)))
        _ = machine.enter(terms, patience: nil, yields: true, at: .zero)
        let nested = machine.enter(terms, patience: nil, yields: false, at: .seconds(5))
        let next = machine.enter(terms, patience: nil, yields: true, at: .seconds(6))
        #expect(nested == .begin)
        #expect(next == .wait(1, .seconds(9)))
    }

    @Test
    func `the server's word counts besides, and its release forgets both`() {
        var machine = Machine()
        let terms = Machine.Terms(rate: .window(5, per: .seconds(10)))
        _ = machine.enter(terms, patience: nil, yields: true, at: .zero)
        var hints = RateHints(status: .ok, headers: [:], now: Date(timeIntervalSince1970: 0))
        hints.quota = .init(remaining: 1, reset: .seconds(60))
        machine.finish(.success, latency: .zero, hints, at: .zero)
        #expect(machine.available == 1)
        _ = machine.enter(terms, patience: nil, yields: true, at: .zero)
        let held = machine.enter(terms, patience: nil, yields: true, at: .zero)
        #expect(held == .wait(1, .seconds(60)))
        machine.forgetRate()
        let begun = machine.advance(at: .zero)
        #expect(begun == [1])
        #expect(machine.available == 4)
    }

    @Test(arguments: 0..<40)
    func `never more calls begin within any period, and all in their order`(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let count = Int.random(in: 1...20, using: &generator)
        let period = Duration.microseconds(Int.random(in: 1...2_000_000, using: &generator))
        let terms = Machine.Terms(rate: .window(count, per: period))
        var machine = Machine()
        var now = Duration.zero
        var begun: [Duration] = []
        var waiting: [Machine.Ticket] = []
        for _ in 0..<600 {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0, 1:
                switch machine.enter(terms, patience: nil, yields: true, at: now) {
                case .begin:
                    #expect(waiting.isEmpty)
                    begun.append(now)
                case .wait(let ticket, let wait):
                    #expect(wait > .zero)
                    waiting.append(ticket)
                case .tooLate: Issue.record("nobody is in a hurry")
                }
            case 2 where !waiting.isEmpty:
                let index = Int.random(in: 0..<waiting.count, using: &generator)
                _ = machine.leave(waiting.remove(at: index))
            default:
                now += period / count * Int.random(in: 0...4, using: &generator)
            }
            // Nobody who waits could begin earlier than the machine says.
            let announced = waiting.first.flatMap { machine.wait(of: $0, at: now) }
            for ticket in machine.advance(at: now) {
                #expect(ticket == waiting.removeFirst())
                #expect(announced == .zero)
                begun.append(now)
            }
        }
        #expect(Self.most(begun, within: period) <= count)
        #expect(begun.count > count)
    }

    // MARK: - Calls

    @Test
    func `calls wait for a window on the client's clock, and a release lets them begin`() async throws {
        let clock = ManualClock()
        let client = StubbedClient(StubTransport { _ in .text("7") }) { configuration in
            configuration.clock = clock
            configuration = configuration.timeout(.seconds(600))
        }
        client.manager.servers["store"] = Server("https://api.example.com/v1").rateLimit(.window(2, per: .seconds(60)))
        let node = client.manager.request(Void.self).endpoint("/a")
        try await node.send()
        clock.advance(by: .seconds(10))
        try await node.send()
        #expect(client.manager.guards["store"]?.available == 0)

        let third = Task { try await node.send() }
        try await clock.waitForSleeper(for: .seconds(50))
        clock.advance(by: .seconds(49))
        #expect(client.requests.count == 2)
        clock.advance(by: .seconds(1))
        try await third.value
        #expect(client.requests.count == 3)

        let fourth = Task { try await node.send() }
        try await clock.waitForSleeper(for: .seconds(10))
        client.manager.guards.release("store")
        try await fourth.value
        #expect(client.requests.count == 4)
    }

    @Test
    func `a release ends a pause that the server has asked for`() async throws {
        let clock = ManualClock()
        let responses = [RawResponse.status(.tooManyRequests, headers: [.retryAfter: "86000"]), .status(.ok)]
        let client = StubbedClient(StubTransport(answering: responses)) { configuration in
            configuration.clock = clock
            configuration = configuration.timeout(.seconds(10))
        }
        client.manager.servers["store"] = Server("https://api.example.com/v1").rateLimit(.learned)
        _ = await client.failure { $0.endpoint("/a") }
        let refused = await client.failure { $0.endpoint("/a") }
        #expect(refused?.code == .rateLimitExceeded)

        client.manager.guards.release("store")

        try await client.manager.request(Void.self).endpoint("/a").send()
        #expect(client.requests.count == 2)
    }
}
