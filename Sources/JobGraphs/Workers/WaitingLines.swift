// SPDX-License-Identifier: MIT

import DequeModule

/// The pool's wait queue: decides which waiter is granted the next slot.
///
/// It is a pure value: no locks, clocks or tasks. There is a line for each lane of limits and each priority; those that
/// may use the slot of a job have lines of their own, for each such lender. The highest priority goes first, and within
/// a priority the one that came first. The head of a line that ``patience`` younger ones were preferred to is not
/// overtaken any more: it counts as one of the highest priority, where it is the oldest sooner or later.
///
/// Whoever leaves is only struck from the table, and passed over when its turn comes.
struct WaitingLines {
    typealias Slot = WorkerPool.Slot
    typealias WaiterID = SerialTable<Waiter>.ID

    /// Work that waits.
    struct Waiter {
        let demand: SlotDemand
        /// The slot that it may use besides one of its own.
        fileprivate(set) var lender: Slot?
        fileprivate(set) var lane: Int
        /// How many came before.
        fileprivate(set) var arrival: UInt64
    }

    private struct Line {
        var queue: Deque<WaiterID> = []
        /// How many in the queue still wait.
        var count = 0
        /// How often a younger one was preferred to the head.
        var overtaken = 0
    }

    private struct Front {
        let line: Int
        let id: WaiterID
        let level: Int
        let arrival: UInt64

        func precedes(_ other: Front) -> Bool {
            level > other.level || (level == other.level && arrival < other.arrival)
        }
    }

    /// How often a head is overtaken before nobody younger may go first any more.
    private static let patience = 8
    private static let levels = JobPriority.allCases.count

    private var waiters = SerialTable<Waiter>()
    /// The lines of those that need a slot of their own.
    private var main: [Line] = []
    /// The lines of those that may use the slot of a job.
    private var nested: [Slot: [Line]] = [:]
    private var lastArrival: UInt64 = 0

    /// How many wait.
    var count: Int { waiters.count }

    /// A Boolean value that is true if someone waits that may use the slot of a job.
    var hasNested: Bool { !nested.isEmpty }

    /// Those that wait, the highest priority first, and within a priority the one that came first.
    var demands: [(demand: SlotDemand, isNested: Bool)] {
        waiters.all.map(\.element)
            .sorted { ($0.demand.priority.level, $1.arrival) > ($1.demand.priority.level, $0.arrival) }
            .map { ($0.demand, $0.lender != nil) }
    }

    /// Returns true if a waiter still waits.
    func contains(_ id: WaiterID) -> Bool { waiters.contains(id) }

    // MARK: - Coming and going

    /// Lets one wait, behind all that came before.
    mutating func enter(_ demand: SlotDemand, lane: Int, lender: Slot?) -> WaiterID {
        lastArrival += 1
        let id = waiters.insert(Waiter(demand: demand, lender: lender, lane: lane, arrival: lastArrival))
        append(id)
        return id
    }

    /// Lets one go; `false` when it does not wait any more.
    mutating func leave(_ id: WaiterID) -> Bool {
        guard let waiter = waiters.remove(id) else {
            return false
        }
        change(waiter.lender) { lines, waiters in
            let place = Self.place(of: waiter)
            lines[place].count -= 1
            // Those that left must not fill a line that nobody is taken from.
            if lines[place].queue.count > 2 * lines[place].count + 32 {
                Self.dropLeavers(from: &lines[place], waiters)
            }
        }
        return true
    }

    // MARK: - Choosing

    /// Takes out the next of those that need a slot of their own; `nil` when all are held back by their limits.
    mutating func next(_ lanes: LimitLanes) -> (id: WaiterID, waiter: Waiter)? {
        guard let front = Self.front(of: &main, lanes, waiters) else {
            return nil
        }
        return take(front, from: nil, lanes)
    }

    /// Takes out the next of those that may use the slot of a job.
    ///
    /// - Parameters:
    ///   - lanes: The limits.
    ///   - canServe: Returns true if there is a slot for those that may use the slot of a lender.
    /// - Returns: The waiter; `nil` when nobody can be served.
    mutating func nextNested(
        _ lanes: LimitLanes,
        where canServe: (Slot) -> Bool
    ) -> (id: WaiterID, waiter: Waiter)? {
        var best: (lender: Slot, front: Front)?
        for lender in nested.keys where canServe(lender) {
            if let front = Self.front(of: &nested[lender, default: []], lanes, waiters),
                best.map({ front.precedes($0.front) }) ?? true
            {
                best = (lender, front)
            }
        }
        return best.flatMap { take($0.front, from: $0.lender, lanes) }
    }

    private mutating func take(_ front: Front, from lender: Slot?, _ lanes: LimitLanes) -> (WaiterID, Waiter)? {
        change(lender) { lines, waiters in
            lines[front.line].queue.removeFirst()
            lines[front.line].count -= 1
            lines[front.line].overtaken = 0
            // Those that came before it and could have begun in its stead were overtaken.
            for place in lines.indices where lanes.hasRoom(in: place / Self.levels) {
                if let head = Self.head(of: &lines[place], waiters), head.arrival < front.arrival {
                    lines[place].overtaken += 1
                }
            }
        }
        return waiters.remove(front.id).map { (front.id, $0) }
    }

    private static func front(
        of lines: inout [Line],
        _ lanes: LimitLanes,
        _ waiters: SerialTable<Waiter>
    ) -> Front? {
        var best: Front?
        for place in lines.indices where lines[place].count > 0 && lanes.hasRoom(in: place / levels) {
            guard let (id, arrival) = head(of: &lines[place], waiters) else {
                continue
            }
            let level = lines[place].overtaken >= patience ? levels - 1 : place % levels
            let front = Front(line: place, id: id, level: level, arrival: arrival)
            if best.map(front.precedes) ?? true {
                best = front
            }
        }
        return best
    }

    /// Returns the first of a line that still waits.
    private static func head(
        of line: inout Line,
        _ waiters: SerialTable<Waiter>
    ) -> (id: WaiterID, arrival: UInt64)? {
        while let id = line.queue.first {
            if let waiter = waiters[id] {
                return (id, waiter.arrival)
            }
            line.queue.removeFirst()
            line.overtaken = 0
        }
        return nil
    }

    // MARK: - Moving

    /// Moves those that wait for a key from the shared lane into the key's own, which is new.
    mutating func move(_ key: String, to lane: Int) {
        let moving = waiters.all
            .filter { $0.element.demand.limitKey == key && $0.element.demand.terms != .exceeds }
            .sorted { $0.element.arrival < $1.element.arrival }
        for (id, waiter) in moving {
            remove(id, waiter)
            waiters[id]?.lane = lane
            append(id)
        }
    }

    /// Lets those that waited for a job's slot wait for another's, or for one of their own, behind all others.
    mutating func move(from lender: Slot, to heir: Slot?) {
        guard let lines = nested.removeValue(forKey: lender) else {
            return
        }
        let moving = lines.flatMap(\.queue).filter(waiters.contains)
            .sorted { (waiters[$0]?.arrival ?? 0) < (waiters[$1]?.arrival ?? 0) }
        for id in moving {
            lastArrival += 1
            waiters[id]?.arrival = lastArrival
            waiters[id]?.lender = heir
            append(id)
        }
    }

    // MARK: - Parts

    private static func place(of waiter: Waiter) -> Int {
        waiter.lane * levels + waiter.demand.priority.level
    }

    private mutating func append(_ id: WaiterID) {
        guard let waiter = waiters[id] else {
            return
        }
        change(waiter.lender) { lines, _ in
            let place = Self.place(of: waiter)
            while lines.count <= place {
                lines.append(Line())
            }
            lines[place].queue.append(id)
            lines[place].count += 1
        }
    }

    private mutating func remove(_ id: WaiterID, _ waiter: Waiter) {
        change(waiter.lender) { lines, _ in
            let place = Self.place(of: waiter)
            if lines[place].queue.first == id {
                lines[place].overtaken = 0
            }
            lines[place].queue.removeAll { $0 == id }
            lines[place].count -= 1
        }
    }

    private static func dropLeavers(from line: inout Line, _ waiters: SerialTable<Waiter>) {
        if line.queue.first.map(waiters.contains) == false {
            line.overtaken = 0
        }
        line.queue.removeAll { !waiters.contains($0) }
    }

    /// Changes the lines of a lender, or the main ones; lines of a lender that nobody waits in are dropped.
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
