// SPDX-License-Identifier: MIT

import DequeModule

/// Keeps who listens, what is not delivered yet, and whether somebody delivers: pure, without lock or task.
///
/// At most one delivers at a time, so that all observers are given all events in one order.
struct EventHubStateMachine<Event, Observer: AnyObject> {
    private(set) var observers: [Observer] = []
    private var queue: Deque<(event: Event, observers: [Observer])> = []
    private var isDelivering = false

    /// How many events wait to be delivered.
    var queuedCount: Int { queue.count }

    /// Adds an observer, who is given the events from now on.
    mutating func add(_ observer: Observer) {
        observers.append(observer)
    }

    /// Removes an observer; events already queued for it are for their deliverer to pass over.
    mutating func remove(_ observer: Observer) {
        observers.removeAll { $0 === observer }
    }

    /// Queues an event for those who listen now; returns whether the caller must deliver, because nobody else does.
    mutating func enqueue(_ event: Event) -> Bool {
        guard !observers.isEmpty else {
            return false
        }
        queue.append((event, observers))
        defer { isDelivering = true }
        return !isDelivering
    }

    /// The next event for the deliverer, who has ended its work when there is none.
    mutating func next() -> (event: Event, observers: [Observer])? {
        let next = queue.popFirst()
        if next == nil {
            isDelivering = false
        }
        return next
    }
}
