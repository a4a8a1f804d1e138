// SPDX-License-Identifier: MIT

/// The suspended tasks that wait until a value of an object meets their conditions.
///
/// The object keeps the watchers beside the value, behind one `Mutex`, and passes each new value to them:
///
/// ```swift
/// func wait(until isMet: @escaping @Sendable (Int) -> Bool) async throws {
///     let id = state.withLock { $0.watchers.enter() }
///     let isDone = await Watchers<Int>.Parking.wait { continuation in
///         state.withLock { $0.watchers.park(id, continuation, $0.count, until: isMet) }
///     } onCancel: {
///         state.withLock { $0.watchers.leave(id) }
///     }
///     if !isDone { throw CancellationError() }
/// }
///
/// func add() {
///     let wakeups = state.withLock { state in
///         state.count += 1
///         return state.watchers.offer(state.count)
///     }
///     for wakeup in wakeups { wakeup.resume() }
/// }
/// ```
public struct Watchers<Value: Sendable>: Sendable {
    /// Identifies a watcher.
    public typealias ID = UInt64
    /// Tasks are resumed with `true` when their condition is met, and with `false` when they are cancelled.
    public typealias Parking = Waiters<ID, Bool>

    @usableFromInline var parking = Parking()
    @usableFromInline var conditions: [(id: ID, isMet: @Sendable (Value) -> Bool)] = []
    @usableFromInline var lastID: ID = 0

    /// Creates a value without watchers.
    @inlinable public init() {}

    /// A Boolean value that is true if there are no watchers.
    @inlinable public var isEmpty: Bool { conditions.isEmpty }

    /// Creates the identifier of a watcher.
    @inlinable public mutating func enter() -> ID {
        lastID += 1
        return lastID
    }

    /// Parks a watcher's task until its condition is met.
    ///
    /// - Returns: The outcome with which to resume the task at once; `nil` if the task is parked.
    @inlinable public mutating func park(
        _ id: ID,
        _ continuation: Parking.Continuation,
        _ value: Value,
        until isMet: @escaping @Sendable (Value) -> Bool
    ) -> Bool? {
        if isMet(value) {
            return true
        }
        let outcome = parking.park(id, continuation, ifCancelled: false)
        if outcome == nil {
            conditions.append((id, isMet))
        }
        return outcome
    }

    /// Removes a watcher that was cancelled.
    @inlinable public mutating func leave(_ id: ID) -> Parking.Wakeup? {
        conditions.removeAll { $0.id == id }
        return parking.withdraw(id, with: false)
    }

    /// Removes the watchers whose condition a new value meets.
    @inlinable public mutating func offer(_ value: Value) -> [Parking.Wakeup] {
        guard !conditions.isEmpty else {
            return []
        }
        let met = conditions.filter { $0.isMet(value) }.map(\.id)
        conditions.removeAll { met.contains($0.id) }
        return met.compactMap { parking.withdraw($0, with: true) }
    }
}
