// SPDX-License-Identifier: MIT

import DequeModule
import JobGraphs
import SharedStore
import Synchronization

/// Delivers events to observers, one at a time, in the same order for all, with no lock held.
///
/// A task that emits an event while no other task delivers becomes the deliverer: of its own event and of a few that
/// were emitted meanwhile. If there are more, a task of the hub continues, so that they delay no call.
final class EventHub: Sendable {
    typealias Handler = @Sendable (ClientEvent) -> Void

    /// One observer, whose flag stops deliveries as soon as it is removed.
    final class Observer: Sendable {
        private let filter: EventFilter
        private let handler: Handler
        fileprivate let isActive = Atomic<Bool>(true)
        fileprivate let onEnd: @Sendable () -> Void

        init(filter: EventFilter, handler: @escaping Handler, onEnd: @escaping @Sendable () -> Void) {
            self.filter = filter
            self.handler = handler
            self.onEnd = onEnd
        }

        fileprivate func deliver(_ event: ClientEvent) {
            if isActive.load(ordering: .acquiring), filter.matches(event) {
                handler(event)
            }
        }
    }

    /// Runs deliveries outside the task-local scopes of the task that emitted the event.
    typealias Surroundings = @Sendable (_ deliver: () -> Void) -> Void

    /// The maximum number of events that one emitter delivers: its own, those that observers emit, and a few of others.
    private static let turn = 64

    private let clock: ClientClock
    private let surroundings: Surroundings
    private let state = Mutex(EventHubStateMachine<ClientEvent, Observer>())
    private let observerCount = Atomic<Int>(0)

    init(
        clock: ClientClock = ClientClock(ContinuousClock()),
        surroundings: @escaping Surroundings = { deliver in deliver() }
    ) {
        self.clock = clock
        self.surroundings = surroundings
    }

    deinit {
        for observer in state.withLock({ $0.observers }) {
            observer.onEnd()
        }
    }

    /// True if there are observers, without which an event need not be created.
    var isObserved: Bool { observerCount.load(ordering: .acquiring) > 0 }

    /// Delivers an event to the current observers; without any it is not created.
    @inline(__always)
    func emit(_ makeEvent: @autoclosure () -> ClientEvent) {
        if isObserved {
            send(makeEvent())
        }
    }

    func add(
        _ filter: EventFilter = .all,
        onEnd: @escaping @Sendable () -> Void = {},
        handler: @escaping Handler
    ) -> Observer {
        let observer = Observer(filter: filter, handler: handler, onEnd: onEnd)
        state.withLock { state in
            state.add(observer)
            observerCount.store(state.observers.count, ordering: .releasing)
        }
        return observer
    }

    func remove(_ observer: Observer) {
        observer.isActive.store(false, ordering: .releasing)
        state.withLock { state in
            state.remove(observer)
            observerCount.store(state.observers.count, ordering: .releasing)
        }
    }

    private func send(_ event: ClientEvent) {
        var event = event
        event.uptime = clock.now()
        guard state.withLock({ $0.enqueue(event) }) else {
            return
        }
        for _ in 0..<Self.turn where !deliverNext() {
            return
        }
        Task.detached {
            while self.deliverNext() {}
        }
    }

    /// Delivers one event; returns `false` if there is none, so that the deliverer's turn ends.
    private func deliverNext() -> Bool {
        guard let (event, observers) = state.withLock({ $0.next() }) else {
            return false
        }
        surroundings {
            for observer in observers {
                observer.deliver(event)
            }
        }
        return true
    }
}

extension EventHub {
    /// Begins an observation, which ends when its token is cancelled or released; the token does not keep the hub
    /// alive.
    func observe(
        _ filter: EventFilter = .all,
        onEnd: @escaping @Sendable () -> Void = {},
        onCancel: @escaping @Sendable () -> Void = {},
        handler: @escaping Handler
    ) -> ObservationToken {
        let observer = add(filter, onEnd: onEnd, handler: handler)
        return ObservationToken { [weak self] in
            self?.remove(observer)
            onCancel()
        }
    }
}

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
