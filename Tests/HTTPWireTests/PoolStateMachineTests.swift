// SPDX-License-Identifier: MIT

import NIOCore
import Testing

@testable import HTTPWire

/// The pool of one origin, by tables of what happens and what follows.
@Suite struct PoolStateMachineTests {
    private final class Link {}
    private typealias Machine = PoolStateMachine<Link, Int>

    private static func time(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .seconds(seconds) }

    private static func machine(limit: Int = 2, maximumAge: TimeAmount? = nil) -> Machine {
        Machine(limit: limit, idleTimeout: .seconds(60), maximumAge: maximumAge)
    }

    /// Acquires, and returns what follows in words.
    private static func acquire(_ machine: inout Machine, _ waiter: Int, at seconds: Int64 = 0) -> String {
        switch machine.acquire(waiter, at: time(seconds)) {
        case .use: "use"
        case .wait(let id, let connects): "wait \(id), connect \(connects)"
        case .refuse: "refuse"
        }
    }

    private static func words(_ release: Machine.Release) -> String {
        switch release {
        case .serve(let waiter): "serve \(waiter)"
        case .keep(let alarm): alarm.map { "keep, alarm at \(($0 - time(0)).nanoseconds / 1_000_000_000)" } ?? "keep"
        case .close: "close"
        }
    }

    @Test
    func `Connections are made up to the limit, and waiters are served in order`() {
        var machine = Self.machine()
        #expect(Self.acquire(&machine, 1) == "wait 0, connect 1")
        #expect(Self.acquire(&machine, 2) == "wait 1, connect 1")
        #expect(Self.acquire(&machine, 3) == "wait 2, connect 0")
        let (first, second) = (Link(), Link())
        #expect(Self.words(machine.connected(first, at: Self.time(0)).use) == "serve 1")
        #expect(Self.words(machine.connected(second, at: Self.time(0)).use) == "serve 2")
        #expect(Self.words(machine.release(second, born: Self.time(0), at: Self.time(1))) == "serve 3")
        #expect(Self.words(machine.release(first, born: Self.time(0), at: Self.time(1))) == "keep, alarm at 61")
        #expect(Self.words(machine.release(second, born: Self.time(0), at: Self.time(2))) == "keep")
        #expect(machine.openCount == 2 && machine.idleCount == 2 && machine.waitingCount == 0)
    }

    @Test
    func `The connection used last is used first, and the others grow old`() {
        var machine = Self.machine()
        let links = [Link(), Link()]
        _ = Self.acquire(&machine, 1)
        _ = Self.acquire(&machine, 2)
        for link in links {
            _ = machine.connected(link, at: Self.time(0))
        }
        for (index, link) in links.enumerated() {
            _ = machine.release(link, born: Self.time(0), at: Self.time(Int64(index)))
        }
        guard case .use(let link) = machine.acquire(3, at: Self.time(2)) else {
            Issue.record("no connection")
            return
        }
        #expect(link === links[1])
        _ = machine.release(link, born: Self.time(0), at: Self.time(50))
        let (expired, alarm) = machine.sweep(at: Self.time(60))
        #expect(expired.map { $0 === links[0] } == [true])
        #expect(alarm == Self.time(110))
        #expect(machine.closed(links[0]) == 0)
        #expect(machine.sweep(at: Self.time(110)).expired.count == 1)
        #expect(machine.closed(links[1]) == 0)
        #expect(machine.isEmpty)
        #expect(machine.sweep(at: Self.time(500)).alarm == nil)
    }

    @Test
    func `A waiter that leaves is not served, whatever its place`() {
        for leaving in 0..<3 {
            var machine = Self.machine(limit: 1)
            for waiter in 0..<3 {
                _ = Self.acquire(&machine, waiter)
            }
            machine.withdraw(leaving)
            machine.withdraw(leaving)
            machine.withdraw(3)
            machine.withdraw(17)
            #expect(machine.waitingCount == 2)
            let link = Link()
            var served = [Self.words(machine.connected(link, at: Self.time(0)).use)]
            for _ in 0..<2 {
                served.append(Self.words(machine.release(link, born: Self.time(0), at: Self.time(0))))
            }
            #expect(served == (0..<3).filter { $0 != leaving }.map { "serve \($0)" } + ["keep, alarm at 60"])
            machine.withdraw(0)
            #expect(machine.waitingCount == 0)
        }
    }

    @Test
    func `A connection that serves another makes up for one under way`() {
        var machine = Self.machine()
        _ = Self.acquire(&machine, 1)
        let link = Link()
        _ = machine.connected(link, at: Self.time(0))
        #expect(Self.acquire(&machine, 2) == "wait 1, connect 1")
        #expect(Self.words(machine.release(link, born: Self.time(0), at: Self.time(0))) == "serve 2")
        #expect(Self.words(machine.connected(Link(), at: Self.time(0)).use) == "keep, alarm at 60")
    }

    @Test
    func `A waiter keeps its name while others leave and are served`() {
        for leaving in 1..<4 {
            var machine = Self.machine(limit: 1)
            for waiter in 0..<4 {
                _ = Self.acquire(&machine, waiter)
            }
            let link = Link()
            #expect(Self.words(machine.connected(link, at: Self.time(0)).use) == "serve 0")
            machine.withdraw(leaving)
            machine.withdraw(4)
            #expect(machine.waitingCount == 2)
            #expect(Self.acquire(&machine, 4) == "wait 4, connect 0")
            machine.withdraw(4)
            #expect(Self.acquire(&machine, 5) == "wait 5, connect 0")
            var served: [String] = []
            for _ in 0..<3 {
                served.append(Self.words(machine.release(link, born: Self.time(0), at: Self.time(0))))
            }
            #expect(served == (1..<4).filter { $0 != leaving }.map { "serve \($0)" } + ["serve 5"])
        }
    }

    @Test
    func `A pool is empty only if nothing is open, under way or waited for`() {
        var machine = Self.machine()
        #expect(machine.isEmpty)
        _ = Self.acquire(&machine, 1)
        #expect(!machine.isEmpty)
        machine.withdraw(0)
        #expect(machine.connectingCount == 1 && machine.waitingCount == 0 && !machine.isEmpty)
        let link = Link()
        _ = machine.connected(link, at: Self.time(0))
        #expect(machine.openCount == 1 && machine.connectingCount == 0 && !machine.isEmpty)
        #expect(machine.closed(link) == 0)
        #expect(machine.isEmpty)

        var waiting = Self.machine()
        _ = Self.acquire(&waiting, 1)
        _ = Self.acquire(&waiting, 2)
        let result = waiting.connectFailed()
        #expect(result.failed == 1 && result.connects == 0)
        #expect(waiting.connectingCount == 1 && waiting.waitingCount == 1 && !waiting.isEmpty)
    }

    @Test
    func `A pool is swept as long as it has unused connections`() {
        var machine = Self.machine()
        _ = Self.acquire(&machine, 1)
        let link = Link()
        _ = machine.connected(link, at: Self.time(0))
        #expect(Self.words(machine.release(link, born: Self.time(0), at: Self.time(7))) == "keep, alarm at 67")
        // An alarm that is not the one which was set leaves all to that.
        #expect(machine.sweep(at: Self.time(66)).alarm == nil)
        #expect(machine.idleCount == 1)
        _ = Self.acquire(&machine, 2)
        // The alarm that was set before is still to come.
        #expect(Self.words(machine.release(link, born: Self.time(0), at: Self.time(66))) == "keep")
        _ = Self.acquire(&machine, 3)
        #expect(machine.sweep(at: Self.time(67)).alarm == nil)
        #expect(Self.words(machine.release(link, born: Self.time(0), at: Self.time(70))) == "keep, alarm at 130")
    }

    @Test
    func `A connection that is too old serves nobody, and another one is made for those that wait`() {
        var machine = Self.machine(limit: 1, maximumAge: .seconds(100))
        let link = Link()
        _ = Self.acquire(&machine, 1)
        #expect(Self.words(machine.connected(link, at: Self.time(5)).use) == "serve 1")
        _ = Self.acquire(&machine, 2, at: 6)
        #expect(Self.words(machine.release(link, born: Self.time(5), at: Self.time(104))) == "serve 2")
        #expect(Self.acquire(&machine, 3, at: 105) == "wait 2, connect 0")
        #expect(Self.words(machine.release(link, born: Self.time(5), at: Self.time(105))) == "close")
        #expect(machine.closed(link) == 1)
        #expect(Self.words(machine.connected(Link(), at: Self.time(106)).use) == "serve 3")
    }

    @Test
    func `An unused connection that is too old is not used, and swept when its time has come`() {
        var machine = Self.machine(maximumAge: .seconds(100))
        let (old, young) = (Link(), Link())
        _ = Self.acquire(&machine, 1)
        _ = machine.connected(old, at: Self.time(0))
        _ = Self.acquire(&machine, 2, at: 50)
        _ = machine.connected(young, at: Self.time(50))
        #expect(Self.words(machine.release(young, born: Self.time(50), at: Self.time(60))) == "keep, alarm at 120")
        #expect(Self.words(machine.release(old, born: Self.time(0), at: Self.time(70))) == "keep, alarm at 100")

        guard case .use(let link) = machine.acquire(3, at: Self.time(100)) else {
            Issue.record("no connection")
            return
        }

        #expect(link === young)
        #expect(Self.acquire(&machine, 4, at: 100) == "wait 2, connect 0")
        let (expired, alarm) = machine.sweep(at: Self.time(100))
        #expect(expired.map { $0 === old } == [true])
        #expect(alarm == nil)
        #expect(machine.closed(old) == 1)
        _ = machine.connectFailed()
        #expect(Self.words(machine.release(young, born: Self.time(50), at: Self.time(101))) == "keep, alarm at 150")
        // The alarm that was set for the time at which the young one would have been unused for long.
        #expect(machine.sweep(at: Self.time(120)).alarm == nil)
        #expect(machine.idleCount == 1)
        #expect(machine.sweep(at: Self.time(150)).expired.map { $0 === young } == [true])
    }

    @Test
    func `A new connection serves one exchange, however young it must be`() {
        var machine = Self.machine(maximumAge: .zero)
        let link = Link()
        _ = Self.acquire(&machine, 1)
        #expect(Self.words(machine.connected(link, at: Self.time(1)).use) == "serve 1")
        #expect(Self.words(machine.release(link, born: Self.time(1), at: Self.time(1))) == "close")
        #expect(machine.closed(link) == 0)

        _ = Self.acquire(&machine, 2, at: 2)
        machine.withdraw(1)
        #expect(Self.words(machine.connected(Link(), at: Self.time(2)).use) == "keep, alarm at 2")
        #expect(Self.acquire(&machine, 3, at: 2) == "wait 2, connect 1")
        #expect(machine.sweep(at: Self.time(2)).expired.count == 1)
    }

    @Test
    func `The end of a connection makes room for those that wait`() {
        var machine = Self.machine(limit: 1)
        _ = Self.acquire(&machine, 1)
        let link = Link()
        _ = machine.connected(link, at: Self.time(0))
        #expect(Self.acquire(&machine, 2) == "wait 1, connect 0")
        #expect(machine.closed(link) == 1)
        #expect(Self.words(machine.connected(Link(), at: Self.time(0)).use) == "serve 2")
    }

    @Test
    func `A failed connection fails the first that has none on its way`() {
        var machine = Self.machine(limit: 2)
        for waiter in 1...3 {
            _ = Self.acquire(&machine, waiter)
        }
        var result = machine.connectFailed()
        #expect(result.failed == 1 && result.connects == 1)
        result = machine.connectFailed()
        #expect(result.failed == 2 && result.connects == 0)
        result = machine.connectFailed()
        #expect(result.failed == 3 && result.connects == 0)
        #expect(machine.isEmpty)
    }

    @Test
    func `A failed connection fails nobody who was served meanwhile`() {
        var machine = Self.machine()
        _ = Self.acquire(&machine, 1)
        machine.withdraw(0)
        let result = machine.connectFailed()
        #expect(result.failed == nil && result.connects == 0)
    }

    @Test
    func `A failed connection fails nobody who has another one on its way`() {
        var machine = Self.machine()
        _ = Self.acquire(&machine, 1)
        _ = Self.acquire(&machine, 2)
        machine.withdraw(0)
        var result = machine.connectFailed()
        #expect(result.failed == nil && result.connects == 0)
        result = machine.connectFailed()
        #expect(result.failed == 2 && result.connects == 0)
    }

    @Test
    func `A connection that comes after the end is closed, and none is made in its place`() {
        var machine = Self.machine()
        _ = Self.acquire(&machine, 1)
        #expect(machine.close().waiters == [1])
        let (use, connects) = machine.connected(Link(), at: Self.time(0))
        #expect(Self.words(use) == "close")
        #expect(connects == 0)
        #expect(machine.isEmpty)
    }

    @Test(arguments: [-1, 0, 1])
    func `A pool may have one connection at least`(limit: Int) {
        var machine = Self.machine(limit: limit)
        #expect(Self.acquire(&machine, 1) == "wait 0, connect 1")
        #expect(Self.acquire(&machine, 2) == "wait 1, connect 0")
    }

    @Test
    func `A closed pool keeps nothing and takes nobody`() {
        var machine = Self.machine(limit: 1)
        let link = Link()
        _ = Self.acquire(&machine, 1)
        _ = machine.connected(link, at: Self.time(0))
        _ = Self.acquire(&machine, 2)
        let (idle, waiters) = machine.close()
        #expect(idle.isEmpty && waiters == [2])
        #expect(Self.acquire(&machine, 3) == "refuse")
        #expect(Self.words(machine.release(link, born: Self.time(0), at: Self.time(0))) == "close")
        #expect(machine.closed(link) == 0)
        #expect(machine.isEmpty)
    }

    // MARK: - Connections for many exchanges

    private static func sharing(limit: Int = 8, sharedLimit: Int = 1, maximumAge: TimeAmount? = nil) -> Machine {
        Machine(limit: limit, sharedLimit: sharedLimit, idleTimeout: .seconds(60), maximumAge: maximumAge)
    }

    @Test
    func `One connection is made until it is known how many exchanges it carries`() {
        var machine = Self.sharing()
        #expect(Self.acquire(&machine, 1) == "wait 0, connect 1")
        #expect(Self.acquire(&machine, 2) == "wait 1, connect 0")
        #expect(Self.acquire(&machine, 3) == "wait 2, connect 0")
        var many = machine
        let link = Link()
        #expect(many.connected(link, limit: 2, at: Self.time(0)).next == [1, 2])
        #expect(Self.acquire(&many, 4) == "wait 3, connect 0")
        #expect(many.released(link, at: Self.time(1))?.next == [3])
        #expect(many.resized(link, limit: 9).next == [4])
        #expect(Self.acquire(&many, 5) == "use")
        #expect(many.openCount == 1 && many.waitingCount == 0)
        // One exchange at a time: the others need connections of their own.
        let (use, connects) = machine.connected(Link(), at: Self.time(0))
        #expect(Self.words(use) == "serve 1" && connects == 2)
        #expect(Self.acquire(&machine, 4) == "wait 3, connect 1")
    }

    @Test
    func `A failure to connect leaves the others to connect at once`() {
        var machine = Self.sharing()
        for waiter in 1...3 {
            _ = Self.acquire(&machine, waiter)
        }
        let first = machine.connectFailed()
        #expect(first.failed == 1 && first.connects == 2)
        // They turn out to speak HTTP/2: one is used.
        let link = Link()
        #expect(machine.connected(link, limit: 10, at: Self.time(0)).next == [2, 3])
        #expect(machine.connected(Link(), limit: 10, at: Self.time(0)).next == nil)
        #expect(machine.openCount == 1)
        #expect(machine.closed(link) == 0 && machine.isEmpty)
        #expect(Self.acquire(&machine, 4) == "wait 3, connect 1")
        #expect(Self.acquire(&machine, 5) == "wait 4, connect 0")
    }

    @Test
    func `A connection that takes no further exchanges is replaced by one`() {
        var machine = Self.sharing()
        let (old, new) = (Link(), Link())
        _ = Self.acquire(&machine, 1)
        #expect(machine.connected(old, limit: 1, at: Self.time(0)).next == [1])
        for waiter in 2...4 {
            #expect(Self.acquire(&machine, waiter).hasSuffix("connect 0"))
        }
        #expect(machine.retired(old) == 1)
        #expect(machine.released(old, at: Self.time(1)) == nil)
        #expect(machine.connected(new, limit: 5, at: Self.time(1)).next == [2, 3, 4])
        #expect(machine.closed(old) == 0 && machine.openCount == 1)
        #expect(Self.acquire(&machine, 5) == "use")
    }

    @Test
    func `A connection for many grows old, idle and in use`() {
        var machine = Self.sharing(maximumAge: .seconds(90))
        let link = Link()
        _ = Self.acquire(&machine, 1)
        _ = machine.connected(link, limit: 5, at: Self.time(0))
        #expect(machine.released(link, at: Self.time(1))?.alarm == Self.time(61))
        #expect(Self.acquire(&machine, 2, at: 50) == "use")
        #expect(machine.sweep(at: Self.time(61)).expired.isEmpty)
        #expect(machine.released(link, at: Self.time(62))?.alarm == Self.time(90))
        #expect(machine.sweep(at: Self.time(90)).expired.map { $0 === link } == [true])
        #expect(Self.acquire(&machine, 3, at: 91).hasPrefix("wait"))
        // In use while it grows old: it ends with its last exchange.
        var used = Self.sharing(maximumAge: .seconds(90))
        _ = Self.acquire(&used, 1)
        _ = used.connected(link, limit: 5, at: Self.time(0))
        #expect(Self.acquire(&used, 2, at: 91) == "wait 1, connect 1")
        #expect(used.released(link, at: Self.time(92)) == nil)
    }

    @Test
    func `A further connection is made once all exchanges that the server allows are under way`() {
        var machine = Self.sharing(sharedLimit: 2)
        let (first, second) = (Link(), Link())
        for waiter in 1...4 {
            _ = Self.acquire(&machine, waiter)
        }
        var known = machine.connected(first, limit: 3, at: Self.time(0))
        #expect(known.next == [1, 2, 3] && known.connects == 1)
        #expect(machine.resized(first, limit: 2).connects == 0)
        // The next one carries as many as the server has said, although it has said nothing itself.
        #expect(Self.acquire(&machine, 5) == "wait 4, connect 0")
        #expect(Self.acquire(&machine, 6) == "wait 5, connect 0")
        known = machine.connected(second, limit: 100, at: Self.time(1))
        #expect(known.next == [4, 5] && known.connects == 0)
        #expect(machine.connected(Link(), limit: 100, at: Self.time(1)).next == nil)
        #expect(machine.released(first, at: Self.time(1))?.next == [])
        #expect(machine.released(first, at: Self.time(1))?.next == [6])
        #expect(machine.released(first, at: Self.time(1))?.next == [])
        // The first one is used first, so that the other one grows old.
        #expect(machine.released(second, at: Self.time(1))?.next == [])
        #expect(machine.released(second, at: Self.time(2))?.alarm == Self.time(62))
        guard case .use(let link) = machine.acquire(7, at: Self.time(3)) else {
            Issue.record("no connection")
            return
        }
        #expect(link === first)
        #expect(machine.sweep(at: Self.time(62)).expired.map { $0 === second } == [true])
    }

    @Test
    func `A server that allows no exchanges is left alone`() {
        var machine = Self.sharing(sharedLimit: 2)
        let link = Link()
        _ = Self.acquire(&machine, 1)
        _ = machine.connected(link, limit: 100, at: Self.time(0))
        #expect(machine.resized(link, limit: 0).connects == 0)
        #expect(Self.acquire(&machine, 2) == "wait 1, connect 0")
        #expect(machine.resized(link, limit: 2).next == [2])
    }

    @Test
    func `Once a server wants one exchange at a time, connections for many are closed`() {
        var machine = Self.sharing()
        let link = Link()
        _ = Self.acquire(&machine, 1)
        _ = machine.connected(link, limit: 1, at: Self.time(0))
        for waiter in 2...3 {
            _ = Self.acquire(&machine, waiter)
        }
        machine.requireOne()
        #expect(!machine.mayShare)
        #expect(machine.retired(link) == 2)
        // It was under way before.
        let late = machine.connected(Link(), limit: 9, at: Self.time(1))
        #expect(late.next == nil && late.connects == 1)
        #expect(Self.words(machine.connected(Link(), at: Self.time(1)).use) == "serve 2")
        #expect(machine.closed(link) == 0)
    }
}
