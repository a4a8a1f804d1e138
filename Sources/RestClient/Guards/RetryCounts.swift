// SPDX-License-Identifier: MIT

import Synchronization

/// The calls to one server, or to one API of it, and their retries, as far as they have a budget.
final class RetryCounts: Sendable {
    private struct State {
        var counts = SlidingWindow()
        /// The latest length of the window.
        var length = Duration.zero
    }

    private let state = Mutex(State())

    func countCall(_ budget: RetryBudget, at now: Duration) {
        state.withLock { state in
            state.length = budget.window
            state.counts.count(at: now, in: budget.window) { $0.calls += 1 }
        }
    }

    /// Takes the room for one retry; returns false if there is none.
    func takeRetry(_ budget: RetryBudget, at now: Duration) -> Bool {
        state.withLock { state in
            guard budget.allows(state.counts.counts(at: now, in: budget.window)) else {
                return false
            }
            state.length = budget.window
            state.counts.count(at: now, in: budget.window) { $0.retries += 1 }
            return true
        }
    }

    func isIdle(at now: Duration) -> Bool {
        state.withLock { $0.counts.counts(at: now, in: $0.length) == SlidingWindow.Counts() }
    }
}
