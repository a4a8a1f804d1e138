// SPDX-License-Identifier: MIT

/// Decides which work may run: a pure value, without locks, clocks or tasks.
///
/// Invariant: no waiter is left that could be granted, so a newcomer that finds a free slot overtakes no one.
struct WorkerPoolStateMachine {
    typealias WaiterID = WaitingLines.WaiterID
    typealias Slot = WorkerPool.Slot

    enum Acquisition: Equatable {
        case granted(Slot)
        case wait(WaiterID)
    }

    struct Grant: Equatable {
        let waiter: WaiterID
        let slot: Slot
    }

    /// The number of slots; zero means no limit.
    private(set) var size: Int
    /// True if no slot is free for new work, whatever the size.
    private(set) var isPaused = false
    private(set) var running = 0
    private var lanes = LimitLanes()
    private var slots = SerialTable<SlotUse>()
    private var lines = WaitingLines()

    init(size: Int) {
        self.size = max(0, size)
    }

    // MARK: - Queries

    var waitingCount: Int { lines.count }

    func demand(of slot: Slot) -> SlotDemand? { slots[slot]?.demand }

    func isWaiting(_ id: WaiterID) -> Bool { lines.contains(id) }

    var limits: [String: Int] { lanes.limits }

    func limit(of key: String) -> Int { lanes.limit(of: key) }

    var holders: [(demand: SlotDemand, isNested: Bool)] {
        slots.all.map { ($0.element.demand, $0.element.lender != nil) }
    }

    /// All waiting work, the highest priority first.
    var waiters: [(demand: SlotDemand, isNested: Bool)] { lines.demands }

    // MARK: - Slots

    mutating func acquireIfFree(_ demand: SlotDemand) -> Slot? {
        guard hasFreeSlot, demand.terms == .exceeds || lanes.hasRoom(in: lanes.lane(of: demand)) else {
            return nil
        }
        return occupy(demand, lender: nil)
    }

    mutating func acquire(_ demand: SlotDemand, loan: Slot? = nil) -> Acquisition {
        if let slot = acquireIfFree(demand) {
            return .granted(slot)
        }
        let lender = loan.flatMap { slots.contains($0) ? $0 : nil }
        let lane = demand.terms == .exceeds ? LimitLanes.shared : lanes.lane(of: demand)
        if let lender, isUnlent(lender), lanes.hasRoom(in: lane) {
            return .granted(occupy(demand, lender: lender))
        }
        return .wait(lines.enter(demand, lane: lane, lender: lender))
    }

    mutating func begin(_ slot: Slot, at now: Duration) {
        slots.update(slot) { $0.demand.since = now }
    }

    /// Releases a slot, unless that was done before; returns the waiters that may run now.
    ///
    /// The borrowers of the slot may use its heir instead, which is evaluated only if one of them waits.
    mutating func release(_ slot: Slot, heir: @autoclosure () -> Slot? = nil) -> [Grant] {
        vacate(slot)
        guard lines.count > 0 else {
            return []
        }
        lines.move(from: slot, to: heir().flatMap { slots.contains($0) ? $0 : nil })
        return grant()
    }

    /// Releases a slot and requests another one, like ``release(_:heir:)`` followed by ``acquire(_:loan:)``; without
    /// waiters, the slot is passed on directly.
    mutating func exchange(_ slot: Slot, for demand: SlotDemand, loan: Slot?) -> (Acquisition, [Grant]) {
        if lines.count == 0, !isPaused, size == 0 || running <= size, lanes.lane(of: demand) == LimitLanes.shared,
            slots.update(slot, { $0.hand(to: demand) }) == true
        {
            return (.granted(slot), [])
        }
        let grants = release(slot, heir: loan)
        return (acquire(demand, loan: loan), grants)
    }

    mutating func cancel(_ id: WaiterID) -> Bool {
        lines.leave(id)
    }

    mutating func cancelAll(of holder: any SlotHolder) -> [WaiterID] {
        lines.waiters(of: holder).filter { lines.leave($0) }
    }

    // MARK: - Limits

    /// Changes the size, without interrupting running work; returns the waiters that may run now.
    mutating func resize(to newSize: Int) -> [Grant] {
        size = max(0, newSize)
        return grant()
    }

    /// Pauses or resumes the pool, without interrupting running work; returns the waiters that may run now.
    mutating func setPaused(_ isPaused: Bool) -> [Grant] {
        self.isPaused = isPaused
        return grant()
    }

    /// Changes the limit of a key, or removes it if it is zero; returns the waiters that may run now.
    mutating func setLimit(_ limit: Int, of key: String) -> [Grant] {
        if let lane = lanes.setLimit(limit, of: key) {
            for (slot, holder) in slots.all where holder.demand.limitKey == key {
                slots.update(slot) { $0.lane = lane }
                lanes.enter(lane)
            }
            lines.move(key, to: lane)
        }
        return grant()
    }

    // MARK: - Parts

    private var hasFreeSlot: Bool { !isPaused && (size == 0 || running < size) }

    private func isUnlent(_ slot: Slot?) -> Bool {
        slot.flatMap { slots[$0]?.borrower } == nil
    }

    private mutating func occupy(_ demand: SlotDemand, lender: Slot?) -> Slot {
        let lane = lanes.lane(of: demand)
        lanes.enter(lane)
        let slot = slots.insert(SlotUse(demand: demand, lane: lane, lender: lender))
        if let lender {
            slots.update(lender) { $0.borrower = slot }
        } else {
            running += 1
        }
        return slot
    }

    private mutating func vacate(_ slot: Slot) {
        guard let holder = slots.remove(slot) else {
            return
        }
        lanes.leave(holder.lane)
        if let borrower = holder.borrower {
            // Work that outlives the job continues with what the job had.
            slots.update(borrower) { $0.lender = holder.lender }
        } else if holder.lender == nil {
            running -= 1
        }
        if let lender = holder.lender {
            slots.update(lender) { $0.borrower = holder.borrower }
        }
    }

    /// Grants slots to all work that can run: first to work without a slot, then to work that may use the slot of its
    /// job.
    private mutating func grant() -> [Grant] {
        var grants: [Grant] = []
        while hasFreeSlot, let (id, waiter) = lines.next(lanes, of: CollectionOfOne(nil)) {
            grants.append(Grant(waiter: id, slot: occupy(waiter.demand, lender: nil)))
        }
        while let (id, waiter) = lines.next(lanes, of: lines.lenders.filter { hasFreeSlot || isUnlent($0) }) {
            let lender = hasFreeSlot ? nil : waiter.lender
            grants.append(Grant(waiter: id, slot: occupy(waiter.demand, lender: lender)))
        }
        return grants
    }
}
