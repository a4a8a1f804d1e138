// SPDX-License-Identifier: MIT

import JobGraphs
import Synchronization

/// Takes the events of a request that several calls share to those calls.
final class EventRelay: CallPart {
    private let tell = Mutex<(@Sendable (ClientEvent.Kind) -> Void)?>(nil)

    /// True once the request is under way.
    var isInUse: Bool { tell.withLock { $0 != nil } }

    /// Begins to pass events on.
    func begin(_ tell: @escaping @Sendable (ClientEvent.Kind) -> Void) {
        self.tell.withLock { $0 = tell }
    }

    /// Passes an event on.
    func pass(_ kind: ClientEvent.Kind) {
        tell.withLock { $0 }?(kind)
    }
}

extension CallContext {
    /// Takes the events while the call stands for others that share its request; `nil` for every other call.
    var relay: EventRelay? { policy.part() }
}
