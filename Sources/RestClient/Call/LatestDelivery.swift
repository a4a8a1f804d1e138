// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// Delivers values to a handler one at a time and in order; values that a later one replaces are left out.
final class LatestDelivery<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct State {
        /// Takes the values; `nil` once nothing more is delivered.
        var handler: (@Sendable (Value) -> Void)?
        var pending: [(key: Key, value: Value)] = []
        /// The turn of the deliverer, from when it is given to the place; `nil` if there is none.
        var turn: Int?
        /// True once the deliverer runs.
        var hasBegun = false
        var lastTurn = 0

        /// Adds a value; returns the turn of the deliverer that is needed, `nil` if none is.
        mutating func add(_ value: Value, for key: Key) -> Int? {
            guard handler != nil else {
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

        /// Takes the next value with its handler; ends the turn of the deliverer if there is none.
        mutating func take() -> (value: Value, handler: @Sendable (Value) -> Void)? {
            guard let handler, !pending.isEmpty else {
                turn = nil
                return nil
            }
            return (pending.removeFirst().value, handler)
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
    private let state: Mutex<State>

    /// Creates a delivery, whose handler runs in place by default.
    init(at place: Place? = nil, _ handler: @escaping @Sendable (Value) -> Void) {
        self.place = place
        state = Mutex(State(handler: handler))
    }

    /// Delivers a value, in place of one of the same key that has not been delivered.
    func send(_ value: Value, for key: Key) {
        if let turn = add(value, for: key) {
            deliver(turn)
        }
    }

    /// Adds a value, which comes behind those that were added before it; returns the turn that must be passed to
    /// ``deliver(_:)``, `nil` if another one's delivers the value.
    ///
    /// Unlike ``send(_:for:)`` it may be called under a lock, as it calls no receiver.
    func add(_ value: Value, for key: Key) -> Int? {
        state.withLock { $0.add(value, for: key) }
    }

    func deliver(_ turn: Int) {
        guard let place else {
            perform(turn)
            return
        }
        // The place may drop the work.
        let lease = ReleaseOnce { [self] in state.withLock { $0.drop(turn) } }
        place { [self] in
            perform(turn)
            lease.release()
        }
    }

    private func perform(_ turn: Int) {
        guard state.withLock({ $0.begin(turn) }) else {
            return
        }
        while let next = state.withLock({ $0.take() }) {
            next.handler(next.value)
        }
    }

    /// Delivers nothing more, and releases the handler: the options of the call hold this object, and what the handler
    /// holds may get the error of the call, which holds the call.
    func close() {
        let handler = state.withLock { state in
            state.pending = []
            return state.handler.take()
        }
        // What it held must not be released under the lock.
        withExtendedLifetime(handler) {}
    }
}
