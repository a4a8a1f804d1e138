// SPDX-License-Identifier: MIT

/// Those who wait for a slot, and who of them is next: pure, without lock, clock or task.
///
/// Those who need a slot of their own wait in one section; those that a job started, which may use the job's slot too, wait
/// in a section for each such lender.
struct WaitingRoom {
    typealias WaiterID = WaiterSeats.WaiterID

    /// One that was chosen.
    struct Waiter {
        let id: WaiterID
        let demand: SlotDemand
        /// Whose slot it may use, by its place.
        let lender: Int32?
    }

    private var seats = WaiterSeats()
    private var main = WaiterQueues()
    private var nested: [Int32: WaiterQueues] = [:]

    /// How many wait.
    var count: Int { seats.count }

    /// Whether someone waits who may use the slot of a job.
    var hasNested: Bool { !nested.isEmpty }

    /// Those who wait, the highest priority first, and within a priority the one that came first.
    var demands: [(demand: SlotDemand, isNested: Bool)] {
        let all = seats.occupied.compactMap { seats[$0] }
        return JobPriority.allCases.sorted(by: >)
            .flatMap { priority in all.filter { $0.demand.priority == priority } }
            .map { ($0.demand, $0.lender != nil) }
    }

    // MARK: Coming and going

    /// Lets one wait, behind all that came before.
    mutating func enter(_ demand: SlotDemand, lane: Int, lender: Int32?) -> WaiterID {
        let (place, id) = seats.insert(demand, lender: lender)
        seats.arrive(place)
        append(place, to: lender, lane: lane)
        return id
    }

    /// Lets one go; `false` when it does not wait any more.
    mutating func leave(_ id: WaiterID) -> Bool {
        guard let place = seats.place(of: id) else {
            return false
        }
        unlink(place)
        seats.remove(at: place)
        return true
    }

    /// Whether one still waits.
    func contains(_ id: WaiterID) -> Bool {
        seats.place(of: id) != nil
    }

    // MARK: Choosing

    /// Takes out the next of those who need a slot of their own; `nil` when all are held back by their server's limit.
    mutating func next(_ lanes: ServerLanes) -> Waiter? {
        guard let place = main.front(lanes, in: seats)?.place else {
            return nil
        }
        main.popFirst(place, lanes, in: &seats)
        return vacate(place)
    }

    /// Takes out the next of those who may use the slot of a job.
    ///
    /// - Parameters:
    ///   - lanes: The limits of the servers.
    ///   - canServe: Whether there is a slot for those whom the job at a place lends its own.
    /// - Returns: The waiter; `nil` when nobody can be served.
    mutating func nextNested(_ lanes: ServerLanes, where canServe: (_ lender: Int32) -> Bool) -> Waiter? {
        let fronts = nested.compactMap { lender, queues in
            canServe(lender) ? queues.front(lanes, in: seats).map { (lender: lender, front: $0) } : nil
        }
        guard let (lender, front) = fronts.max(by: { $0.front.rank < $1.front.rank }) else {
            return nil
        }
        nested[lender]?.popFirst(front.place, lanes, in: &seats)
        dropEmpty(lender)
        return vacate(front.place)
    }

    // MARK: Moving

    /// Moves those who wait for a server from the shared lane into the server's own, which is new.
    mutating func move(_ server: ServerAlias, to lane: Int) {
        for place in seats.occupied {
            if let seat = seats[place], seat.demand.server == server, seat.demand.terms != .exceeds {
                unlink(place)
                append(place, to: seat.lender, lane: lane)
            }
        }
    }

    /// Lets those who waited for a job's slot wait for another's, or for one of their own, behind all others.
    mutating func move(from lender: Int32, to heir: Int32?) {
        guard nested[lender] != nil else {
            return
        }
        for place in seats.occupied {
            if let seat = seats[place], seat.lender == lender {
                unlink(place)
                seats.arrive(place)
                seats.update(place) { $0.lender = heir }
                append(place, to: heir, lane: WaiterQueues.lane(of: seat.queue))
            }
        }
    }

    // MARK: Parts

    private mutating func append(_ place: Int, to lender: Int32?, lane: Int) {
        if let lender {
            nested[lender, default: WaiterQueues()].append(place, lane: lane, in: &seats)
        } else {
            main.append(place, lane: lane, in: &seats)
        }
    }

    private mutating func unlink(_ place: Int) {
        if let lender = seats[place]?.lender {
            nested[lender]?.unlink(place, in: &seats)
            dropEmpty(lender)
        } else {
            main.unlink(place, in: &seats)
        }
    }

    private mutating func dropEmpty(_ lender: Int32) {
        if nested[lender]?.count == 0 {
            nested[lender] = nil
        }
    }

    private mutating func vacate(_ place: Int) -> Waiter? {
        guard let id = seats.id(at: place), let seat = seats[place] else {
            return nil
        }
        seats.remove(at: place)
        return Waiter(id: id, demand: seat.demand, lender: seat.lender)
    }
}
