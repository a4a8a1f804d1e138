// SPDX-License-Identifier: MIT

import Synchronization

/// A value under a lock on which tasks can wait.
///
/// Every change offers the value to the waiters in the order of their arrival, until none of them can continue. A
/// waiter takes what it waits for (a permit, an element) while the lock is held, so that no two take the same, and is
/// resumed after the lock is released.
package final class Monitor<State: Sendable>: Sendable {
    /// Takes what the waiter waits for, if the value has it, and returns how to resume the waiter.
    private typealias Attempt = @Sendable (inout State) -> Resumption?
    private typealias Resumption = @Sendable () -> Void

    private struct Waiter: Sendable {
        let id: UInt64
        let attempt: Attempt
        let cancel: Resumption
    }

    private struct Storage: Sendable {
        var value: State
        var waiters: [Waiter] = []
        var lastID: UInt64 = 0

        /// Releases every waiter that can continue.
        ///
        /// One that continues may make room for another, hence the outer loop.
        mutating func settle() -> [Resumption] {
            var resumptions: [Resumption] = []
            var progressed = !waiters.isEmpty
            while progressed {
                progressed = false
                var parked: [Waiter] = []
                for waiter in waiters {
                    if let resumption = waiter.attempt(&value) {
                        resumptions.append(resumption)
                        progressed = true
                    } else {
                        parked.append(waiter)
                    }
                }
                waiters = parked
            }
            return resumptions
        }
    }

    private let storage: Mutex<Storage>

    package init(_ value: State) {
        storage = Mutex(Storage(value: value))
    }

    /// A copy of the current value.
    package var value: State {
        storage.withLock { storage in storage.value }
    }

    /// Changes the value and resumes the waiters that can continue.
    @discardableResult
    package func update<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
        let (result, resumptions) = storage.withLock { storage in
            let result = change(&storage.value)
            return (result, storage.settle())
        }
        for resume in resumptions {
            resume()
        }
        return result
    }

    /// Waits until the value has what the caller needs, and takes it.
    ///
    /// - Parameter attempt: Called on each change with the lock held. Returns `nil` to continue waiting.
    /// - Returns: The result of `attempt`.
    /// - Throws: `CancellationError` if the task is cancelled. Nothing has been taken then.
    package func wait<Result: Sendable>(
        until attempt: @escaping @Sendable (inout State) -> Result?
    ) async throws -> Result {
        try Task.checkCancellation()
        let id = storage.withLock { storage in
            storage.lastID += 1
            return storage.lastID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Result, any Error>) in
                let waiter = Waiter(
                    id: id,
                    attempt: { state -> Resumption? in
                        guard let result = attempt(&state) else {
                            return nil
                        }
                        return { continuation.resume(returning: result) }
                    },
                    cancel: { continuation.resume(throwing: CancellationError()) }
                )
                park(waiter)
            }
        } onCancel: {
            cancel(id)
        }
    }

    /// Parks a waiter.
    ///
    /// The flag is read under the lock: if it is set later, the handler finds the waiter.
    private func park(_ waiter: Waiter) {
        let resumptions: [Resumption] = storage.withLock { storage in
            if Task.isCancelled {
                return [waiter.cancel]
            }
            storage.waiters.append(waiter)
            return storage.settle()
        }
        for resume in resumptions {
            resume()
        }
    }

    private func cancel(_ id: UInt64) {
        let resumption: Resumption? = storage.withLock { storage in
            guard let index = storage.waiters.firstIndex(where: { waiter in waiter.id == id }) else {
                return nil
            }
            return storage.waiters.remove(at: index).cancel
        }
        resumption?()
    }
}
