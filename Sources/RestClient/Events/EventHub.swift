// SPDX-License-Identifier: MIT

import DequeModule
import Synchronization

/// Hands events to observers: one after the other, in one order for all, off any lock.
///
/// Whoever emits while nobody delivers becomes the one who delivers, until the queue is empty. An emitter never waits for
/// an observer that is busy with another emitter's event, and an observer may call back into the manager.
final class EventHub: Sendable {
    typealias Handler = @Sendable (ClientEvent) -> Void

    /// One observer; the flag makes it deaf the moment it is removed.
    final class Observer: Sendable {
        let handler: Handler
        let isActive = Atomic<Bool>(true)

        init(handler: @escaping Handler) {
            self.handler = handler
        }
    }

    private struct State {
        var observers: [Observer] = []
        var queue: Deque<(event: ClientEvent, observers: [Observer])> = []
        var isDelivering = false
    }

    private let state = Mutex(State())
    private let observerCount = Atomic<Int>(0)

    /// Whether anyone listens; an event that nobody would hear need not be made.
    var isObserved: Bool {
        observerCount.load(ordering: .acquiring) > 0
    }

    /// Delivers an event to those who listen now; makes it only if someone does.
    func emit(_ makeEvent: @autoclosure () -> ClientEvent) {
        guard isObserved else {
            return
        }
        let event = makeEvent()
        let isDeliverer = state.withLock { state in
            state.queue.append((event, state.observers))
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        if isDeliverer {
            deliver()
        }
    }

    /// Adds an observer.
    func add(_ handler: @escaping Handler) -> Observer {
        let observer = Observer(handler: handler)
        state.withLock { state in
            state.observers.append(observer)
            observerCount.store(state.observers.count, ordering: .releasing)
        }
        return observer
    }

    /// Removes an observer; it is given no event from then on.
    func remove(_ observer: Observer) {
        observer.isActive.store(false, ordering: .releasing)
        state.withLock { state in
            state.observers.removeAll { $0 === observer }
            observerCount.store(state.observers.count, ordering: .releasing)
        }
    }

    private func deliver() {
        while let (event, observers) = next() {
            for observer in observers where observer.isActive.load(ordering: .acquiring) {
                observer.handler(event)
            }
        }
    }

    private func next() -> (event: ClientEvent, observers: [Observer])? {
        state.withLock { state in
            let next = state.queue.popFirst()
            if next == nil {
                state.isDelivering = false
            }
            return next
        }
    }
}
