// SPDX-License-Identifier: MIT

import DequeModule
import Synchronization

/// Runs deliveries in the order in which they were added, also under a lock, one at a time, with no lock held.
///
/// A delivery that adds others, or tries to deliver, only queues them: the outer loop runs them next.
final class OrderedDelivery: Sendable {
    private struct State {
        var pending: Deque<@Sendable () -> Void> = []
        var isDelivering = false
    }

    private let state = Mutex(State())

    func add(_ delivery: @escaping @Sendable () -> Void) {
        state.withLock { $0.pending.append(delivery) }
    }

    func deliver() {
        var isFirst = true
        while true {
            let next = state.withLock { state -> (@Sendable () -> Void)? in
                if isFirst, state.isDelivering { return nil }
                state.isDelivering = true
                guard let next = state.pending.popFirst() else {
                    state.isDelivering = false
                    return nil
                }
                return next
            }
            guard let next else {
                return
            }
            isFirst = false
            next()
        }
    }
}
