// SPDX-License-Identifier: MIT

import NIOCore
import Synchronization

/// The connections that are tried for one that is needed: one for each address, of which the first one is taken.
///
/// A connection may end before it is taken. Its handler, which knows why, has left the pipeline then.
final class ConnectionCandidates: Sendable {
    private let handlers = Mutex<[ObjectIdentifier: NIOLoopBound<any ConnectionCandidate>]>([:])

    /// Adds a candidate, on its event loop.
    func add(_ handler: any ConnectionCandidate, of channel: any Channel) {
        let bound = NIOLoopBound(handler, eventLoop: channel.eventLoop)
        handlers.withLock { $0[ObjectIdentifier(channel)] = bound }
    }

    /// Returns the handler of a candidate, on its event loop.
    func handler(of channel: any Channel) -> (any ConnectionCandidate)? {
        let handler = handlers.withLock { handlers in
            defer { handlers = [:] }
            return handlers[ObjectIdentifier(channel)]
        }
        return handler?.value
    }
}
