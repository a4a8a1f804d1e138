// SPDX-License-Identifier: MIT

/// The places of those who wait for a slot: pure, without lock, clock or task.
///
/// A seat knows its neighbours in its queue, so that whoever leaves does so in constant time. Seats are used again.
struct WaiterSeats {
    /// Names one waiter for as long as the pool lives.
    struct WaiterID: Hashable, Sendable {
        fileprivate let place: Int
        fileprivate let serial: UInt64
    }

    /// A waiter and its neighbours in its queue.
    struct Seat {
        fileprivate let serial: UInt64
        let demand: SlotDemand
        /// Whose slot it may use, by its place; `nil` when it needs one of its own.
        var lender: Int32?
        /// How many came before.
        var arrival: UInt64 = 0
        /// Its queue in its section.
        var queue = 0
        var previous: Int?
        var next: Int?
    }

    private var places: [Seat?] = []
    private var vacant: [Int] = []
    private var lastSerial: UInt64 = 0
    private var lastArrival: UInt64 = 0

    /// How many wait.
    var count: Int { places.count - vacant.count }

    /// The one who waits at a place.
    subscript(place: Int) -> Seat? {
        places[place]
    }

    /// Where a waiter is; `nil` when it does not wait any more.
    func place(of id: WaiterID) -> Int? {
        guard id.place < places.count, places[id.place]?.serial == id.serial else {
            return nil
        }
        return id.place
    }

    /// The name of the one who waits at a place.
    func id(at place: Int) -> WaiterID? {
        places[place].map { WaiterID(place: place, serial: $0.serial) }
    }

    /// The places of all who wait, in the order of their arrival.
    var occupied: [Int] {
        places.indices.filter { places[$0] != nil }.sorted { arrival(at: $0) < arrival(at: $1) }
    }

    /// How many came before the one who waits at a place.
    func arrival(at place: Int) -> UInt64 {
        places[place]?.arrival ?? 0
    }

    /// Gives one who comes a place.
    mutating func insert(_ demand: SlotDemand, lender: Int32?) -> (place: Int, id: WaiterID) {
        lastSerial += 1
        let seat = Seat(serial: lastSerial, demand: demand, lender: lender)
        if let place = vacant.popLast() {
            places[place] = seat
            return (place, WaiterID(place: place, serial: lastSerial))
        }
        places.append(seat)
        return (places.count - 1, WaiterID(place: places.count - 1, serial: lastSerial))
    }

    /// Frees the place of one who leaves.
    mutating func remove(at place: Int) {
        places[place] = nil
        vacant.append(place)
    }

    /// Lets the one who waits at a place be the last that came.
    mutating func arrive(_ place: Int) {
        lastArrival += 1
        places[place]?.arrival = lastArrival
    }

    /// Changes the one who waits at a place.
    mutating func update(_ place: Int, _ change: (inout Seat) -> Void) {
        if var seat = places[place] {
            change(&seat)
            places[place] = seat
        }
    }
}
