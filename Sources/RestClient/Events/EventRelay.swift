// SPDX-License-Identifier: MIT

import JobGraphs
import Synchronization

/// Passes the events of a shared request to one of its callers, and reports whether the request holds a worker slot.
final class EventRelay: PolicyPart {
    private struct Receivers {
        let tell: @Sendable (ClientEvent.Kind) -> Void
        let hold: @Sendable (Int) -> Void
    }

    private let receivers = Mutex<Receivers?>(nil)

    var isInUse: Bool { receivers.withLock { $0 != nil } }

    /// Starts to pass events on; `hold` takes the number of worker slots that the request now holds in addition.
    func begin(_ tell: @escaping @Sendable (ClientEvent.Kind) -> Void, holds hold: @escaping @Sendable (Int) -> Void) {
        receivers.withLock { $0 = Receivers(tell: tell, hold: hold) }
    }

    func pass(_ kind: ClientEvent.Kind) {
        receivers.withLock { $0 }?.tell(kind)
    }

    func hold(_ slots: Int) {
        receivers.withLock { $0 }?.hold(slots)
    }
}

extension CallContext {
    /// The relay of a call under which a shared request runs; `nil` for every other call.
    var relay: EventRelay? { policy.part() }
}
