// SPDX-License-Identifier: MIT

import RestEssentials
import SeededRandom
import Testing

@testable import RestClient

@Suite struct TokenRefreshStateMachineTests {
    private typealias Machine = TokenRefreshStateMachine

    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func token(_ value: String, for seconds: TimeInterval? = nil) -> AccessToken {
        AccessToken(value, expiresAt: seconds.map { now + $0 })
    }

    @Test(
        arguments: [
            (nil, true), (31, true), (30, false), (1, false), (0, false), (-5, false),
        ] as [(TimeInterval?, Bool)]
    )
    func `a token is used until its end is nearer than the leeway`(seconds: TimeInterval?, isUsed: Bool) {
        var machine = Machine(token("a", for: seconds), leeway: .seconds(30))
        let answer = machine.ask(as: 1, refusing: nil, now: now)
        #expect(answer == (isUsed ? .use(token("a", for: seconds)) : .wait(begins: 1)))
    }

    @Test
    func `a token is refreshed ahead by a tenth of its life at most`() {
        var machine = Machine(nil, leeway: .seconds(30))
        #expect(machine.ask(as: 1, refusing: nil, now: now) == .wait(begins: 1))
        #expect(machine.finish(token("a", for: 20), now: now) == .init(waiters: [1]))
        #expect(machine.usable(refusing: nil, now: now + 17)?.value == "a")
        #expect(machine.usable(refusing: nil, now: now + 18) == nil)
    }

    @Test(
        arguments: [
            (1, 0.89, true), (1, 0.91, false), (20, 0, true), (20, 17, true), (20, 18, false), (300, 269, true),
            (300, 270, false), (3_600, 3_569, true), (3_600, 3_570, false), (0, 0, false), (-5, 0, false),
        ] as [(TimeInterval, TimeInterval, Bool)]
    )
    func `a token that was set is refreshed ahead by a tenth of the life that it has then, at most`(
        life: TimeInterval,
        age: TimeInterval,
        isUsed: Bool
    ) {
        var machine = Machine(nil, leeway: .seconds(30))
        #expect(machine.replace(with: token("a", for: life), known: now).isEmpty)
        #expect((machine.usable(refusing: nil, now: now + age) != nil) == isUsed)
    }

    @Test(arguments: [1, 2, 10, 59, 300, 301, 3_600, 86_400] as [TimeInterval])
    func `tokens are refreshed little more often than they expire`(life: TimeInterval) {
        var machine = Machine(nil, leeway: .seconds(30))
        let lives = 100.0
        var refreshes = 0
        var time = now
        while time < now + life * lives {
            if case .wait = machine.ask(as: 1, refusing: nil, now: time) {
                refreshes += 1
                _ = machine.finish(AccessToken("\(refreshes)", expiresAt: time + life), now: time)
            }
            time += life / 50
        }
        #expect(Double(refreshes) <= lives * 1.15, "\(refreshes)")
    }

    @Test
    func `a token that another process has refreshed is refreshed ahead like one's own`() {
        var machine = Machine(token("a", for: 1), leeway: .seconds(30))
        #expect(machine.adopt(token("b", for: 1), now: now).isEmpty)
        #expect(machine.usable(refusing: nil, now: now + 0.85)?.value == "b")
        #expect(machine.usable(refusing: nil, now: now + 0.95) == nil)
    }

    @Test(
        arguments: [
            (-1, nil, true), (5, nil, false), (-1, "other", false),
        ] as [(TimeInterval, String?, Bool)]
    )
    func `a refresh goes on from the token of another process if that has expired too`(
        seconds: TimeInterval,
        user: String?,
        goesOn: Bool
    ) {
        var machine = Machine(AccessToken("a", expiresAt: now - 5, user: "own"), leeway: .seconds(30))
        #expect(machine.ask(as: 1, refusing: nil, now: now) == .wait(begins: 1))
        let waiters = machine.adopt(AccessToken("b", expiresAt: now + seconds, user: user), now: now)
        #expect(waiters == (goesOn ? [] : [1]))
        #expect(machine.awaitsToken == goesOn)
        #expect(machine.token?.value == "b")
    }

    @Test
    func `those who ask while a refresh is under way wait for it, in order`() {
        var machine = Machine(token("a", for: 0), leeway: .zero)
        #expect(machine.ask(as: 1, refusing: nil, now: now) == .wait(begins: 1))
        #expect(machine.ask(as: 2, refusing: "a", now: now) == .wait(begins: nil))
        #expect(machine.ask(as: 3, refusing: nil, now: now) == .wait(begins: nil))
        #expect(machine.finish(token("b"), now: now) == .init(waiters: [1, 2, 3]))
        #expect(machine.ask(as: 4, refusing: nil, now: now) == .use(token("b")))
    }

    @Test
    func `a refused token is refreshed, one that was replaced meanwhile is not`() {
        var machine = Machine(token("a"), leeway: .zero)
        #expect(machine.ask(as: 1, refusing: "a", now: now) == .wait(begins: 1))
        _ = machine.finish(token("b"), now: now)
        #expect(machine.ask(as: 2, refusing: "a", now: now) == .use(token("b")))
    }

    @Test
    func `a server that refuses every token gets three of them a minute`() {
        var machine = Machine(token("0"), leeway: .zero)
        for number in 1...3 {
            #expect(machine.ask(as: 1, refusing: "\(number - 1)", now: now + 5) == .wait(begins: UInt64(number)))
            _ = machine.finish(token("\(number)"), now: now + 5)
        }
        #expect(machine.ask(as: 1, refusing: "3", now: now + 64) == .giveUp)
        #expect(machine.ask(as: 1, refusing: nil, now: now + 64) == .use(token("3")))
        #expect(machine.ask(as: 1, refusing: "3", now: now + 65) == .wait(begins: 4))
    }

    @Test
    func `a token that was accepted before it was refused has expired, however often`() {
        var machine = Machine(token("0"), leeway: .zero)
        for number in 1...50 {
            machine.accept("\(number - 1)")
            #expect(machine.ask(as: 1, refusing: "\(number - 1)", now: now + 0.1) == .wait(begins: UInt64(number)))
            _ = machine.finish(token("\(number)"), now: now + 0.1)
        }
        for number in 51...53 {
            #expect(machine.ask(as: 1, refusing: "\(number - 1)", now: now + 1) == .wait(begins: UInt64(number)))
            _ = machine.finish(token("\(number)"), now: now + 1)
        }
        #expect(machine.ask(as: 1, refusing: "53", now: now + 1) == .giveUp)
    }

    @Test
    func `acceptance of the token before the present one says nothing of it`() {
        var machine = Machine(token("0"), leeway: .zero)
        machine.accept("older")
        #expect(!machine.isAccepted)
        machine.accept("0")
        #expect(machine.isAccepted)
        _ = machine.ask(as: 1, refusing: "0", now: now)
        _ = machine.finish(token("1"), now: now)
        #expect(!machine.isAccepted)
    }

    @Test(arguments: [false, true])
    func `a login begins another session, which has nothing of the one before`(isOfLogin: Bool) {
        var machine = Machine(AccessToken("a", refreshToken: "r", user: "anna"), leeway: .zero)
        machine.invalidate()
        _ = machine.ask(as: 1, refusing: nil, now: now)
        _ = machine.finish(AccessToken("b"), isOfLogin: isOfLogin, now: now)
        #expect(machine.session == (isOfLogin ? 1 : 0))
        #expect(machine.token == (isOfLogin ? AccessToken("b") : AccessToken("b", refreshToken: "r", user: "anna")))
    }

    @Test
    func `the lifetime of tokens that do not say it is learnt from two refusals`() {
        var machine = Machine(nil, leeway: .seconds(30))
        var time = now
        _ = machine.ask(as: 1, refusing: nil, now: time)
        for number in 1...2 {
            _ = machine.finish(token("\(number)"), now: time)
            machine.accept("\(number)")
            #expect(machine.usable(refusing: nil, now: time + 2.9)?.value == "\(number)")
            time += 3
            #expect(machine.ask(as: 1, refusing: "\(number)", now: time) == .wait(begins: UInt64(number + 1)))
        }
        _ = machine.finish(token("3"), now: time)
        #expect(machine.usable(refusing: nil, now: time + 2.6)?.value == "3")
        #expect(machine.ask(as: 1, refusing: nil, now: time + 2.7) == .wait(begins: 4))
    }

    @Test
    func `tokens that live three seconds are refused seldom`() {
        var machine = Machine(nil, leeway: .seconds(30))
        var (time, issued, number, refusals) = (now, now, 0, 0)
        while time < now + 60 {
            let refused = time.timeIntervalSince(issued) >= 3 ? "\(number)" : nil
            if refused == nil, number > 0 {
                machine.accept("\(number)")
            }
            refusals += refused == nil ? 0 : 1
            switch machine.ask(as: 1, refusing: refused, now: time) {
            case .use: break
            case .giveUp: Issue.record("gave up")
            case .wait:
                number += 1
                issued = time
                _ = machine.finish(token("\(number)"), now: time)
            }
            time += 0.1
        }
        #expect((2...6).contains(refusals), "\(refusals)")
        #expect((20...40).contains(number), "\(number)")
    }

    @Test
    func `a token that someone set may be refused at once`() {
        var machine = Machine(token("0"), leeway: .zero)
        for number in 1...3 {
            _ = machine.ask(as: 1, refusing: "\(number - 1)", now: now)
            _ = machine.finish(token("\(number)"), now: now)
        }
        #expect(machine.replace(with: token("new"), known: now).isEmpty)
        #expect(machine.ask(as: 1, refusing: "new", now: now) == .wait(begins: 4))
    }

    @Test
    func `refreshes that fail do not count as refused tokens`() {
        var machine = Machine(token("old"), leeway: .zero)
        for number in 1...10 {
            #expect(machine.ask(as: 1, refusing: "old", now: now) == .wait(begins: UInt64(number)))
            #expect(machine.fail(now: now) == .init(waiters: [1]))
        }
    }

    @Test
    func `a failure is not remembered`() {
        var machine = Machine(nil, leeway: .zero)
        _ = machine.ask(as: 1, refusing: nil, now: now)
        _ = machine.ask(as: 2, refusing: nil, now: now)
        #expect(machine.fail(now: now) == .init(waiters: [1, 2]))
        #expect(machine.ask(as: 3, refusing: nil, now: now) == .wait(begins: 2))
    }

    @Test
    func `only the last caller to leave cancels the refresh`() {
        var machine = Machine(nil, leeway: .zero)
        _ = machine.ask(as: 1, refusing: nil, now: now)
        _ = machine.ask(as: 2, refusing: nil, now: now)
        #expect(machine.leave(1) == false)
        #expect(!machine.isCancelled)
        #expect(machine.leave(2) == true)
        #expect(machine.isCancelled)
        #expect(machine.leave(2) == false)
    }

    @Test
    func `a caller after the last one left gets a new refresh, after the cancelled one`() {
        var machine = Machine(nil, leeway: .zero)
        _ = machine.ask(as: 1, refusing: nil, now: now)
        _ = machine.leave(1)
        #expect(machine.ask(as: 2, refusing: nil, now: now) == .wait(begins: nil))
        #expect(machine.fail(now: now) == .init(waiters: [], begins: 2))
        #expect(machine.finish(token("b"), now: now) == .init(waiters: [2]))
    }

    @Test
    func `a token that still holds does when it cannot be refreshed, unless it was refused`() {
        var machine = Machine(token("a", for: 20), leeway: .seconds(30))
        #expect(machine.ask(as: 1, refusing: nil, now: now) == .wait(begins: 1))
        #expect(machine.fail(now: now) == .init(waiters: [1], fallback: token("a", for: 20)))
        #expect(machine.ask(as: 2, refusing: nil, now: now) == .wait(begins: 2))
        #expect(machine.ask(as: 3, refusing: "a", now: now) == .wait(begins: nil))
        #expect(machine.fail(now: now) == .init(waiters: [2, 3]))
        #expect(machine.ask(as: 4, refusing: "a", now: now) == .wait(begins: 3))
        #expect(machine.fail(now: now) == .init(waiters: [4]))
        #expect(machine.ask(as: 5, refusing: nil, now: now) == .wait(begins: 4))
        #expect(machine.fail(now: now + 20) == .init(waiters: [5]))
        machine.invalidate()
        #expect(machine.ask(as: 6, refusing: nil, now: now) == .wait(begins: 5))
        #expect(machine.fail(now: now) == .init(waiters: [6]))
    }

    @Test
    func `the result of a cancelled refresh counts if it arrives`() {
        var machine = Machine(nil, leeway: .zero)
        _ = machine.ask(as: 1, refusing: nil, now: now)
        _ = machine.leave(1)
        #expect(machine.finish(token("b"), now: now) == .init())
        #expect(machine.usable(refusing: nil, now: now) == token("b"))
    }

    @Test
    func `the result of a refresh after the token was set does not count`() {
        var machine = Machine(token("a", for: 0), leeway: .zero)
        _ = machine.ask(as: 1, refusing: nil, now: now)
        #expect(machine.replace(with: token("set"), known: now) == [1])
        #expect(machine.isCancelled)
        #expect(machine.ask(as: 2, refusing: nil, now: now) == .use(token("set")))
        #expect(machine.finish(token("late"), now: now) == .init())
        #expect(machine.token == token("set"))
    }

    @Test
    func `who asks after the token was removed waits for a refresh of their own`() {
        var machine = Machine(token("a", for: 0), leeway: .zero)
        _ = machine.ask(as: 1, refusing: nil, now: now)
        #expect(machine.replace(with: nil, known: now) == [1])
        #expect(machine.ask(as: 2, refusing: nil, now: now) == .wait(begins: nil))
        #expect(machine.finish(token("late"), now: now) == .init(waiters: [], begins: 2))
        #expect(machine.token == nil)
        #expect(machine.finish(token("own"), now: now) == .init(waiters: [2]))
    }

    @Test
    func `an invalid token is refreshed, although it seems to hold`() {
        var machine = Machine(token("a"), leeway: .zero)
        machine.invalidate()
        #expect(machine.ask(as: 1, refusing: nil, now: now) == .wait(begins: 1))
        _ = machine.finish(token("b"), now: now)
        #expect(machine.ask(as: 2, refusing: nil, now: now) == .use(token("b")))
    }

    @Test
    func `a new token takes over what it leaves out`() {
        let old = AccessToken("a", expiresAt: now, refreshToken: "r", user: "kim")
        var machine = Machine(old, leeway: .zero)
        _ = machine.ask(as: 1, refusing: nil, now: now)
        _ = machine.finish(AccessToken("b"), now: now)
        #expect(machine.token == AccessToken("b", refreshToken: "r", user: "kim"))
        machine.invalidate()
        _ = machine.ask(as: 2, refusing: nil, now: now)
        _ = machine.finish(AccessToken("c", refreshToken: "s", user: "lou"), now: now)
        #expect(machine.token == AccessToken("c", refreshToken: "s", user: "lou"))
    }

    /// Random asks, departures, ends and changes: one refresh at a time, and nobody waits for ever or is told twice.
    @Test(arguments: 1...50)
    func `one refresh at a time, and every waiter is resumed once`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var machine = Machine(nil, leeway: .zero)
        var waiting: Set<UInt64> = []
        var underWay: Set<UInt64> = []
        var last: UInt64 = 0

        func settle(_ settlement: Machine.Settlement) {
            underWay.removeAll()
            for waiter in settlement.waiters {
                #expect(waiting.remove(waiter) != nil)
            }
            if let next = settlement.begins {
                underWay.insert(next)
            } else {
                #expect(waiting.isEmpty)
            }
        }
        for _ in 0..<400 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0...3:
                last += 1
                let refused = Bool.random(using: &random) ? machine.token?.value : nil
                if case .wait(let begins) = machine.ask(as: last, refusing: refused, now: now + Double(last)) {
                    waiting.insert(last)
                    if let begins {
                        underWay.insert(begins)
                    }
                }
            case 4:
                if let waiter = waiting.sorted().randomElement(using: &random) {
                    waiting.remove(waiter)
                    let isLast = machine.leave(waiter)
                    #expect(!isLast || waiting.isEmpty)
                }
            case 5 where !underWay.isEmpty:
                settle(machine.finish(token("\(last)", for: Double(last) + 3), now: now + Double(last)))
            case 6 where !underWay.isEmpty:
                settle(machine.fail(now: now))
            case 7 where Int.random(in: 0..<4, using: &random) == 0:
                let token = Bool.random(using: &random) ? token("set\(last)") : nil
                #expect(Set(machine.replace(with: token, known: nil)) == waiting)
                waiting.removeAll()
            default:
                machine.invalidate()
            }
            #expect(underWay.count <= 1)
            #expect(machine.refreshID == underWay.first)
        }
        while !underWay.isEmpty {
            settle(machine.finish(token("end"), now: now))
        }
        #expect(waiting.isEmpty)
    }
}
