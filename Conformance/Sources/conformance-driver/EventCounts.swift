// SPDX-License-Identifier: MIT

import RestClient
import Synchronization

/// How often each event of a manager occurred.
final class EventCounts: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    /// The counts by the name of the event.
    var byName: [String: Int] { counts.withLock { $0 } }

    func note(_ event: ClientEvent) {
        counts.withLock { $0[event.kind.name.rawValue, default: 0] += 1 }
    }
}
