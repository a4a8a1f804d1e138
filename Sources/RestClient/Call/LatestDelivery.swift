// SPDX-License-Identifier: MIT

import Synchronization

/// Delivers values to a handler one at a time and in order; values that a later one replaces are left out.
final class LatestDelivery<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct State {
        var pending: [(key: Key, value: Value)] = []
        var isDelivering = false
        var isClosed = false

        /// Takes the next value; ends the turn of the deliverer if there is none.
        mutating func take() -> Value? {
            guard !pending.isEmpty else {
                isDelivering = false
                return nil
            }
            return pending.removeFirst().value
        }
    }

    /// Runs work somewhere, such as on an actor.
    typealias Place = @Sendable (_ work: @escaping @Sendable () -> Void) -> Void

    private let place: Place?
    private let handler: @Sendable (Value) -> Void
    private let state = Mutex(State())

    /// Creates a delivery.
    ///
    /// - Parameters:
    ///   - place: Where the handler runs; in place by default.
    ///   - handler: Takes the values.
    init(at place: Place? = nil, _ handler: @escaping @Sendable (Value) -> Void) {
        self.place = place
        self.handler = handler
    }

    /// Delivers a value, in place of one of the same key that has not been delivered.
    func send(_ value: Value, for key: Key) {
        let begins = state.withLock { state in
            guard !state.isClosed else {
                return false
            }
            state.pending.removeAll { $0.key == key }
            state.pending.append((key, value))
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        guard begins else {
            return
        }
        let deliver: @Sendable () -> Void = { [self] in
            while let value = state.withLock({ $0.take() }) {
                handler(value)
            }
        }
        if let place {
            place(deliver)
        } else {
            deliver()
        }
    }

    /// Delivers nothing more.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.pending = []
        }
    }
}
