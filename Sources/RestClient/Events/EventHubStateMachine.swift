// SPDX-License-Identifier: MIT

import DequeModule

/// The observers of a hub and its queue of events, with one deliverer at a time, so that all see the same order.
struct EventHubStateMachine<Event, Observer: AnyObject> {
    private(set) var observers: [Observer] = []
    private var queue: Deque<(event: Event, observers: [Observer])> = []
    private var isDelivering = false

    var queuedCount: Int { queue.count }

    mutating func add(_ observer: Observer) {
        observers.append(observer)
    }

    /// Removes an observer; the deliverer skips events that are already queued for it.
    mutating func remove(_ observer: Observer) {
        observers.removeAll { $0 === observer }
    }

    /// Queues an event for the current observers; returns true if the caller becomes the deliverer because there is no
    /// other.
    mutating func enqueue(_ event: Event) -> Bool {
        guard !observers.isEmpty else {
            return false
        }
        queue.append((event, observers))
        defer { isDelivering = true }
        return !isDelivering
    }

    /// Returns the next event to deliver; `nil` if there is none, so that the deliverer's work ends.
    mutating func next() -> (event: Event, observers: [Observer])? {
        let next = queue.popFirst()
        if next == nil {
            isDelivering = false
        }
        return next
    }
}
