// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// Delivers values to a handler one at a time and in order; values that a later one replaces are left out.
final class LatestDelivery<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct State {
        var pending: [(key: Key, value: Value)] = []
        /// The turn of the deliverer, from when it is given to the place; `nil` if there is none.
        var turn: Int?
        /// True once the deliverer runs.
        var hasBegun = false
        var lastTurn = 0
        var isClosed = false

        /// Adds a value.
        ///
        /// - Returns: The turn of the deliverer that is needed; `nil` if none is.
        mutating func add(_ value: Value, for key: Key) -> Int? {
            guard !isClosed else {
                return nil
            }
            pending.removeAll { $0.key == key }
            pending.append((key, value))
            guard turn == nil else {
                return nil
            }
            lastTurn += 1
            turn = lastTurn
            hasBegun = false
            return turn
        }

        /// Begins a turn, once.
        mutating func begin(_ turn: Int) -> Bool {
            guard turn == self.turn, !hasBegun else {
                return false
            }
            hasBegun = true
            return true
        }

        /// Takes the next value; ends the turn of the deliverer if there is none.
        mutating func take() -> Value? {
            guard !pending.isEmpty else {
                turn = nil
                return nil
            }
            return pending.removeFirst().value
        }

        /// Ends a turn that has not begun, and never will; what waits is delivered with the next value.
        mutating func drop(_ turn: Int) {
            if turn == self.turn, !hasBegun {
                self.turn = nil
            }
        }
    }

    /// Runs work somewhere, such as on an actor, or drops it.
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
        guard let turn = state.withLock({ $0.add(value, for: key) }) else {
            return
        }
        guard let place else {
            deliver(turn)
            return
        }
        // The place may drop the work.
        let lease = ReleaseOnce { [self] in state.withLock { $0.drop(turn) } }
        place { [self] in
            deliver(turn)
            lease.release()
        }
    }

    private func deliver(_ turn: Int) {
        guard state.withLock({ $0.begin(turn) }) else {
            return
        }
        while let value = state.withLock({ $0.take() }) {
            handler(value)
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
