// SPDX-License-Identifier: MIT

import JobGraphs
import Synchronization

/// Runs the background refreshes of delivered stored responses: one task for each response, up to a limit.
///
/// Its tasks end with the manager.
final class BackgroundRevalidation: Sendable {
    private struct State {
        var tasks: [String: Task<Void, Never>] = [:]
        var isClosed = false
    }

    /// The maximum number of concurrent refreshes; beyond it, a response is refreshed at its next delivery.
    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int = 16) {
        self.limit = limit
    }

    /// Starts to refresh a response.
    ///
    /// - Returns: `false` if the response is already being refreshed, or if the limit is reached.
    @discardableResult
    func start(_ key: String, _ operation: @escaping @Sendable () async -> Void) -> Bool {
        state.withLock { state in
            guard !state.isClosed, state.tasks[key] == nil, state.tasks.count < limit else {
                return false
            }
            // It ends after it is recorded, because that takes the lock.
            state.tasks[key] = Task(priority: .utility) { [weak self] in
                await operation()
                self?.end(key)
            }
            return true
        }
    }

    private func end(_ key: String) {
        state.withLock { $0.tasks[key] = nil }
    }

    /// Waits for all refreshes in progress.
    func finished() async {
        for task in state.withLock({ Array($0.tasks.values) }) {
            await task.value
        }
    }

    /// Cancels all refreshes, and starts no more.
    func close() {
        let tasks = state.withLock { state in
            state.isClosed = true
            return Array(state.tasks.values)
        }
        for task in tasks {
            task.cancel()
        }
    }
}

extension CallContext {
    /// Returns a call that refreshes the stored response of this one after its delivery, with its own identifier and
    /// time.
    func inBackground(startingAt start: Duration) -> CallContext {
        var policy = policy
        policy.priority = .low
        policy.passesPool = false
        policy.set(EventRelay?.none)
        return another(policy: policy, CallContext.Beginning(id: .next(), start: start))
    }
}
