// SPDX-License-Identifier: MIT

import Synchronization

/// The requests that have no response yet.
final class ServedRequests: Sendable {
    private struct State {
        var tasks: [Int: Task<Void, Never>] = [:]
        var lastKey = 0
    }

    private let state = Mutex(State())

    /// Begins to serve a request.
    ///
    /// - Returns: The task, to be waited for.
    func start(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        state.withLock { state in
            state.lastKey += 1
            let key = state.lastKey
            let task = Task {
                await work()
                self.state.withLock { $0.tasks[key] = nil }
            }
            state.tasks[key] = task
            return task
        }
    }

    /// Cancels all requests, also those that the library does not know yet.
    func cancelAll() {
        for task in state.withLock({ Array($0.tasks.values) }) {
            task.cancel()
        }
    }
}
