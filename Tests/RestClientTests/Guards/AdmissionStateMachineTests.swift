// SPDX-License-Identifier: MIT

import RestEssentials
import SeededRandom
import Testing

@testable import RestClient

@Suite
struct AdmissionStateMachineTests {
    typealias Machine = AdmissionStateMachine

    private static func ticket(_ reception: Machine.Reception) -> Machine.Ticket? {
        guard case .wait(let ticket, _) = reception else {
            return nil
        }
        return ticket
    }

    @Test
    func `calls begin evenly spread, and wait as long as their place in the line says`() {
        let machine = Line()
        let terms = Machine.Terms(rate: .perSecond(10))
        #expect(machine.enter(terms) == .begin)
        #expect(machine.enter(terms) == .wait(1, .milliseconds(100)))
        #expect(machine.enter(terms) == .wait(2, .milliseconds(200)))
        #expect(machine.advance(at: .milliseconds(99)) == [])
        #expect(machine.advance(at: .milliseconds(100)) == [1])
        #expect(machine.advance(at: .milliseconds(150)) == [])
        #expect(machine.advance(at: .milliseconds(200)) == [2])
    }

    @Test
    func `a burst begins at once, and is not saved up beyond its size`() {
        let machine = Line()
        let terms = Machine.Terms(rate: .perSecond(10, burst: 3))
        for _ in 0..<3 {
            #expect(machine.enter(terms) == .begin)
        }
        #expect(Self.ticket(machine.enter(terms)) == 1)
        _ = machine.advance(at: .seconds(100))
        for _ in 0..<2 {
            #expect(machine.enter(terms, at: .seconds(100)) == .begin)
        }
        #expect(Self.ticket(machine.enter(terms, at: .seconds(100))) != nil)
    }

    @Test
    func `nobody overtakes the line`() {
        let machine = Line()
        let terms = Machine.Terms(concurrency: 1)
        #expect(machine.enter(terms) == .begin)
        #expect(Self.ticket(machine.enter(terms)) == 1)
        #expect(Self.ticket(machine.enter(terms)) == 2)
        machine.finish(.success, latency: .zero, nil, at: .zero)
        #expect(Self.ticket(machine.enter(terms)) == 3)
        #expect(machine.advance(at: .zero) == [1])
        #expect(machine.running == 1)
        #expect(machine.waitingCount == 2)
    }

    @Test
    func `one that leaves lets those behind it move up`() {
        let machine = Line()
        let terms = Machine.Terms(rate: .perSecond(1))
        _ = machine.enter(terms)
        for _ in 0..<3 {
            _ = machine.enter(terms)
        }
        #expect(machine.wait(of: 3, at: .zero) == .seconds(3))
        #expect(machine.leave(1) == [2, 3])
        #expect(machine.wait(of: 3, at: .zero) == .seconds(2))
        #expect(machine.leave(1) == nil)
        #expect(machine.advance(at: .seconds(1)) == [2])
    }

    @Test
    func `one whose turn would come too late does not wait`() {
        let machine = Line()
        let terms = Machine.Terms(rate: .perSecond(1))
        _ = machine.enter(terms)
        #expect(machine.enter(terms, patience: .milliseconds(900)) == .tooLate(.seconds(1)))
        #expect(machine.enter(terms, patience: .seconds(1)) == .tooLate(.seconds(1)))
        #expect(Self.ticket(machine.enter(terms, patience: .milliseconds(1_100))) == 1)
        var short = RateLimit.perSecond(1)
        short.maximumWait = .seconds(1)
        #expect(machine.enter(Machine.Terms(rate: short)) == .tooLate(.seconds(2)))
        #expect(machine.waitingCount == 1)
    }

    @Test
    func `what must not wait exceeds the limit, and is counted`() {
        let machine = Line()
        let terms = Machine.Terms(concurrency: 1)
        _ = machine.enter(terms)
        #expect(machine.enter(terms, patience: nil, yields: false, at: .zero) == .begin)
        #expect(machine.running == 2)
        #expect(Self.ticket(machine.enter(terms)) == 1)
        // Past those who wait, too.
        #expect(machine.enter(terms, patience: nil, yields: false, at: .zero) == .begin)
        #expect(machine.running == 3)
        for _ in 0..<2 {
            machine.finish(.success, latency: .zero, nil, at: .zero)
            #expect(machine.advance(at: .zero) == [])
        }
        machine.finish(.success, latency: .zero, nil, at: .zero)
        #expect(machine.advance(at: .zero) == [1])
    }

    @Test
    func `one that only the number holds back is never too late`() {
        let machine = Line()
        let terms = Machine.Terms(concurrency: 1)
        _ = machine.enter(terms)
        #expect(machine.enter(terms, patience: .zero) == .wait(1, .zero))
    }

    private static let limits: [(terms: Machine.Terms, words: String, needsLatency: Bool)] = [
        (Machine.Terms(rate: .perSecond(1)), "rate is limited", false),
        (Machine.Terms(concurrency: .fixed(1)), "number of calls is limited", false),
        (Machine.Terms(concurrency: .adaptive()), "number of calls is limited", true),
        (Machine.Terms(rate: .perSecond(1), concurrency: .fixed(1)), "rate and number of calls are limited", false),
    ]

    @Test(arguments: limits.indices)
    func `limits have words, and the time of calls counts for an adaptive number alone`(index: Int) {
        let (terms, words, needsLatency) = Self.limits[index]
        var machine = Machine()

        _ = machine.enter(terms, patience: nil, yields: true, at: .zero)

        #expect(terms.limited == words)
        #expect(machine.needsLatency == needsLatency)
    }

    @Test
    func `a clock that goes back takes nothing away and gives nothing`() {
        let machine = Line()
        let terms = Machine.Terms(rate: .perSecond(1, burst: 2))
        #expect(machine.enter(terms, at: .seconds(10)) == .begin)
        #expect(machine.enter(terms, at: .seconds(5)) == .begin)
        #expect(machine.enter(terms, at: .seconds(5)) == .wait(1, .seconds(1)))
        #expect(machine.advance(at: .seconds(6)) == [1])
    }

    @Test
    func `it says how many calls could begin`() {
        let machine = Line()
        #expect(machine.available == nil)
        let terms = Machine.Terms(rate: .perSecond(10, burst: 3))
        _ = machine.enter(terms)
        #expect(machine.available == 2)
        var hints = RateHints(status: .ok, headers: [:], now: Date(timeIntervalSince1970: 0))
        hints.quota = .init(remaining: 1, reset: .seconds(60))
        machine.finish(.success, latency: .zero, hints, at: .zero)
        #expect(machine.available == 1)
        _ = machine.enter(terms)
        #expect(machine.available == 0)

        let spent = Line()
        for _ in 0..<3 {
            _ = spent.enter(terms)
        }
        #expect(spent.available == 0)
    }

    // MARK: - What the server says

    /// A machine with one call under way, whose server has said something at a time.
    private static func told(
        _ rate: RateLimit = .learned,
        pause: Duration? = nil,
        quota: RateHints.Quota? = nil,
        at now: Duration = .zero
    ) -> Line {
        let machine = Line()
        _ = machine.enter(Machine.Terms(rate: rate), at: now)
        _ = machine.enter(Machine.Terms(rate: rate), at: now)
        var hints = RateHints(status: .ok, headers: [:], now: Date(timeIntervalSince1970: 0))
        (hints.pause, hints.quota) = (pause, quota)
        machine.finish(.success, latency: .zero, hints, at: now)
        return machine
    }

    @Test
    func `calls under way may have taken the whole quota`() {
        let machine = Self.told(quota: .init(remaining: 1, reset: .seconds(10)))
        #expect(machine.available == 0)
        #expect(machine.enter(Machine.Terms(rate: .learned)) == .wait(1, .seconds(10)))
    }

    @Test
    func `a quota ends when it is renewed, and one that is renewed at once is none`() {
        #expect(Self.told(quota: .init(remaining: 0, reset: .zero)).available == nil)
        let machine = Self.told(quota: .init(remaining: 9, reset: .seconds(10)), at: .seconds(5))
        #expect(machine.available == 8)
        _ = machine.advance(at: .seconds(14))
        #expect(machine.available == 8)
        _ = machine.advance(at: .seconds(15))
        #expect(machine.available == nil)
    }

    @Test
    func `a quota is followed by that of the server's policy, once`() {
        let renewal = RateHints.Renewal(count: 3, window: .seconds(60))
        let quota = RateHints.Quota(remaining: 9, reset: .seconds(10), renewal: renewal)
        let machine = Self.told(quota: quota)
        #expect(machine.available == 8)
        _ = machine.advance(at: .seconds(10))
        #expect(machine.available == 3)
        for _ in 0..<3 {
            #expect(machine.enter(Machine.Terms(rate: .learned), at: .seconds(20)) == .begin)
        }
        #expect(machine.enter(Machine.Terms(rate: .learned), at: .seconds(20)) == .wait(1, .seconds(50)))
        #expect(machine.advance(at: .seconds(69)) == [])
        #expect(machine.advance(at: .seconds(70)) == [1])
        #expect(machine.available == nil)

        // After a pause of a whole window nothing is known.
        let idle = Self.told(quota: quota)
        _ = idle.advance(at: .seconds(70))
        #expect(idle.available == nil)
    }

    // MARK: - A quota without a time

    /// A quota of ten calls in a minute without a time.
    private static func untimed(_ remaining: Int) -> RateHints.Quota {
        let renewal = RateHints.Renewal(count: 10, window: .seconds(60))
        return RateHints.Quota(remaining: remaining, reset: .seconds(60), renewal: renewal, pace: renewal.pace)
    }

    private static func hints(_ quota: RateHints.Quota) -> RateHints {
        var hints = RateHints(status: .ok, headers: [:], now: Date(timeIntervalSince1970: 0))
        hints.quota = quota
        return hints
    }

    @Test
    func `without a time, one call after the other probes whether the quota is renewed`() {
        let machine = Self.told(quota: Self.untimed(0))
        let terms = Machine.Terms(rate: .learned)
        #expect(machine.enter(terms, at: .seconds(1)) == .wait(1, .seconds(5)))
        #expect(machine.enter(terms, at: .seconds(1)) == .wait(2, .seconds(11)))
        #expect(machine.advance(at: .milliseconds(5_999)) == [])
        #expect(machine.advance(at: .seconds(6)) == [1])
        // The next one is due 6 seconds after this one began, whatever its response repeats.
        machine.finish(.success, latency: .zero, Self.hints(Self.untimed(0)), at: .seconds(8))
        #expect(machine.wait(of: 2, at: .seconds(8)) == .seconds(4))
        #expect(machine.advance(at: .seconds(12)) == [2])

        machine.finish(.success, latency: .zero, Self.hints(Self.untimed(3)), at: .seconds(13))
        #expect(machine.available == 2)
        #expect(machine.enter(terms, at: .seconds(13)) == .begin)
    }

    @Test
    func `the calls that are left begin at once, and the next ones evenly spread after them`() {
        let machine = Self.told(quota: Self.untimed(3))
        let terms = Machine.Terms(rate: .learned)
        #expect(machine.available == 2)
        #expect(machine.enter(terms, at: .seconds(20)) == .begin)
        #expect(machine.enter(terms, at: .seconds(20)) == .begin)
        #expect(machine.enter(terms, at: .seconds(20)) == .wait(1, .seconds(6)))
        #expect(machine.advance(at: .seconds(26)) == [1])
        #expect(machine.available == 0)
    }

    @Test(arguments: [(0, [0, 6, 12]), (2, [0, 6, 12]), (3, [0, 0, 6])])
    func `calls that the number holds back come evenly spread after the first that begins`(left: Int, waits: [Int]) {
        let machine = Self.told(quota: Self.untimed(left))
        let terms = Machine.Terms(rate: .learned, concurrency: 1)
        // The latest call began long ago, and is still under way.
        for (index, wait) in waits.enumerated() {
            #expect(machine.enter(terms, at: .seconds(20)) == .wait(Machine.Ticket(index + 1), .seconds(wait)))
        }
    }

    @Test
    func `the first of the line is called up once after a change that it cannot know of`() {
        let machine = Line()
        let terms = Machine.Terms(rate: .window(3, per: .seconds(10)), concurrency: 1)
        _ = machine.enter(terms)
        // Who comes later knows of it.
        _ = machine.enter(terms, yields: false)
        machine.finish(.success, latency: .zero, Self.hints(Self.untimed(9)), at: .zero)
        _ = machine.enter(terms)
        #expect(machine.callUp() == nil)

        _ = machine.enter(terms, yields: false)
        #expect(machine.callUp() == 1)
        #expect(machine.callUp() == nil)
        #expect(machine.wait(of: 1, at: .zero) == .seconds(10))
        _ = machine.leave(1)
        #expect(machine.callUp() == nil)

        _ = machine.enter(terms, at: .seconds(10))
        machine.finish(.success, latency: .zero, nil, at: .seconds(10))
        #expect(machine.callUp(at: .seconds(10)) == nil)
        var hints = Self.hints(Self.untimed(9))
        hints.pause = .seconds(6)
        machine.finish(.success, latency: .zero, hints, at: .seconds(10))
        #expect(machine.callUp(at: .seconds(10)) == 2)
        #expect(machine.advance(at: .seconds(16)) == [2])
        #expect(machine.callUp(at: .seconds(16)) == nil)
    }

    @Test
    func `none is called up as long as nothing has changed, or only for later`() {
        let machine = Line()
        let terms = Machine.Terms(rate: .perSecond(1))
        #expect(machine.enter(terms) == .begin)
        #expect(machine.enter(terms) == .wait(1, .seconds(1)))
        #expect(machine.callUp() == nil)

        var hints = RateHints(status: .ok, headers: [:], now: Date(timeIntervalSince1970: 0))
        hints.pause = .seconds(5)
        machine.finish(.success, latency: .zero, hints, at: .zero)
        #expect(machine.callUp() == nil)
        // It finds out when it looks by itself.
        #expect(machine.wait(of: 1, at: .seconds(1)) == .seconds(4))
    }

    @Test
    func `a call that only the number held back is called up when a renewed quota is used up`() {
        let machine = Self.told(quota: Self.untimed(9))
        let terms = Machine.Terms(rate: .learned, concurrency: 1)
        _ = machine.enter(terms, at: .zero)
        #expect(machine.advance(at: .seconds(59)) == [])
        #expect(machine.callUp(at: .seconds(59)) == nil)
        #expect(machine.advance(at: .seconds(60)) == [])
        #expect(machine.available == 10)
        for _ in 0..<10 {
            _ = machine.enter(terms, yields: false, at: .seconds(60))
        }
        #expect(machine.callUp(at: .seconds(60)) == 1)
    }

    @Test
    func `when the window is over, the quota is the policy's again`() {
        let machine = Self.told(quota: Self.untimed(0))
        let terms = Machine.Terms(rate: .learned)
        #expect(machine.enter(terms, at: .seconds(1)) == .wait(1, .seconds(5)))
        for ticket in 2...12 {
            _ = machine.enter(terms, at: .seconds(1))
            #expect(machine.waitingCount == ticket)
        }
        // None waits longer than the window.
        #expect(machine.wait(of: 12, at: .seconds(1)) == .seconds(59))
        #expect(machine.advance(at: .seconds(60)).count == 10)
        #expect(machine.wait(of: 11, at: .seconds(60)) == .seconds(6))
    }

    @Test
    func `a shorter pause does not end a longer one`() {
        let machine = Self.told(pause: .seconds(9))
        var hints = RateHints(status: .ok, headers: [:], now: Date(timeIntervalSince1970: 0))
        hints.pause = .seconds(1)
        machine.finish(.success, latency: .zero, hints, at: .seconds(2))
        #expect(machine.enter(Machine.Terms(rate: .learned), at: .seconds(4)) == .wait(1, .seconds(5)))
    }

    @Test
    func `a limit that does not heed the server waits by its own rate alone`() {
        var limit = RateLimit.perSecond(1, burst: 2)
        limit.heedsServer = false
        let machine = Self.told(limit, pause: .seconds(50), at: .seconds(100))
        #expect(machine.enter(Machine.Terms(rate: limit), at: .seconds(100)) == .wait(1, .seconds(1)))
    }

    @Test
    func `a pause that the server asks for holds all calls`() {
        let machine = Line()
        let terms = Machine.Terms(rate: .learned)
        _ = machine.enter(terms)
        var hints = RateHints(status: .ok, headers: [:], now: Date(timeIntervalSince1970: 0))
        hints.pause = .seconds(5)
        machine.finish(.success, latency: .zero, hints, at: .seconds(1))
        #expect(machine.enter(terms, at: .seconds(2)) == .wait(1, .seconds(4)))
        #expect(machine.advance(at: .seconds(5)) == [])
        #expect(machine.advance(at: .seconds(6)) == [1])
    }

    @Test
    func `as many calls begin as the server has left, less those under way`() {
        let machine = Line()
        let terms = Machine.Terms(rate: .learned)
        _ = machine.enter(terms)
        _ = machine.enter(terms)
        var hints = RateHints(status: .ok, headers: [:], now: Date(timeIntervalSince1970: 0))
        hints.quota = .init(remaining: 3, reset: .seconds(10))
        machine.finish(.success, latency: .zero, hints, at: .zero)
        #expect(machine.available == 2)
        #expect(machine.enter(terms) == .begin)
        #expect(machine.enter(terms) == .begin)
        #expect(machine.enter(terms) == .wait(1, .seconds(10)))
        #expect(machine.advance(at: .seconds(9)) == [])
        #expect(machine.advance(at: .seconds(10)) == [1])
        #expect(machine.enter(terms, at: .seconds(10)) == .begin)
    }

    @Test
    func `a limit that does not heed the server learns nothing`() {
        let machine = Line()
        var limit = RateLimit.perSecond(100, burst: 100)
        limit.heedsServer = false
        let terms = Machine.Terms(rate: limit)
        _ = machine.enter(terms)
        var hints = RateHints(status: .ok, headers: [:], now: Date(timeIntervalSince1970: 0))
        hints.pause = .seconds(5)
        machine.finish(.success, latency: .zero, hints, at: .zero)
        #expect(machine.enter(terms) == .begin)
    }

    // MARK: - Nothing to lose

    /// Returns true if nothing would be lost with a machine at a time; the machine stays as it is.
    private static func isIdle(_ machine: Machine, at now: Duration) -> Bool {
        var machine = machine
        return machine.isIdle(at: now)
    }

    private static let quota = RateHints.Quota(remaining: 9, reset: .seconds(10))
    private static let renewedQuota = RateHints.Quota(
        remaining: 9,
        reset: .seconds(10),
        renewal: RateHints.Renewal(count: 3, window: .seconds(60))
    )

    /// The limits of a call that ends at once, its outcome, a pause and a quota that the server names, and the seconds
    /// after which nothing is lost with the machine.
    private static let knowledge: [(Machine.Terms, GuardOutcome, Duration?, RateHints.Quota?, Int)] = [
        (Machine.Terms(rate: .perSecond(1)), .success, nil, nil, 1),
        (Machine.Terms(rate: .count(1, per: .seconds(60), burst: 2)), .success, nil, nil, 60),
        (Machine.Terms(rate: .window(1, per: .seconds(10))), .success, nil, nil, 10),
        (Machine.Terms(rate: .learned), .success, .seconds(5), nil, 5),
        (Machine.Terms(rate: .learned), .success, nil, Self.quota, 10),
        (Machine.Terms(rate: .learned), .success, .seconds(70), Self.quota, 70),
        (Machine.Terms(rate: .learned), .success, nil, Self.renewedQuota, 70),
        (Machine.Terms(concurrency: .fixed(1)), .success, nil, nil, 0),
        (Machine.Terms(concurrency: .fixed(1)), .failure, nil, nil, 0),
        (Machine.Terms(concurrency: .adaptive()), .unknown, nil, nil, 0),
        (Machine.Terms(concurrency: .adaptive()), .success, nil, nil, 0),
        (Machine.Terms(concurrency: .adaptive()), .failure, nil, nil, 0),
    ]

    @Test(arguments: knowledge.indices)
    func `a machine is idle when a new one would decide as it does`(index: Int) {
        let (terms, outcome, pause, quota, seconds) = Self.knowledge[index]
        let time = Duration.seconds(seconds)
        var machine = Machine()
        #expect(Self.isIdle(machine, at: .zero))

        _ = machine.enter(terms, patience: nil, yields: true, at: .zero)
        var hints = RateHints(status: .ok, headers: [:], now: Date(timeIntervalSince1970: 0))
        (hints.pause, hints.quota) = (pause, quota)
        machine.finish(outcome, latency: .milliseconds(10), hints, at: .zero)

        #expect(Self.isIdle(machine, at: max(.zero, time - .nanoseconds(1))) == (seconds == 0))
        #expect(Self.isIdle(machine, at: time))
    }

    @Test
    func `a machine with a call under way or in the line is not idle`() {
        var machine = Machine()
        let terms = Machine.Terms(rate: .perSecond(1), concurrency: 9)
        _ = machine.enter(terms, patience: nil, yields: true, at: .zero)
        #expect(!Self.isIdle(machine, at: .seconds(1)))

        _ = machine.enter(terms, patience: nil, yields: true, at: .zero)
        machine.finish(.success, latency: .zero, nil, at: .zero)
        #expect(machine.running == 0)
        #expect(!Self.isIdle(machine, at: .seconds(1)))

        _ = machine.leave(1)
        #expect(Self.isIdle(machine, at: .seconds(1)))
    }

    // MARK: - All steps at random

    @Test(arguments: 0..<50)
    func `the rate and the number are kept, and all begin in their order`(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let machine = Line()
        let terms = Machine.Terms(rate: .perSecond(20, burst: 3), concurrency: 4)
        var now = Duration.zero
        var begun: [Duration] = []
        var waiting: [Machine.Ticket] = []
        var running = 0
        for _ in 0..<400 {
            switch Int.random(in: 0..<5, using: &generator) {
            case 0, 1:
                switch machine.enter(terms, patience: nil, yields: true, at: now) {
                case .begin:
                    #expect(waiting.isEmpty)
                    begun.append(now)
                    running += 1
                case .wait(let ticket, _): waiting.append(ticket)
                case .tooLate: Issue.record("nobody is in a hurry")
                }
            case 2 where running > 0:
                machine.finish(.success, latency: .milliseconds(5), nil, at: now)
                running -= 1
            case 3 where !waiting.isEmpty:
                let index = Int.random(in: 0..<waiting.count, using: &generator)
                #expect(machine.leave(waiting.remove(at: index)) == Array(waiting[index...]))
            default:
                now += .milliseconds(Int.random(in: 0...120, using: &generator))
            }
            for ticket in machine.advance(at: now) {
                #expect(ticket == waiting.removeFirst())
                begun.append(now)
                running += 1
            }
            #expect(machine.running == running)
            #expect(running <= 4)
            #expect(machine.waitingCount == waiting.count)
        }
        for (index, start) in begun.enumerated() {
            let within = begun[index...].prefix { $0 - start < .seconds(1) }.count
            #expect(within <= 23)
        }
    }
}

/// A machine that changes in place, so that its steps can be expectations.
private final class Line {
    private var machine = AdmissionStateMachine()
    private var lastTicket: AdmissionStateMachine.Ticket = 0

    var running: Int { machine.running }
    var waitingCount: Int { machine.waitingCount }
    var available: Int? { machine.available }

    func enter(
        _ terms: AdmissionStateMachine.Terms,
        patience: Duration? = nil,
        yields: Bool = true,
        at now: Duration = .zero
    ) -> AdmissionStateMachine.Reception {
        let reception = machine.enter(terms, patience: patience, yields: yields, at: now)
        if case .wait(let ticket, _) = reception {
            lastTicket = ticket
        }
        return reception
    }

    func advance(at now: Duration) -> [AdmissionStateMachine.Ticket] {
        machine.advance(at: now)
    }

    func wait(of ticket: AdmissionStateMachine.Ticket, at now: Duration) -> Duration? {
        machine.wait(of: ticket, at: now)
    }

    func callUp(at now: Duration = .zero) -> AdmissionStateMachine.Ticket? {
        machine.callUp(at: now)
    }

    /// Takes a call out of the line; returns those behind it, or `nil` if it does not wait any more.
    func leave(_ ticket: AdmissionStateMachine.Ticket) -> [AdmissionStateMachine.Ticket]? {
        machine.leave(ticket) ? (ticket...lastTicket).filter(machine.isWaiting) : nil
    }

    func finish(_ outcome: GuardOutcome, latency: Duration, _ hints: RateHints?, at now: Duration) {
        machine.finish(outcome, latency: latency, hints, at: now)
    }
}
