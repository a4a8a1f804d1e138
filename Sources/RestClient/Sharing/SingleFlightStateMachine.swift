// SPDX-License-Identifier: MIT

import DequeModule

/// Decides which caller starts an operation, which ones wait for it, and when it is cancelled.
///
/// A flight is one run of the operation. The caller that has waited longest is the leader: it receives the events, and
/// does what must happen once, such as storing the result. The others are followers.
struct SingleFlightStateMachine<Key: Hashable & Sendable, Event: Sendable, Value: Sendable>: Sendable {
    typealias FlightID = UInt64
    typealias CallerID = UInt64

    enum Joining: Sendable {
        /// It must start the flight, and then wait.
        case start(FlightID, CallerID)
        /// It must wait.
        case wait(CallerID)
        /// The result is available.
        case take(Value)
    }

    enum Delivery: Sendable {
        case event(Event)
        /// The result. The leader performs the actions that must happen once, and then releases the flight.
        case end(Result<Value, any Error>, flight: FlightID, isLeader: Bool)
    }

    private struct Flight {
        let key: Key
        var callers: Set<CallerID>
        var leader: CallerID
        /// True if the leader has the result, and will release the flight.
        var hasLeaderResult = false
        /// True if only the result remains to be delivered.
        var isReleased = false
        var result: Result<Value, any Error>?
        /// The number of worker slots that the operation holds.
        var slotCount = 0
    }

    private struct Caller {
        let flight: FlightID
        var isWaiting = false
        var events: Deque<Event> = []
    }

    private var flights: [FlightID: Flight] = [:]
    private var callers: [CallerID: Caller] = [:]
    private var current: [Key: FlightID] = [:]
    private var nextID: UInt64 = 0
    /// The events that callers had not received when they left.
    private var unheard: [CallerID: Deque<Event>] = [:]
    private var unneeded: [Result<Value, any Error>] = []

    /// Returns results that are no longer needed, to be released outside the lock: their deinitialisers may run code.
    mutating func takeUnneeded() -> [Result<Value, any Error>] {
        defer { unneeded = [] }
        return unneeded
    }

    /// The number of flights, and of callers.
    var counts: (flights: Int, callers: Int) { (flights.count, callers.count) }

    /// Returns true if a caller has neither received its result nor left.
    func isMember(_ id: CallerID) -> Bool { callers[id] != nil }

    /// Returns true if a flight has no result yet.
    func isUnderWay(_ id: FlightID) -> Bool { flights[id].map { $0.result == nil } ?? false }

    // MARK: - Callers

    mutating func join(_ key: Key) -> Joining {
        nextID += 1
        let caller = nextID
        guard let id = current[key], let flight = flights[id] else {
            nextID += 1
            flights[nextID] = Flight(key: key, callers: [caller], leader: caller)
            current[key] = nextID
            callers[caller] = Caller(flight: nextID)
            return .start(nextID, caller)
        }
        if case .success(let value) = flight.result {
            return .take(value)
        }
        flights[id]?.callers.insert(caller)
        callers[caller] = Caller(flight: id)
        return .wait(caller)
    }

    /// Adds a caller that keeps a worker slot while it waits; `nil` if the flight holds no slot, so that the caller
    /// might wait for itself.
    mutating func joinInSlot(_ key: Key) -> Joining? {
        if let id = current[key], let flight = flights[id], flight.result == nil, flight.slotCount == 0 {
            return nil
        }
        return join(key)
    }

    /// Returns the next delivery for a caller; `nil` if it has to wait.
    mutating func next(for id: CallerID) -> Delivery? {
        guard var caller = callers[id], let flight = flights[caller.flight] else {
            return nil
        }
        if let event = caller.events.popFirst() {
            callers[id] = caller
            return .event(event)
        }
        if let result = flight.result {
            take(id, from: caller.flight)
            return .end(result, flight: caller.flight, isLeader: flight.leader == id)
        }
        caller.isWaiting = true
        callers[id] = caller
        return nil
    }

    /// Removes a caller before the end; returns the flight if that has no callers left, and must be cancelled.
    mutating func leave(_ id: CallerID) -> FlightID? {
        guard let caller = callers.removeValue(forKey: id) else {
            return nil
        }
        if !caller.events.isEmpty {
            unheard[id] = caller.events
        }
        flights[caller.flight]?.callers.remove(id)
        guard let flight = flights[caller.flight], flight.leader == id, !flight.hasLeaderResult else {
            endIfDone(caller.flight)
            return nil
        }
        if let successor = flight.callers.min() {
            flights[caller.flight]?.leader = successor
            return nil
        }
        close(caller.flight)
        discard(flight: caller.flight)
        return flight.result == nil ? caller.flight : nil
    }

    /// Returns the events that a caller had not received when it left.
    mutating func takeUnheard(of id: CallerID) -> [Event] {
        Array(unheard.removeValue(forKey: id) ?? [])
    }

    // MARK: - Flights

    /// Delivers an event of the operation to the leader.
    mutating func post(_ event: Event, on id: FlightID) -> (CallerID, Delivery)? {
        guard let leader = flights[id]?.leader, var caller = callers[leader] else {
            return nil
        }
        guard caller.isWaiting else {
            caller.events.append(event)
            callers[leader] = caller
            return nil
        }
        callers[leader]?.isWaiting = false
        return (leader, .event(event))
    }

    /// Adds to the number of worker slots that a flight holds.
    mutating func hold(_ slots: Int, on id: FlightID) {
        flights[id]?.slotCount += slots
    }

    /// Ends a flight with its result; one that succeeded accepts callers until it is released.
    mutating func finish(_ id: FlightID, with result: Result<Value, any Error>) -> [(CallerID, Delivery)] {
        guard let flight = flights[id] else {
            return []
        }
        flights[id]?.result = result
        if case .failure = result {
            flights[id]?.isReleased = true
            close(id)
        }
        let waiting = flight.callers.filter { callers[$0]?.isWaiting == true }.sorted()
        for caller in waiting {
            take(caller, from: id)
        }
        return waiting.map { ($0, .end(result, flight: id, isLeader: $0 == flight.leader)) }
    }

    /// Closes a flight to new callers, once the actions that must happen once are done.
    mutating func release(_ id: FlightID) {
        flights[id]?.isReleased = true
        close(id)
        endIfDone(id)
    }

    // MARK: - Parts

    /// Records that a caller has its result.
    private mutating func take(_ id: CallerID, from flight: FlightID) {
        callers[id] = nil
        flights[flight]?.callers.remove(id)
        if flights[flight]?.leader == id {
            flights[flight]?.hasLeaderResult = true
        }
        endIfDone(flight)
    }

    private mutating func endIfDone(_ id: FlightID) {
        if let flight = flights[id], flight.isReleased, flight.callers.isEmpty {
            discard(flight: id)
        }
    }

    private mutating func discard(flight id: FlightID) {
        if let flight = flights.removeValue(forKey: id), let result = flight.result {
            unneeded.append(result)
        }
    }

    private mutating func close(_ id: FlightID) {
        if let key = flights[id]?.key, current[key] == id {
            current[key] = nil
        }
    }
}
