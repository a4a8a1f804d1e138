// SPDX-License-Identifier: MIT

/// The queues of those who wait for the same slots, one for each lane of servers and each priority: pure.
///
/// The highest priority goes first, and within a priority the one that came first. The head of a queue that ``patience``
/// younger ones were preferred to is not overtaken any more: it stands among the highest priority, where it is the oldest
/// sooner or later.
///
/// Entering and leaving take constant time; choosing takes time in proportion to the number of lanes.
struct WaiterQueues {
    /// How early a head is served; the greatest is first.
    struct Rank: Comparable {
        let level: Int
        let arrival: UInt64

        static func < (left: Rank, right: Rank) -> Bool {
            (left.level, right.arrival) < (right.level, left.arrival)
        }
    }

    private struct Queue {
        var first: Int?
        var last: Int?
        /// How many younger ones were preferred to the first.
        var overtaken = 0
    }

    /// How often a head is overtaken before nobody younger may go first any more.
    static let patience = 8

    private static let levels = JobPriority.allCases.count

    private var queues: [Queue] = []

    /// How many wait here.
    private(set) var count = 0

    /// The lane of a queue.
    static func lane(of queue: Int) -> Int { queue / levels }

    /// Lets a waiter in, behind all others of its lane and priority.
    mutating func append(_ place: Int, lane: Int, in seats: inout WaiterSeats) {
        guard let level = seats[place]?.demand.priority.level else {
            return
        }
        let index = lane * Self.levels + level
        while queues.count <= index {
            queues.append(Queue())
        }
        let last = queues[index].last
        seats.update(place) { seat in
            seat.queue = index
            seat.previous = last
            seat.next = nil
        }
        if let last {
            seats.update(last) { $0.next = place }
        } else {
            queues[index].first = place
        }
        queues[index].last = place
        count += 1
    }

    /// Takes a waiter out of its queue, wherever it stands there.
    mutating func unlink(_ place: Int, in seats: inout WaiterSeats) {
        guard let seat = seats[place] else {
            return
        }
        if let previous = seat.previous {
            seats.update(previous) { $0.next = seat.next }
        } else {
            queues[seat.queue].first = seat.next
            queues[seat.queue].overtaken = 0
        }
        if let next = seat.next {
            seats.update(next) { $0.previous = seat.previous }
        } else {
            queues[seat.queue].last = seat.previous
        }
        count -= 1
    }

    /// Who is next, and how early; `nil` when all are held back by their server's limit.
    func front(_ lanes: ServerLanes, in seats: WaiterSeats) -> (place: Int, rank: Rank)? {
        guard count > 0 else {
            return nil
        }
        var best: (place: Int, rank: Rank)?
        for (index, queue) in queues.enumerated() {
            guard let first = queue.first, lanes.hasRoom(in: Self.lane(of: index)) else {
                continue
            }
            let isDue = queue.overtaken >= Self.patience
            let level = isDue ? Self.levels - 1 : index % Self.levels
            let rank = Rank(level: level, arrival: seats.arrival(at: first))
            if let known = best, known.rank > rank {
                continue
            }
            best = (first, rank)
        }
        return best
    }

    /// Takes out the one who is next, and notes whom it overtook.
    mutating func popFirst(_ place: Int, _ lanes: ServerLanes, in seats: inout WaiterSeats) {
        let arrival = seats.arrival(at: place)
        for index in queues.indices {
            if let first = queues[index].first, seats.arrival(at: first) < arrival,
                lanes.hasRoom(in: Self.lane(of: index))
            {
                queues[index].overtaken += 1
            }
        }
        unlink(place, in: &seats)
    }
}
