// SPDX-License-Identifier: MIT

import DequeModule

/// Decides who runs an operation that several want at the same time, who waits for it, and when nobody does any more.
///
/// A flight is one run of the operation. Whoever is in it is a passenger; the one who has been in it longest is its owner,
/// who is told what happens on the way and does what must be done once, such as storing the result.
struct SingleFlightStateMachine<Key: Hashable & Sendable, Event: Sendable, Value: Sendable>: Sendable {
    typealias FlightID = UInt64
    typealias PassengerID = UInt64

    /// What becomes of a newcomer.
    enum Boarding: Sendable {
        /// It must start the flight, and then wait.
        case start(FlightID, PassengerID)
        /// It must wait.
        case wait(PassengerID)
        /// The result is there already.
        case take(Value)
    }

    /// What a passenger gets when it asks.
    enum Delivery: Sendable {
        case event(Event)
        /// The result; `isOwner` tells who must see to what is done once, and then release the flight.
        case end(Result<Value, any Error>, flight: FlightID, isOwner: Bool)
    }

    private struct Flight {
        let key: Key
        var passengers: Set<PassengerID>
        var owner: PassengerID
        /// Whether the owner has the result, and will release the flight.
        var isOwned = false
        /// Whether nothing is left to do but to hand the result to those who are in it.
        var isReleased = false
        var result: Result<Value, any Error>?
    }

    private struct Passenger {
        let flight: FlightID
        var isWaiting = false
        var events: Deque<Event> = []
    }

    private var flights: [FlightID: Flight] = [:]
    private var passengers: [PassengerID: Passenger] = [:]
    private var current: [Key: FlightID] = [:]
    private var nextID: UInt64 = 0
    private var left: [Remains] = []

    /// What nobody needs any more, which is the caller's to let go of: values of others may run code when they end.
    struct Remains: Sendable {
        fileprivate let result: Result<Value, any Error>?
        fileprivate let events: Deque<Event>
    }

    /// Hands over what nobody needs any more.
    mutating func takeRemains() -> [Remains] {
        defer { left = [] }
        return left
    }

    /// How many flights there are, and how many passengers.
    var counts: (flights: Int, passengers: Int) { (flights.count, passengers.count) }

    /// Whether a passenger has neither its result nor left.
    func isAboard(_ id: PassengerID) -> Bool { passengers[id] != nil }

    /// Whether a flight has no result yet.
    func isUnderWay(_ id: FlightID) -> Bool { flights[id].map { $0.result == nil } ?? false }

    // MARK: Passengers

    /// Takes a newcomer.
    mutating func board(_ key: Key) -> Boarding {
        nextID += 1
        let passenger = nextID
        guard let id = current[key], let flight = flights[id] else {
            nextID += 1
            flights[nextID] = Flight(key: key, passengers: [passenger], owner: passenger)
            current[key] = nextID
            passengers[passenger] = Passenger(flight: nextID)
            return .start(nextID, passenger)
        }
        if case .success(let value) = flight.result {
            return .take(value)
        }
        flights[id]?.passengers.insert(passenger)
        passengers[passenger] = Passenger(flight: id)
        return .wait(passenger)
    }

    /// Gives a passenger what there is for it.
    ///
    /// - Returns: `nil` when it has to wait; then it is told when there is something.
    mutating func next(for id: PassengerID) -> Delivery? {
        guard var passenger = passengers[id], let flight = flights[passenger.flight] else {
            return nil
        }
        if let event = passenger.events.popFirst() {
            passengers[id] = passenger
            return .event(event)
        }
        if let result = flight.result {
            take(id, from: passenger.flight)
            return .end(result, flight: passenger.flight, isOwner: flight.owner == id)
        }
        passenger.isWaiting = true
        passengers[id] = passenger
        return nil
    }

    /// Lets a passenger go before the end.
    ///
    /// - Returns: The flight, when nobody is in it any more and it must be cancelled.
    mutating func leave(_ id: PassengerID) -> FlightID? {
        guard let passenger = passengers[id] else {
            return nil
        }
        discard(id)
        flights[passenger.flight]?.passengers.remove(id)
        guard let flight = flights[passenger.flight], flight.owner == id, !flight.isOwned else {
            endIfDone(passenger.flight)
            return nil
        }
        if let heir = flight.passengers.min() {
            flights[passenger.flight]?.owner = heir
            return nil
        }
        stopBoarding(passenger.flight)
        discard(flight: passenger.flight)
        return flight.result == nil ? passenger.flight : nil
    }

    // MARK: Flights

    /// Tells the owner of what happens on the way.
    ///
    /// - Returns: Whom to wake, with what.
    mutating func post(_ event: Event, on id: FlightID) -> (PassengerID, Delivery)? {
        guard let owner = flights[id]?.owner, var passenger = passengers[owner] else {
            return nil
        }
        guard passenger.isWaiting else {
            passenger.events.append(event)
            passengers[owner] = passenger
            return nil
        }
        passengers[owner]?.isWaiting = false
        return (owner, .event(event))
    }

    /// Ends a flight with its result.
    ///
    /// A flight that failed takes no further passengers; one that succeeded does until it is released.
    ///
    /// - Returns: Whom to wake, with what.
    mutating func land(_ id: FlightID, with result: Result<Value, any Error>) -> [(PassengerID, Delivery)] {
        guard let flight = flights[id] else {
            return []
        }
        flights[id]?.result = result
        if case .failure = result {
            flights[id]?.isReleased = true
            stopBoarding(id)
        }
        let waiting = flight.passengers.filter { passengers[$0]?.isWaiting == true }.sorted()
        for passenger in waiting {
            take(passenger, from: id)
        }
        return waiting.map { ($0, .end(result, flight: id, isOwner: $0 == flight.owner)) }
    }

    /// Takes no more passengers into a flight: what had to be done once is done.
    mutating func release(_ id: FlightID) {
        flights[id]?.isReleased = true
        stopBoarding(id)
        endIfDone(id)
    }

    // MARK: Parts

    /// Notes that a passenger has its result.
    private mutating func take(_ id: PassengerID, from flight: FlightID) {
        discard(id)
        flights[flight]?.passengers.remove(id)
        if flights[flight]?.owner == id {
            flights[flight]?.isOwned = true
        }
        endIfDone(flight)
    }

    private mutating func endIfDone(_ id: FlightID) {
        if let flight = flights[id], flight.isReleased, flight.passengers.isEmpty {
            discard(flight: id)
        }
    }

    private mutating func discard(_ id: PassengerID) {
        if let passenger = passengers.removeValue(forKey: id), !passenger.events.isEmpty {
            left.append(Remains(result: nil, events: passenger.events))
        }
    }

    private mutating func discard(flight id: FlightID) {
        if let flight = flights.removeValue(forKey: id), let result = flight.result {
            left.append(Remains(result: result, events: []))
        }
    }

    private mutating func stopBoarding(_ id: FlightID) {
        if let key = flights[id]?.key, current[key] == id {
            current[key] = nil
        }
    }
}
