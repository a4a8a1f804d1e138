// SPDX-License-Identifier: MIT

import DequeModule
import Synchronization

/// Delivers events to an observer on the main actor, in order; emitting an event never waits for it.
final class MainActorDelivery: Sendable {
    typealias Handler = @MainActor @Sendable (ClientEvent) -> Void

    private struct State {
        var queue: Deque<ClientEvent> = []
        var isDelivering = false
        var isCancelled = false
    }

    private let state = Mutex(State())
    private let handler: Handler

    init(handler: @escaping Handler) {
        self.handler = handler
    }

    func deliver(_ event: ClientEvent) {
        let isDeliverer = state.withLock { state in
            state.queue.append(event)
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        if isDeliverer {
            Task { @MainActor in
                while let event = next() {
                    handler(event)
                }
            }
        }
    }

    func cancel() {
        state.withLock { state in
            state.queue = []
            state.isCancelled = true
        }
    }

    private func next() -> ClientEvent? {
        state.withLock { state in
            let event = state.isCancelled ? nil : state.queue.popFirst()
            if event == nil {
                state.isDelivering = false
            }
            return event
        }
    }
}
