// SPDX-License-Identifier: MIT

/// Decides who may work: pure, without lock, clock or task.
///
/// After each change nobody waits who could work: whoever comes and finds room overtakes no one.
struct WorkerPoolStateMachine {
    typealias WaiterID = WaitingRoom.WaiterID
    typealias Slot = SlotTable.Slot
    private typealias Links = SlotTable.Links

    /// What `acquire` decided.
    enum Acquisition: Equatable {
        case granted(Slot)
        case wait(WaiterID)
    }

    /// A waiter that may work now.
    struct Grant: Equatable {
        let waiter: WaiterID
        let slot: Slot
    }

    /// How many may work at once; zero stands for any number.
    private(set) var size: Int
    /// How many slots are taken.
    private(set) var running = 0
    /// How many use the slot of the job that started them.
    private var borrowing = 0
    private var lanes = ServerLanes()
    private var slots = SlotTable()
    private var room = WaitingRoom()

    init(size: Int) {
        self.size = max(0, size)
    }

    // MARK: Looking

    /// How many wait.
    var waitingCount: Int { room.count }

    /// Whether whoever is done with a slot must give it back before going on: others wait, too many work, or somebody whom a
    /// job left behind uses its slot.
    var isInDemand: Bool { room.count > 0 || borrowing > 0 || (size > 0 && running > size) }

    /// What a slot is used for; `nil` when it was given back.
    func demand(of slot: Slot) -> SlotDemand? { slots.demand(of: slot) }

    /// Whether a waiter still waits.
    func isWaiting(_ id: WaiterID) -> Bool { room.contains(id) }

    /// The limits of the servers that have one.
    var limits: [ServerAlias: Int] { lanes.limits }

    /// The limit of a server; zero when it has none.
    func limit(of server: ServerAlias) -> Int { lanes.limit(of: server) }

    /// All that work.
    var holders: [(demand: SlotDemand, isNested: Bool)] { slots.holders }

    /// All that wait, the highest priority first.
    var waiters: [(demand: SlotDemand, isNested: Bool)] { room.demands }

    // MARK: Slots

    /// Takes a slot if there is one, and room at the server.
    mutating func acquireIfFree(_ demand: SlotDemand) -> Slot? {
        let lane = lanes.lane(of: demand)
        guard hasFreeSlot, demand.terms == .exceeds || lanes.hasRoom(in: lane) else {
            return nil
        }
        return occupy(demand, lender: nil)
    }

    /// Asks for a slot: granted if there is one and room at the server, else queued.
    ///
    /// - Parameters:
    ///   - demand: Who asks, and on what terms.
    ///   - loan: The slot of the job that started the work, which may be used when no other is free.
    /// - Returns: The slot, or the name of the one who waits.
    mutating func acquire(_ demand: SlotDemand, loan: Slot? = nil) -> Acquisition {
        if let slot = acquireIfFree(demand) {
            return .granted(slot)
        }
        let lender = loan.flatMap(lender(of:))
        let lane = demand.terms == .exceeds ? ServerLanes.shared : lanes.lane(of: demand)
        if let lender, slots[lender].borrower == Links.none, lanes.hasRoom(in: lane) {
            return .granted(occupy(demand, lender: lender))
        }
        return .wait(room.enter(demand, lane: lane, lender: lender))
    }

    /// Notes when one that had to wait began to work.
    mutating func begin(_ slot: Slot, at now: Duration) {
        slots.begin(slot, at: now)
    }

    /// Gives a slot back, unless someone waits; `false` if it was not given back.
    mutating func releaseIfQuiet(_ slot: Slot) -> Bool {
        guard room.count == 0 else {
            return false
        }
        vacate(slot)
        return true
    }

    /// Gives a slot back.
    ///
    /// - Parameters:
    ///   - slot: What was granted; giving it back twice does nothing.
    ///   - heir: The slot that those may use instead whom this one was lent to.
    /// - Returns: Who may work now.
    mutating func release(_ slot: Slot, heir: Slot? = nil) -> [Grant] {
        vacate(slot)
        guard room.count > 0 else {
            return []
        }
        room.move(from: Int32(slot.place), to: heir.flatMap(lender(of:)))
        return grant()
    }

    /// Takes a waiter out of its queue; `false` when it does not wait any more.
    mutating func cancel(_ id: WaiterID) -> Bool {
        room.leave(id)
    }

    // MARK: Limits

    /// Changes the size, without interrupting running work; returns who may work now.
    mutating func resize(to newSize: Int) -> [Grant] {
        size = max(0, newSize)
        return grant()
    }

    /// Changes the limit of a server, without interrupting running work; zero removes it, and who may work now is returned.
    mutating func setLimit(_ limit: Int, of server: ServerAlias) -> [Grant] {
        if let lane = lanes.setLimit(limit, of: server) {
            for _ in 0..<slots.move(server, to: lane) {
                lanes.enter(lane)
            }
            room.move(server, to: lane)
        }
        return grant()
    }

    // MARK: Parts

    private var hasFreeSlot: Bool { size == 0 || running < size }

    /// The place of a slot that is lent; `nil` when it was given back.
    private func lender(of loan: Slot) -> Int32? {
        slots.contains(loan) ? Int32(loan.place) : nil
    }

    private mutating func occupy(_ demand: SlotDemand, lender: Int32?) -> Slot {
        let lane = lanes.lane(of: demand)
        lanes.enter(lane)
        let slot = slots.insert(demand, Links(lane: Int32(lane), lender: lender ?? Links.none))
        if let lender {
            slots[lender].borrower = Int32(slot.place)
            borrowing += 1
        } else {
            running += 1
        }
        return slot
    }

    private mutating func vacate(_ slot: Slot) {
        guard let links = slots.remove(slot) else {
            return
        }
        lanes.leave(Int(links.lane))
        if links.lender != Links.none || links.borrower != Links.none {
            borrowing -= 1
        }
        if links.borrower != Links.none {
            // Work that the job left behind goes on with what the job had.
            slots[links.borrower].lender = links.lender
        } else if links.lender == Links.none {
            running -= 1
        }
        if links.lender != Links.none {
            slots[links.lender].borrower = links.borrower
        }
    }

    /// Lets all work who can: first those who have nothing yet, then those whose job has a slot that it lends.
    private mutating func grant() -> [Grant] {
        guard room.count > 0 else {
            return []
        }
        var grants: [Grant] = []
        while hasFreeSlot, let waiter = room.next(lanes) {
            grants.append(Grant(waiter: waiter.id, slot: occupy(waiter.demand, lender: nil)))
        }
        while room.hasNested, let waiter = nextNested() {
            let lender = hasFreeSlot ? nil : waiter.lender
            grants.append(Grant(waiter: waiter.id, slot: occupy(waiter.demand, lender: lender)))
        }
        return grants
    }

    private mutating func nextNested() -> WaitingRoom.Waiter? {
        let (slots, hasFreeSlot) = (slots, hasFreeSlot)
        return room.nextNested(lanes) { lender in hasFreeSlot || slots[lender].borrower == Links.none }
    }
}
