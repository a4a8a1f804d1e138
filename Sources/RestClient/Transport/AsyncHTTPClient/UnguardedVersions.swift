// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

import NIOCore
import Synchronization

/// Remembers the versions of HTTP whose connections cannot be guarded in this version of AsyncHTTPClient.
///
/// The positions of handlers do not depend on the server: what is true of one connection is true of all.
final class UnguardedVersions: Sendable {
    private let hasHTTP1 = Atomic<Bool>(false)
    private let hasHTTP2 = Atomic<Bool>(false)
    private let eventLoops: any EventLoopGroup

    init(on eventLoops: any EventLoopGroup = AsyncHTTPClientTransport.eventLoops) {
        self.eventLoops = eventLoops
    }

    func contains(_ version: UnguardedConnection.Version) -> Bool {
        switch version {
        case .http1: hasHTTP1.load(ordering: .acquiring)
        case .http2: hasHTTP2.load(ordering: .acquiring)
        }
    }

    /// Adds a version, before anything is written to the connection that revealed it.
    func insert(_ version: UnguardedConnection.Version) {
        switch version {
        case .http1: hasHTTP1.store(true, ordering: .releasing)
        case .http2: hasHTTP2.store(true, ordering: .releasing)
        }
    }

    /// Waits until an exchange whose head was written knows that its connection is refused, if it is.
    ///
    /// AsyncHTTPClient requests the body immediately after the head, when ``ConnectionRefusal`` has seen the head and
    /// is about to report the refusal. An event loop runs its tasks in order: after one round, the loop of the
    /// connection has reported the refusal, and after a second one the loop of the exchange has passed it on.
    func waitForRefusals() async {
        guard contains(.http1) || contains(.http2) else {
            return
        }
        for _ in 0..<2 {
            for loop in eventLoops.makeIterator() {
                try? await loop.submit {}.get()
            }
        }
    }
}

#endif
