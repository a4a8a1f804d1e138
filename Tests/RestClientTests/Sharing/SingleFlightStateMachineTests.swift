// SPDX-License-Identifier: MIT

import SeededRandom
import Testing

@testable import RestClient

@Suite
struct SingleFlightStateMachineTests {
    private typealias Machine = SingleFlightStateMachine<String, String, Int>

    private struct Failure: Error {}

    /// A machine with one flight and some passengers, the first of which started it.
    private static func flying(passengers count: Int) -> (machine: Machine, flight: UInt64, passengers: [UInt64]) {
        var machine = Machine()
        var flight: UInt64 = 0
        var passengers: [UInt64] = []
        for _ in 0..<count {
            switch machine.board("key") {
            case .start(let id, let passenger):
                flight = id
                passengers.append(passenger)
            case .wait(let passenger):
                passengers.append(passenger)
            case .take:
                Issue.record("there is nothing to take yet")
            }
        }
        return (machine, flight, passengers)
    }

    private static func text(_ delivery: Machine.Delivery?) -> String {
        switch delivery {
        case nil: "nothing"
        case .event(let event): "event \(event)"
        case .end(.success(let value), _, let isOwner): "\(isOwner ? "owns" : "gets") \(value)"
        case .end(.failure, _, _): "fails"
        }
    }

    @Test
    func `the first starts a flight, the others wait for it, and another key is another flight`() {
        var (machine, flight, passengers) = Self.flying(passengers: 3)

        #expect(passengers.count == 3)
        #expect(machine.isUnderWay(flight))
        guard case .start(let other, _) = machine.board("other") else {
            Issue.record("another key must start a flight of its own")
            return
        }
        #expect(other != flight)
        #expect(machine.counts == (2, 4))
    }

    @Test
    func `everybody gets the result, and one of them owns it`() {
        var (machine, flight, passengers) = Self.flying(passengers: 3)
        // Two sleep, the third asks later.
        #expect(machine.next(for: passengers[0]) == nil)
        #expect(machine.next(for: passengers[1]) == nil)

        let woken = machine.land(flight, with: .success(7))

        #expect(woken.map(\.0) == Array(passengers.prefix(2)))
        #expect(woken.map { Self.text($0.1) } == ["owns 7", "gets 7"])
        #expect(Self.text(machine.next(for: passengers[2])) == "gets 7")
        machine.release(flight)
        #expect(machine.counts == (0, 0))
    }

    @Test
    func `newcomers get the result until the owner releases the flight`() {
        var (machine, flight, passengers) = Self.flying(passengers: 1)
        _ = machine.land(flight, with: .success(7))
        _ = machine.next(for: passengers[0])

        guard case .take(7) = machine.board("key") else {
            Issue.record("the result must be given to a newcomer")
            return
        }
        machine.release(flight)
        guard case .start = machine.board("key") else {
            Issue.record("a released flight must take nobody")
            return
        }
    }

    @Test
    func `a failure reaches everybody who waits, and no newcomer`() {
        var (machine, flight, passengers) = Self.flying(passengers: 2)
        #expect(machine.next(for: passengers[0]) == nil)

        #expect(machine.land(flight, with: .failure(Failure())).map { Self.text($0.1) } == ["fails"])
        guard case .start(let next, let passenger) = machine.board("key") else {
            Issue.record("a failed flight must take nobody")
            return
        }
        #expect(next != flight)
        #expect(Self.text(machine.next(for: passengers[1])) == "fails")
        #expect(machine.leave(passenger) == next)
        #expect(machine.counts == (0, 0))
    }

    @Test
    func `the flight is cancelled when the last one leaves, whoever began it`() {
        var (machine, flight, passengers) = Self.flying(passengers: 3)

        #expect(machine.leave(passengers[0]) == nil)
        #expect(machine.leave(passengers[2]) == nil)
        #expect(machine.leave(passengers[2]) == nil)
        #expect(machine.leave(passengers[1]) == flight)
        #expect(machine.counts == (0, 0))
        // What it brings now is for nobody.
        #expect(machine.land(flight, with: .success(7)).isEmpty)
        guard case .start = machine.board("key") else {
            Issue.record("a cancelled flight must take nobody")
            return
        }
    }

    @Test
    func `the one who has been in it longest is told what happens`() {
        var (machine, flight, passengers) = Self.flying(passengers: 3)
        #expect(machine.next(for: passengers[0]) == nil)

        let woken = machine.post("one", on: flight)
        #expect(woken?.0 == passengers[0])
        #expect(Self.text(woken?.1) == "event one")
        // It is awake now and has not asked again: this one is kept for it.
        #expect(machine.post("two", on: flight) == nil)
        #expect(Self.text(machine.next(for: passengers[0])) == "event two")
        #expect(machine.leave(passengers[0]) == nil)
        #expect(machine.post("three", on: flight) == nil)
        #expect(Self.text(machine.next(for: passengers[1])) == "event three")
        #expect(machine.next(for: passengers[2]) == nil)
    }

    @Test
    func `events come before the result`() {
        var (machine, flight, passengers) = Self.flying(passengers: 1)
        _ = machine.post("one", on: flight)
        _ = machine.land(flight, with: .success(7))

        #expect(Self.text(machine.next(for: passengers[0])) == "event one")
        #expect(Self.text(machine.next(for: passengers[0])) == "owns 7")
        #expect(machine.next(for: passengers[0]) == nil)
        #expect(!machine.isAboard(passengers[0]))
    }

    @Test
    func `an owner that leaves after the landing hands its duty on, and the last one takes it along`() {
        var (machine, flight, passengers) = Self.flying(passengers: 2)
        _ = machine.land(flight, with: .success(7))

        #expect(machine.leave(passengers[0]) == nil)
        #expect(Self.text(machine.next(for: passengers[1])) == "owns 7")
        machine.release(flight)
        #expect(machine.counts == (0, 0))

        var (other, landed, alone) = Self.flying(passengers: 1)
        _ = other.land(landed, with: .success(7))
        #expect(other.leave(alone[0]) == nil)
        #expect(other.counts == (0, 0))
    }

    @Test(arguments: 0..<200)
    func `whatever happens in whatever order, nobody is forgotten`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var machine = Machine()
        var aboard: Set<UInt64> = []
        var underWay: Set<UInt64> = []
        var held: Set<UInt64> = []

        func take(_ delivery: Machine.Delivery?, _ passenger: UInt64) {
            if case .end(let result, let flight, let isOwner) = delivery {
                #expect(aboard.remove(passenger) != nil)
                if isOwner, case .success = result {
                    #expect(held.insert(flight).inserted, "two own one flight")
                }
            }
        }
        for _ in 0..<300 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1:
                switch machine.board(["a", "b"].randomElement(using: &random) ?? "a") {
                case .start(let flight, let passenger):
                    underWay.insert(flight)
                    aboard.insert(passenger)
                case .wait(let passenger): aboard.insert(passenger)
                case .take: break
                }
            case 2:
                if let passenger = aboard.randomElement(using: &random) {
                    take(machine.next(for: passenger), passenger)
                }
            case 3:
                if let passenger = aboard.randomElement(using: &random) {
                    aboard.remove(passenger)
                    if let flight = machine.leave(passenger) { #expect(underWay.remove(flight) != nil) }
                }
            case 4:
                if let flight = underWay.randomElement(using: &random) {
                    underWay.remove(flight)
                    let result: Result<Int, any Error> =
                        Bool.random(using: &random) ? .success(1) : .failure(Failure())
                    for (passenger, delivery) in machine.land(flight, with: result) { take(delivery, passenger) }
                }
            default:
                if let flight = held.randomElement(using: &random) {
                    held.remove(flight)
                    machine.release(flight)
                }
            }
        }
        for flight in underWay {
            for (passenger, delivery) in machine.land(flight, with: .success(1)) { take(delivery, passenger) }
        }
        for passenger in aboard.sorted() {
            take(machine.next(for: passenger) ?? machine.next(for: passenger), passenger)
        }
        for flight in held { machine.release(flight) }
        #expect(aboard.isEmpty)
        #expect(machine.counts == (0, 0))
    }
}
