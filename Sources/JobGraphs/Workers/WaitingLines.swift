// SPDX-License-Identifier: MIT

import DequeModule

/// The pool's wait queue: decides which waiter is granted the next slot.
///
/// It is pure. Each lane of limits has a line for each priority, and so has each lender of a slot for waiters that may
/// use it. The highest priority is served first, and within one the first to arrive. Once ``patience`` younger waiters
/// were preferred to the head of a line, it counts as one of the highest priority, where it becomes the oldest.
struct WaitingLines {
    typealias Slot = WorkerPool.Slot
    typealias WaiterID = SerialTable<Waiter>.ID

    struct Waiter {
        let demand: SlotDemand
        /// The slot that it may use instead of a new one.
        fileprivate(set) var lender: Slot?
        fileprivate(set) var lane: Int
        fileprivate(set) var arrival: UInt64

        fileprivate var line: Int { lane * levels + demand.priority.level }
    }

    private struct Line {
        var queue: Deque<(id: WaiterID, arrival: UInt64)> = []
        /// The number of waiters in the line that have not left.
        var count = 0
        /// The number of younger waiters that were preferred to the head.
        var overtaken = 0

        /// Drops waiters at the front that have left, and returns the first one that has not.
        mutating func head(_ waiters: SerialTable<Waiter>) -> (id: WaiterID, arrival: UInt64)? {
            while let first = queue.first, !waiters.contains(first.id) {
                queue.removeFirst()
                overtaken = 0
            }
            return queue.first
        }
    }

    private struct Front {
        let lender: Slot?
        let line: Int
        let id: WaiterID
        let level: Int
        let arrival: UInt64

        func precedes(_ other: Front?) -> Bool {
            guard let other else {
                return true
            }
            return level > other.level || (level == other.level && arrival < other.arrival)
        }
    }

    /// The number of younger waiters that may be preferred to a head.
    private static let patience = 8
    private static let levels = JobPriority.allCases.count

    private var waiters = SerialTable<Waiter>()
    private var main: [Line] = []
    /// The lines of waiters that may use the slot of a job; empty without waiters.
    private var nested: [Slot: [Line]] = [:]
    private var lastArrival: UInt64 = 0

    var count: Int { waiters.count }

    var lenders: [Slot?] { nested.isEmpty ? [] : Array(nested.keys) }

    /// The waiters, the highest priority first, and within a priority the first to arrive.
    var demands: [(demand: SlotDemand, isNested: Bool)] {
        waiters.all.map(\.element)
            .sorted { ($0.demand.priority.level, $1.arrival) > ($1.demand.priority.level, $0.arrival) }
            .map { ($0.demand, $0.lender != nil) }
    }

    func contains(_ id: WaiterID) -> Bool { waiters.contains(id) }

    func waiters(of holder: any SlotHolder) -> [WaiterID] {
        waiters.all.filter { $0.element.demand.holder === holder }.map(\.id)
    }

    mutating func enter(_ demand: SlotDemand, lane: Int, lender: Slot?) -> WaiterID {
        lastArrival += 1
        let waiter = Waiter(demand: demand, lender: lender, lane: lane, arrival: lastArrival)
        let id = waiters.insert(waiter)
        append(id, waiter)
        return id
    }

    mutating func leave(_ id: WaiterID) -> Bool {
        guard let waiter = waiters.remove(id) else {
            return false
        }
        change(waiter.lender) { lines, waiters in
            let line = waiter.line
            lines[line].count -= 1
            // Waiters that left must not fill a line whose head waits long.
            if lines[line].queue.count > 2 * lines[line].count + 32 {
                _ = lines[line].head(waiters)
                lines[line].queue.removeAll { !waiters.contains($0.id) }
            }
        }
        return true
    }

    /// Removes and returns the next waiter that needs a new slot, or that may use the slot of one of the
    /// lenders.
    mutating func next(
        _ lanes: LimitLanes,
        of lenders: some Sequence<Slot?>
    ) -> (id: WaiterID, waiter: Waiter)? {
        var best: Front?
        for lender in lenders {
            change(lender) { lines, waiters in
                for place in lines.indices where lanes.hasRoom(in: place / Self.levels) {
                    guard let (id, arrival) = lines[place].head(waiters) else {
                        continue
                    }
                    let isPatient = lines[place].overtaken < Self.patience
                    let level = isPatient ? place % Self.levels : Self.levels - 1
                    let front = Front(lender: lender, line: place, id: id, level: level, arrival: arrival)
                    best = front.precedes(best) ? front : best
                }
            }
        }
        return best.flatMap { take($0, lanes) }
    }

    private mutating func take(_ front: Front, _ lanes: LimitLanes) -> (id: WaiterID, waiter: Waiter)? {
        change(front.lender) { lines, waiters in
            lines[front.line].queue.removeFirst()
            lines[front.line].count -= 1
            lines[front.line].overtaken = 0
            // Older waiters that could have begun instead were overtaken.
            for place in lines.indices where lanes.hasRoom(in: place / Self.levels) {
                if let head = lines[place].head(waiters), head.arrival < front.arrival {
                    lines[place].overtaken += 1
                }
            }
        }
        return waiters.remove(front.id).map { (front.id, $0) }
    }

    mutating func move(_ key: String, to lane: Int) {
        let moving = waiters.all
            .filter { $0.element.demand.limitKey == key && $0.element.demand.terms != .exceeds }
            .sorted { $0.element.arrival < $1.element.arrival }
        for (id, waiter) in moving {
            change(waiter.lender) { lines, waiters in
                if lines[waiter.line].head(waiters)?.id == id {
                    lines[waiter.line].overtaken = 0
                }
                lines[waiter.line].queue.removeAll { $0.id == id }
                lines[waiter.line].count -= 1
            }
            var waiter = waiter
            waiter.lane = lane
            waiters.update(id) { $0.lane = lane }
            append(id, waiter)
        }
    }

    /// Moves the waiters for a job's slot to another job's slot, or lets them wait for new slots, behind all others.
    mutating func move(from lender: Slot, to heir: Slot?) {
        guard !nested.isEmpty, let lines = nested.removeValue(forKey: lender) else {
            return
        }
        for (id, _) in lines.flatMap(\.queue).sorted(by: { $0.arrival < $1.arrival }) {
            guard var waiter = waiters[id] else {
                continue
            }
            lastArrival += 1
            waiter.arrival = lastArrival
            waiter.lender = heir
            waiters.update(id) { $0 = waiter }
            append(id, waiter)
        }
    }

    private mutating func append(_ id: WaiterID, _ waiter: Waiter) {
        change(waiter.lender) { lines, _ in
            while lines.count <= waiter.line {
                lines.append(Line())
            }
            lines[waiter.line].queue.append((id, waiter.arrival))
            lines[waiter.line].count += 1
        }
    }

    /// Changes the lines of a lender, or the main ones; empty lines of a lender are dropped.
    private mutating func change(_ lender: Slot?, _ body: (inout [Line], SerialTable<Waiter>) -> Void) {
        guard let lender else {
            body(&main, waiters)
            return
        }
        body(&nested[lender, default: []], waiters)
        if nested[lender]?.allSatisfy({ $0.count == 0 }) == true {
            nested[lender] = nil
        }
    }
}
