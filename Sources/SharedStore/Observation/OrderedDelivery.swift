// SPDX-License-Identifier: MIT

import DequeModule
import Synchronization

/// Runs deliveries in the order in which they were added, one at a time, off every lock.
///
/// Adding is cheap and may happen under a lock, which fixes the order. Whoever comes to deliver runs all that waits;
/// a delivery that adds more, or comes to deliver itself, only adds: the loop around it goes on with that.
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
