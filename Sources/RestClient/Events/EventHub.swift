// SPDX-License-Identifier: MIT

import Synchronization

/// Hands events to observers: one after the other, in one order for all, off any lock.
///
/// Whoever emits while nobody delivers becomes the one who delivers. An emitter never waits for an observer that is busy
/// with another emitter's event, and an observer may call back into the manager. A deliverer delivers its own event and some
/// that came meanwhile; if there are more, a task of its own goes on, so that no call is kept by the events of others.
final class EventHub: Sendable {
    /// What an observer does with an event; `false` says that it wants no more.
    typealias Handler = @Sendable (ClientEvent) -> Bool

    /// One observer; the flag makes it deaf the moment it is removed.
    final class Observer: Sendable {
        private let filter: EventFilter
        private let handler: Handler
        private let isActive = Atomic<Bool>(true)
        /// What to do when the hub ends before the observer does.
        fileprivate let onEnd: @Sendable () -> Void

        init(filter: EventFilter, handler: @escaping Handler, onEnd: @escaping @Sendable () -> Void) {
            self.filter = filter
            self.handler = handler
            self.onEnd = onEnd
        }

        /// Makes the observer deaf.
        func deactivate() {
            isActive.store(false, ordering: .releasing)
        }

        /// Hands an event over, if the observer wants it; returns whether it wants more.
        fileprivate func deliver(_ event: ClientEvent) -> Bool {
            guard isActive.load(ordering: .acquiring) else {
                return true
            }
            return filter.matches(event) ? handler(event) : true
        }
    }

    /// How many events one emitter delivers at most: its own, what observers answer, and a few of others.
    private static let turn = 64

    private let clock: ClientClock
    private let state = Mutex(EventHubStateMachine<ClientEvent, Observer>())
    private let observerCount = Atomic<Int>(0)

    /// Creates a hub.
    ///
    /// - Parameter clock: What events are stamped with.
    init(clock: ClientClock = ClientClock(ContinuousClock())) {
        self.clock = clock
    }

    deinit {
        for observer in state.withLock({ $0.observers }) {
            observer.onEnd()
        }
    }

    /// Whether anyone listens; an event that nobody would hear need not be made.
    var isObserved: Bool {
        observerCount.load(ordering: .acquiring) > 0
    }

    /// Delivers an event to those who listen now; makes it only if someone does.
    @inline(__always)
    func emit(_ makeEvent: @autoclosure () -> ClientEvent) {
        if isObserved {
            send(makeEvent())
        }
    }

    /// Adds an observer.
    ///
    /// - Parameters:
    ///   - filter: What it wants to hear of.
    ///   - onEnd: What to do when the hub ends before the observer is removed.
    ///   - handler: What to do with an event.
    /// - Returns: The observer, by which it is removed.
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

    /// Removes an observer; it is given no event from then on.
    func remove(_ observer: Observer) {
        observer.deactivate()
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

    /// Delivers one event; `false` when there is none, and the turn to deliver is over.
    private func deliverNext() -> Bool {
        guard let (event, observers) = state.withLock({ $0.next() }) else {
            return false
        }
        // What observers start is no part of the refresh of which they may be told.
        TokenRefreshScope.leave {
            for observer in observers where !observer.deliver(event) {
                remove(observer)
            }
        }
        return true
    }
}
