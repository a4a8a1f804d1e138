// SPDX-License-Identifier: MIT

/// The suspended tasks of an object that decides under a lock which of them may continue.
///
/// The object keeps the waiters beside the state they wait for, behind one `Mutex`. It settles each waiter once, with
/// an outcome, and resumes it after the lock has been released. A waiter may be settled before its task is suspended:
/// the outcome is kept until then.
///
/// ```swift
/// private struct State {
///     var machine = PermitStateMachine()
///     var waiters = Waiters<PermitStateMachine.WaiterID, Bool>()
/// }
///
/// func acquire() async throws {
///     guard case .wait(let id) = state.withLock({ $0.machine.acquire() }) else { return }
///     let isGranted = await Waiters.wait { continuation in
///         state.withLock { $0.waiters.park(id, continuation) }
///     } onCancel: {
///         state.withLock { $0.machine.cancel(id) ? $0.waiters.settle(id, with: false) : nil }
///     }
///     if !isGranted { throw CancellationError() }
/// }
///
/// func release() {
///     let wakeup = state.withLock { state in
///         state.machine.release().flatMap { state.waiters.settle($0, with: true) }
///     }
///     wakeup?.resume()
/// }
/// ```
///
/// An object that admits the waiter in the closure that parks it passes `ifCancelled`, and calls ``withdraw(_:with:)``
/// in `onCancel`: then no outcome is kept for a waiter that was never admitted or has left.
public struct Waiters<ID: Hashable & Sendable, Outcome: Sendable>: Sendable {
    /// The continuation of a suspended task.
    public typealias Continuation = CheckedContinuation<Outcome, Never>

    /// A settled waiter, to be resumed once the lock has been released.
    public struct Wakeup: Sendable {
        @usableFromInline let continuation: Continuation
        @usableFromInline let outcome: Outcome

        @inlinable init(continuation: Continuation, outcome: Outcome) {
            self.continuation = continuation
            self.outcome = outcome
        }

        /// Resumes the waiter's task.
        @inlinable public func resume() {
            continuation.resume(returning: outcome)
        }
    }

    @usableFromInline var parked: [ID: Continuation] = [:]
    /// The outcomes of waiters that were settled before they were parked.
    @usableFromInline var unclaimed: [ID: Outcome] = [:]
    @usableFromInline var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    /// Creates a value without waiters.
    @inlinable public init() {}

    /// The number of suspended tasks.
    @inlinable public var count: Int { parked.count }

    /// Parks a waiter's task until the waiter is settled.
    ///
    /// - Parameters:
    ///   - id: The waiter.
    ///   - continuation: The task's continuation.
    ///   - outcome: The outcome if the task has been cancelled; `nil` if cancelling settles the waiter in any case.
    /// - Returns: The outcome with which to resume the task at once; `nil` if the task is parked.
    @inlinable public mutating func park(
        _ id: ID,
        _ continuation: Continuation,
        ifCancelled outcome: @autoclosure () -> Outcome? = nil
    ) -> Outcome? {
        if let settled = unclaimed.removeValue(forKey: id) {
            return settled
        }
        // A later cancellation finds the parked task in `withdraw`; an earlier one is visible here.
        if Task.isCancelled, let outcome = outcome() {
            return outcome
        }
        parked[id] = continuation
        if !watchers.isEmpty {
            tellWatchers()
        }
        return nil
    }

    /// Resumes a task when at least the given number of tasks are suspended; for tests, which must not begin too early.
    package mutating func watch(for count: Int, _ continuation: CheckedContinuation<Void, Never>) {
        watchers.append((count, continuation))
        tellWatchers()
    }

    @usableFromInline mutating func tellWatchers() {
        for watcher in watchers where watcher.count <= parked.count {
            watcher.continuation.resume()
        }
        watchers.removeAll { $0.count <= parked.count }
    }

    /// Settles a waiter that is parked or is about to be.
    ///
    /// - Returns: The wakeup; `nil` if the waiter takes the outcome when it is parked.
    @inlinable public mutating func settle(_ id: ID, with outcome: Outcome) -> Wakeup? {
        guard let wakeup = withdraw(id, with: outcome) else {
            unclaimed[id] = outcome
            return nil
        }
        return wakeup
    }

    /// Settles a waiter if it is parked.
    ///
    /// - Returns: The wakeup; `nil` if the waiter is not parked.
    @inlinable public mutating func withdraw(_ id: ID, with outcome: Outcome) -> Wakeup? {
        parked.removeValue(forKey: id).map { Wakeup(continuation: $0, outcome: outcome) }
    }

    /// Removes and returns the outcome of a waiter that was settled and will not be parked.
    @inlinable public mutating func claim(_ id: ID) -> Outcome? {
        unclaimed.removeValue(forKey: id)
    }

    /// Settles all parked waiters.
    @inlinable public mutating func withdrawAll(with outcome: Outcome) -> [Wakeup] {
        defer { parked = [:] }
        return parked.values.map { Wakeup(continuation: $0, outcome: outcome) }
    }

    /// Suspends the current task until its waiter is settled.
    ///
    /// - Parameters:
    ///   - park: Parks the continuation under the owner's lock; returns the outcome if it is already known.
    ///   - onCancel: Settles the waiter under the owner's lock, because the task was cancelled. It is called on any
    ///     thread, at any time between the call of this function and its return, even before `park`.
    /// - Returns: The outcome.
    @inlinable public static func wait(
        park: (Continuation) -> Outcome?,
        onCancel: @Sendable () -> Wakeup?
    ) async -> Outcome {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if let outcome = park(continuation) {
                    continuation.resume(returning: outcome)
                }
            }
        } onCancel: {
            onCancel()?.resume()
        }
    }
}
