// SPDX-License-Identifier: MIT

import Synchronization

/// Interrupts a run with a journal, as a crash would: nothing begins any more, nothing is compensated, and no end is
/// written, so that the next run resumes it.
final class RunHalt: Sendable {
    private struct State {
        var isHalted = false
        /// Stops each graph of the run that is under way, inner ones included.
        var stops: [GroupID: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    var isHalted: Bool { state.withLock(\.isHalted) }

    /// Registers a graph of the run, which is stopped at once if the run has been halted.
    func enter(_ id: GroupID, stop: @escaping @Sendable () -> Void) {
        let isHalted = state.withLock { state in
            state.stops[id] = stop
            return state.isHalted
        }
        if isHalted {
            stop()
        }
    }

    func leave(_ id: GroupID) {
        state.withLock { state in state.stops[id] = nil }
    }

    func halt() {
        let stops = state.withLock { state in
            state.isHalted = true
            return Array(state.stops.values)
        }
        for stop in stops {
            stop()
        }
    }
}
