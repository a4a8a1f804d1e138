// SPDX-License-Identifier: MIT

import RestClient
import Synchronization

/// The counts of a worker: the ends of its calls, and the events of its manager.
final class SoakTally: Sendable {
    struct Counts: Sendable {
        var started = 0
        var succeeded = 0
        var cancelled = 0
        var failed: [String: Int] = [:]
        var fallbacks = 0
        var hits = 0
        var events: [String: Int] = [:]
        /// The orders that succeeded, and those whose end is not known to the client.
        var confirmed: Set<String> = []
        /// How many requests of each order left the client, and how many of them had a response.
        var sent: [String: Int] = [:]
        var responded: [String: Int] = [:]
        /// Defects that were seen at once.
        var defects: [String] = []

        var ended: Int { succeeded + cancelled + failed.values.reduce(0, +) }
    }

    private let state = Mutex(Counts())

    var counts: Counts { state.withLock { $0 } }

    func note(_ change: (inout Counts) -> Void) {
        state.withLock { change(&$0) }
    }

    /// Takes the number of the next call; `nil` if there are enough.
    func next(of limit: Int) -> Int? {
        state.withLock { counts in
            guard counts.started < limit else {
                return nil
            }
            counts.started += 1
            return counts.started
        }
    }

    func observe(_ event: ClientEvent) {
        state.withLock { $0.events[event.kind.name.rawValue, default: 0] += 1 }
    }
}
