// SPDX-License-Identifier: MIT

import JobGraphs
import Synchronization

/// Passes the events of a shared request to one of its callers.
final class EventRelay: CallPart {
    var heedsCall: Bool { true }
    private let tell = Mutex<(@Sendable (ClientEvent.Kind) -> Void)?>(nil)

    /// True once the request is under way.
    var isInUse: Bool { tell.withLock { $0 != nil } }

    /// Starts to pass events on.
    func begin(_ tell: @escaping @Sendable (ClientEvent.Kind) -> Void) {
        self.tell.withLock { $0 = tell }
    }

    /// Passes an event on.
    func pass(_ kind: ClientEvent.Kind) {
        tell.withLock { $0 }?(kind)
    }
}

extension CallContext {
    /// The relay of a call under which a shared request runs; `nil` for every other call.
    var relay: EventRelay? { policy.part() }
}
