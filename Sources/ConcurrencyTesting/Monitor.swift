// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// A value under a lock on which tasks can wait.
///
/// Every change offers it to the waiters in the order of their arrival. A waiter takes its resource (a permit, an
/// element) while the lock is held, and is resumed afterwards.
package final class Monitor<State: Sendable>: Sendable {
    /// The waiters; their outcome is the result of their attempt, or `nil` if their task was cancelled.
    private typealias Parked = Waiters<UInt64, (any Sendable)?>

    private struct Storage: Sendable {
        var value: State
        var parked = Parked()
        /// The waiters' attempts to take a resource, in the order of their arrival.
        var attempts: [(id: UInt64, attempt: @Sendable (inout State) -> (any Sendable)?)] = []
        var lastID: UInt64 = 0

        /// A waiter that continues may make room for another one, hence the outer loop.
        mutating func settle() -> [Parked.Wakeup] {
            var wakeups: [Parked.Wakeup] = []
            var hasProgressed = !attempts.isEmpty
            while hasProgressed {
                hasProgressed = false
                for (id, attempt) in attempts {
                    guard let result = attempt(&value) else {
                        continue
                    }
                    hasProgressed = true
                    attempts.removeAll { $0.id == id }
                    if let wakeup = parked.settle(id, with: result) {
                        wakeups.append(wakeup)
                    }
                }
            }
            return wakeups
        }
    }

    private let storage: Mutex<Storage>

    package init(_ value: State) {
        storage = Mutex(Storage(value: value))
    }

    package var value: State {
        storage.withLock { $0.value }
    }

    @discardableResult
    package func update<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
        let (result, wakeups) = storage.withLock { storage in
            let result = change(&storage.value)
            return (result, storage.settle())
        }
        for wakeup in wakeups {
            wakeup.resume()
        }
        return result
    }

    /// Waits until the value provides what the caller needs, and takes it.
    ///
    /// `attempt` is called with the lock held, and returns `nil` to continue waiting. A cancelled task takes nothing.
    package func wait<Result: Sendable>(
        until attempt: @escaping @Sendable (inout State) -> Result?
    ) async throws -> Result {
        let id = storage.withLock { storage in
            storage.lastID += 1
            return storage.lastID
        }
        let outcome = await Parked.wait { continuation in
            let (outcome, wakeups) = storage.withLock { storage -> ((any Sendable)??, [Parked.Wakeup]) in
                guard !Task.isCancelled else {
                    return (.some(nil), [])
                }
                storage.attempts.append((id, { state in attempt(&state) }))
                let wakeups = storage.settle()
                return (storage.parked.park(id, continuation), wakeups)
            }
            for wakeup in wakeups {
                wakeup.resume()
            }
            return outcome
        } onCancel: {
            storage.withLock { storage in
                storage.attempts.removeAll { $0.id == id }
                return storage.parked.withdraw(id, with: nil)
            }
        }
        guard let result = outcome as? Result else {
            throw CancellationError()
        }
        return result
    }
}
