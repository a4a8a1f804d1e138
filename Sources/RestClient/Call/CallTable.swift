// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// The calls of a manager that are under way, each with the task that can be cancelled.
final class CallTable: Sendable {
    fileprivate struct Entry: Sendable {
        let call: RunningCall
        /// What is cancelled: the task up to the response, then the body of a stream.
        var task: any CancellableTask
        let scopes: [CallScope]
        /// True once the call was cancelled, perhaps between its head and its body.
        var isCancelled = false
    }

    fileprivate struct State {
        var entries: [CallID: Entry] = [:]
        /// The calls that refuse others of their key.
        var keys: [String: CallID] = [:]
        var waiters = Waiters<Int, Void>()
        /// The calls that waiters still wait for.
        var awaited: [Int: Set<CallID>] = [:]
        var lastWaiter = 0
    }

    private let state = Mutex(State())

    /// Runs a call in a task that ``cancel(where:)`` can cancel.
    ///
    /// - Throws: What the operation throws; `CancellationError` once the call is cancelled; ``RestClientError`` with
    ///   the code ``RestClientError/Code-swift.struct/duplicateCall`` if it is refused.
    func run<Value: Sendable>(
        _ context: CallContext,
        _ model: Any.Type,
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        defer { leave(context) }
        return try await enter(context, model, operation)
    }

    /// Runs a call as ``run(_:_:_:)`` does, which stays in the table until ``leave(_:)``.
    func enter<Value: Sendable>(
        _ context: CallContext,
        _ model: Any.Type,
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let key = context.policy.options[.refusedDuplicates]
        let scopes = CallScope.current
        // The task below may begin before the caller's cancellation reaches it.
        try Task.checkCancellation()
        // A refused call must not begin.
        if let key, let running = state.withLock({ $0.reserve(key, for: context.id) }) {
            throw RestClientError(
                .duplicateCall,
                "the call \(running) with the key '\(AliasText.shown(key))' has not ended; this one was refused"
            )
        }
        let task = Self.begin {
            do {
                return try await operation()
            } catch {
                throw Task.isCancelled ? CancellationError() : error
            }
        }
        let entry = Entry(call: RunningCall(model: model, context: context), task: task, scopes: scopes)
        state.withLock { $0.entries[context.id] = entry }
        if scopes.contains(where: \.isOver) {
            task.cancel()
        }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Removes a call that has ended; one that was refused is not there.
    func leave(_ context: CallContext) {
        let key = context.policy.options[.refusedDuplicates]
        for wakeup in state.withLock({ $0.remove(context.id, key: key) }) {
            wakeup.resume()
        }
    }

    /// Lets ``cancel(where:)`` cancel the body of a call whose response is streamed.
    ///
    /// - Returns: False if the call was cancelled already.
    func keep(_ context: CallContext, _ body: any CancellableTask) -> Bool {
        state.withLock { state in
            state.entries[context.id]?.task = body
            let entry = state.entries[context.id]
            return entry?.isCancelled != true && entry?.scopes.contains(where: \.isOver) != true
        }
    }

    /// Starts a task, at once on the caller's thread where that is possible: to wake another one takes longer than all
    /// that the library does for a call.
    private static func begin<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Value
    ) -> Task<Value, any Error> {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            Task.immediate { try await operation() }
        } else {
            Task { try await operation() }
        }
    }

    /// The calls of a choice, the oldest first.
    func running(where contains: (RunningCall) -> Bool) -> [RunningCall] {
        state.withLock { $0.entries.values.map(\.call) }.filter(contains).sorted { $0.id < $1.id }
    }

    /// Cancels the calls of a choice.
    ///
    /// - Returns: How many there were.
    func cancel(where contains: (RunningCall) -> Bool) -> Int {
        let chosen = running(where: contains)
        for task in state.withLock({ state in chosen.compactMap { state.cancel($0.id) } }) {
            task.cancel()
        }
        return chosen.count
    }

    /// Waits until the calls that run now, and belong to a choice, have ended.
    func finish(where contains: (RunningCall) -> Bool) async {
        let calls = Set(running(where: contains).map(\.id))
        let waiter = state.withLock { $0.wait(for: calls) }
        guard let waiter else {
            return
        }
        await Waiters<Int, Void>
            .wait { continuation in
                state.withLock { $0.waiters.park(waiter, continuation, ifCancelled: ()) }
            } onCancel: {
                state.withLock { state in
                    state.awaited[waiter] = nil
                    return state.waiters.withdraw(waiter, with: ())
                }
            }
    }

    /// Cancels the calls that were started in a scope and have not ended.
    func end(_ scope: CallScope) {
        scope.end()
        let left = state.withLock { Array($0.entries.values) }.filter { $0.scopes.contains { $0 === scope } }
        for entry in left {
            entry.task.cancel()
        }
    }
}

extension CallTable.State {
    /// Takes a key for a call.
    ///
    /// - Returns: The call that has the key; `nil` if it was free.
    mutating func reserve(_ key: String, for call: CallID) -> CallID? {
        if let other = keys[key] {
            return other
        }
        keys[key] = call
        return nil
    }

    /// Marks a call as cancelled.
    ///
    /// - Returns: The task to cancel.
    mutating func cancel(_ id: CallID) -> (any CancellableTask)? {
        entries[id]?.isCancelled = true
        return entries[id]?.task
    }

    /// Removes a call that has ended.
    ///
    /// - Returns: The waiters that waited for it last.
    mutating func remove(_ id: CallID, key: String?) -> [Waiters<Int, Void>.Wakeup] {
        entries[id] = nil
        if let key, keys[key] == id {
            keys[key] = nil
        }
        guard !awaited.isEmpty else {
            return []
        }
        var wakeups: [Waiters<Int, Void>.Wakeup] = []
        for waiter in awaited.keys {
            awaited[waiter]?.remove(id)
            if awaited[waiter]?.isEmpty == true {
                awaited[waiter] = nil
                if let wakeup = waiters.settle(waiter, with: ()) {
                    wakeups.append(wakeup)
                }
            }
        }
        return wakeups
    }

    /// Enters a waiter.
    ///
    /// - Returns: The waiter; `nil` if none of the calls is under way any more.
    mutating func wait(for calls: Set<CallID>) -> Int? {
        let calls = calls.filter { entries[$0] != nil }
        guard !calls.isEmpty else {
            return nil
        }
        lastWaiter += 1
        awaited[lastWaiter] = calls
        return lastWaiter
    }
}

/// A task of any result, or the body of a stream.
protocol CancellableTask: Sendable {
    func cancel()
}

extension Task: CancellableTask {}
extension WatchedSource: CancellableTask {}
