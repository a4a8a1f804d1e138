// SPDX-License-Identifier: MIT

import SeededRandom
import Testing

@testable import RestClient

@Suite
struct SingleFlightStateMachineTests {
    private typealias Machine = SingleFlightStateMachine<String, String, Int>

    private struct Failure: Error {}

    /// A machine with one flight and some callers, the first of which started it.
    private static func flying(callers count: Int) -> (machine: Machine, flight: UInt64, callers: [UInt64]) {
        var machine = Machine()
        var flight: UInt64 = 0
        var callers: [UInt64] = []
        for _ in 0..<count {
            switch machine.join("key") {
            case .start(let id, let caller):
                flight = id
                callers.append(caller)
            case .wait(let caller):
                callers.append(caller)
            case .take:
                Issue.record("there is nothing to take yet")
            }
        }
        return (machine, flight, callers)
    }

    private static func text(_ delivery: Machine.Delivery?) -> String {
        switch delivery {
        case nil: "nothing"
        case .event(let event): "event \(event)"
        case .end(.success(let value), _, let isLeader): "\(isLeader ? "owns" : "gets") \(value)"
        case .end(.failure, _, _): "fails"
        }
    }

    @Test
    func `the first starts a flight, the others wait for it, and another key is another flight`() {
        var (machine, flight, callers) = Self.flying(callers: 3)

        #expect(callers.count == 3)
        #expect(machine.isUnderWay(flight))
        guard case .start(let other, _) = machine.join("other") else {
            Issue.record("another key must start a flight of its own")
            return
        }
        #expect(other != flight)
        #expect(machine.counts == (2, 4))
    }

    @Test
    func `everybody gets the result, and one of them owns it`() {
        var (machine, flight, callers) = Self.flying(callers: 3)
        // Two sleep, the third asks later.
        #expect(machine.next(for: callers[0]) == nil)
        #expect(machine.next(for: callers[1]) == nil)

        let woken = machine.finish(flight, with: .success(7))

        #expect(woken.map(\.0) == Array(callers.prefix(2)))
        #expect(woken.map { Self.text($0.1) } == ["owns 7", "gets 7"])
        #expect(Self.text(machine.next(for: callers[2])) == "gets 7")
        machine.release(flight)
        #expect(machine.counts == (0, 0))
    }

    @Test
    func `newcomers get the result until the leader releases the flight`() {
        var (machine, flight, callers) = Self.flying(callers: 1)
        _ = machine.finish(flight, with: .success(7))
        _ = machine.next(for: callers[0])

        guard case .take(7) = machine.join("key") else {
            Issue.record("the result must be given to a newcomer")
            return
        }
        machine.release(flight)
        guard case .start = machine.join("key") else {
            Issue.record("a released flight must take nobody")
            return
        }
    }

    @Test
    func `a caller that keeps a slot joins only a flight that holds one`() {
        var (machine, flight, callers) = Self.flying(callers: 1)
        #expect(machine.joinInSlot("key") == nil)

        machine.hold(1, on: flight)
        machine.hold(1, on: flight)
        machine.hold(-1, on: flight)
        guard case .wait(let follower) = machine.joinInSlot("key") else {
            Issue.record("a flight with a slot can be joined")
            return
        }
        machine.hold(-1, on: flight)
        #expect(machine.joinInSlot("key") == nil)
        guard case .wait = machine.join("key") else {
            Issue.record("a caller without a slot can always join")
            return
        }

        _ = machine.finish(flight, with: .success(7))
        #expect(Self.text(machine.next(for: callers[0])) == "owns 7")
        #expect(Self.text(machine.next(for: follower)) == "gets 7")
        guard case .take(7) = machine.joinInSlot("key") else {
            Issue.record("a result can be taken without a wait")
            return
        }
        machine.release(flight)
        guard case .start = machine.joinInSlot("key") else {
            Issue.record("a caller that keeps a slot can start a flight")
            return
        }
        // A flight that is over holds nothing.
        machine.hold(1, on: flight)
        #expect(machine.joinInSlot("key") == nil)
    }

    @Test
    func `a failure reaches everybody who waits, and no newcomer`() {
        var (machine, flight, callers) = Self.flying(callers: 2)
        #expect(machine.next(for: callers[0]) == nil)

        #expect(machine.finish(flight, with: .failure(Failure())).map { Self.text($0.1) } == ["fails"])
        guard case .start(let next, let caller) = machine.join("key") else {
            Issue.record("a failed flight must take nobody")
            return
        }
        #expect(next != flight)
        #expect(Self.text(machine.next(for: callers[1])) == "fails")
        #expect(machine.leave(caller) == next)
        #expect(machine.counts == (0, 0))
    }

    @Test
    func `the flight is cancelled when the last caller leaves, even if another one started it`() {
        var (machine, flight, callers) = Self.flying(callers: 3)

        #expect(machine.leave(callers[0]) == nil)
        #expect(machine.leave(callers[2]) == nil)
        #expect(machine.leave(callers[2]) == nil)
        #expect(machine.leave(callers[1]) == flight)
        #expect(machine.counts == (0, 0))
        // Its result is not delivered to any caller.
        #expect(machine.finish(flight, with: .success(7)).isEmpty)
        guard case .start = machine.join("key") else {
            Issue.record("a cancelled flight must take nobody")
            return
        }
    }

    @Test
    func `the caller that has waited longest receives the events`() {
        var (machine, flight, callers) = Self.flying(callers: 3)
        #expect(machine.next(for: callers[0]) == nil)

        let woken = machine.post("one", on: flight)
        #expect(woken?.0 == callers[0])
        #expect(Self.text(woken?.1) == "event one")
        // It is awake now and has not asked again: this one is kept for it.
        #expect(machine.post("two", on: flight) == nil)
        #expect(Self.text(machine.next(for: callers[0])) == "event two")
        #expect(machine.leave(callers[0]) == nil)
        #expect(machine.post("three", on: flight) == nil)
        #expect(Self.text(machine.next(for: callers[1])) == "event three")
        #expect(machine.next(for: callers[2]) == nil)
    }

    @Test
    func `a caller that leaves may take the events that it had not received`() {
        var (machine, flight, callers) = Self.flying(callers: 2)
        _ = machine.post("one", on: flight)
        _ = machine.post("two", on: flight)

        #expect(machine.takeUnheard(of: callers[0]).isEmpty)
        #expect(machine.leave(callers[0]) == nil)
        #expect(machine.post("three", on: flight) == nil)

        #expect(machine.takeUnheard(of: callers[0]) == ["one", "two"])
        #expect(machine.takeUnheard(of: callers[0]).isEmpty)
        #expect(Self.text(machine.next(for: callers[1])) == "event three")
    }

    @Test
    func `events come before the result`() {
        var (machine, flight, callers) = Self.flying(callers: 1)
        _ = machine.post("one", on: flight)
        _ = machine.finish(flight, with: .success(7))

        #expect(Self.text(machine.next(for: callers[0])) == "event one")
        #expect(Self.text(machine.next(for: callers[0])) == "owns 7")
        #expect(machine.next(for: callers[0]) == nil)
        #expect(!machine.isMember(callers[0]))
    }

    @Test
    func `an leader that leaves after the landing hands its duty on, and the last one takes it along`() {
        var (machine, flight, callers) = Self.flying(callers: 2)
        _ = machine.finish(flight, with: .success(7))

        #expect(machine.leave(callers[0]) == nil)
        #expect(Self.text(machine.next(for: callers[1])) == "owns 7")
        machine.release(flight)
        #expect(machine.counts == (0, 0))

        var (other, ended, alone) = Self.flying(callers: 1)
        _ = other.finish(ended, with: .success(7))
        #expect(other.leave(alone[0]) == nil)
        #expect(other.counts == (0, 0))
    }

    @Test(arguments: 0..<200)
    func `no caller is forgotten in any order of events`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var machine = Machine()
        var members: Set<UInt64> = []
        var underWay: Set<UInt64> = []
        var held: Set<UInt64> = []

        func take(_ delivery: Machine.Delivery?, _ caller: UInt64) {
            if case .end(let result, let flight, let isLeader) = delivery {
                #expect(members.remove(caller) != nil)
                if isLeader, case .success = result {
                    #expect(held.insert(flight).inserted, "two own one flight")
                }
            }
        }
        for _ in 0..<300 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1:
                switch machine.join(["a", "b"].randomElement(using: &random) ?? "a") {
                case .start(let flight, let caller):
                    underWay.insert(flight)
                    members.insert(caller)
                case .wait(let caller): members.insert(caller)
                case .take: break
                }
            case 2:
                if let caller = members.randomElement(using: &random) {
                    take(machine.next(for: caller), caller)
                }
            case 3:
                if let caller = members.randomElement(using: &random) {
                    members.remove(caller)
                    if let flight = machine.leave(caller) { #expect(underWay.remove(flight) != nil) }
                }
            case 4:
                if let flight = underWay.randomElement(using: &random) {
                    underWay.remove(flight)
                    let result: Result<Int, any Error> =
                        Bool.random(using: &random) ? .success(1) : .failure(Failure())
                    for (caller, delivery) in machine.finish(flight, with: result) { take(delivery, caller) }
                }
            default:
                if let flight = held.randomElement(using: &random) {
                    held.remove(flight)
                    machine.release(flight)
                }
            }
        }
        for flight in underWay {
            for (caller, delivery) in machine.finish(flight, with: .success(1)) { take(delivery, caller) }
        }
        for caller in members.sorted() {
            take(machine.next(for: caller) ?? machine.next(for: caller), caller)
        }
        for flight in held { machine.release(flight) }
        #expect(members.isEmpty)
        #expect(machine.counts == (0, 0))
    }
}
