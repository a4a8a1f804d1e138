// SPDX-License-Identifier: MIT

/// Those who hold a slot: pure, without lock, clock or task.
///
/// Places are used again, so that taking and giving back a slot allocates nothing.
struct SlotTable {
    /// Names one grant of a slot for as long as the pool lives.
    struct Slot: Hashable, Sendable {
        /// Where it is in the table.
        let place: Int
        /// Tells it apart from those that had the place before.
        let serial: UInt64
    }

    /// How a slot is bound up with others.
    struct Links {
        /// Where its holder is counted.
        var lane: Int32
        /// Whose slot the holder uses, by its place; ``none`` when it has one of its own.
        var lender: Int32
        /// Who uses the holder's slot, by its place.
        var borrower = Links.none

        static let none: Int32 = -1
    }

    /// One who holds a slot, or a place for one.
    private struct Entry {
        var demand: SlotDemand?
        var serial: UInt64
        /// For an empty place, the next empty one stands in place of the lender.
        var links: Links

        /// Lets someone in; returns the next empty place.
        mutating func occupy(_ demand: SlotDemand, _ serial: UInt64, _ links: Links) -> Int32 {
            let next = self.links.lender
            self.demand = demand
            self.serial = serial
            self.links = links
            return next
        }

        /// Lets the one out who has that serial number; returns how it was bound up.
        mutating func vacate(_ serial: UInt64, next: Int32) -> Links? {
            guard self.serial == serial else {
                return nil
            }
            let links = links
            demand = nil
            self.serial = 0
            self.links.lender = next
            return links
        }
    }

    private var entries: [Entry] = []
    private var firstVacant = Links.none
    private var lastSerial: UInt64 = 0

    /// All that hold a slot.
    var holders: [(demand: SlotDemand, isNested: Bool)] {
        entries.compactMap { entry in entry.demand.map { ($0, entry.links.lender != Links.none) } }
    }

    /// Whether the slot has not been given back.
    func contains(_ slot: Slot) -> Bool {
        slot.place < entries.count && entries[slot.place].serial == slot.serial
    }

    /// What a slot is used for; `nil` when it was given back.
    func demand(of slot: Slot) -> SlotDemand? {
        contains(slot) ? entries[slot.place].demand : nil
    }

    /// How the slot at a place is bound up with others.
    subscript(place: Int32) -> Links {
        get { entries[Int(place)].links }
        set { entries[Int(place)].links = newValue }
    }

    /// Adds one who holds a slot.
    mutating func insert(_ demand: SlotDemand, _ links: Links) -> Slot {
        lastSerial += 1
        guard firstVacant != Links.none else {
            entries.append(Entry(demand: demand, serial: lastSerial, links: links))
            return Slot(place: entries.count - 1, serial: lastSerial)
        }
        let place = Int(firstVacant)
        firstVacant = entries[place].occupy(demand, lastSerial, links)
        return Slot(place: place, serial: lastSerial)
    }

    /// Removes the one who holds a slot, and tells how it was bound up; `nil` when the slot was given back before.
    mutating func remove(_ slot: Slot) -> Links? {
        guard slot.place < entries.count, let links = entries[slot.place].vacate(slot.serial, next: firstVacant) else {
            return nil
        }
        firstVacant = Int32(slot.place)
        return links
    }

    /// Notes since when the holder of a slot works.
    mutating func begin(_ slot: Slot, at now: Duration) {
        if contains(slot) {
            entries[slot.place].demand?.since = now
        }
    }

    /// Moves those who work for a server into its new lane; returns how many they are.
    mutating func move(_ server: ServerAlias, to lane: Int) -> Int {
        let places = entries.indices.filter { entries[$0].demand?.server == server }
        for place in places {
            entries[place].links.lane = Int32(lane)
        }
        return places.count
    }
}
