// SPDX-License-Identifier: MIT

import JobGraphs
import Synchronization

final class ReachabilityProbes: Sendable {
    private let probes = Mutex<[ServerAlias: ReachabilityProbe]>([:])
    private let transport: any Transport
    private let clock: ClientClock
    private let hub: EventHub
    private let request: @Sendable (ServerAlias) throws -> TransportRequest

    init(
        transport: any Transport,
        clock: ClientClock,
        hub: EventHub,
        request: @escaping @Sendable (ServerAlias) throws -> TransportRequest
    ) {
        self.transport = transport
        self.clock = clock
        self.hub = hub
        self.request = request
    }

    /// Returns the probes of a scope, which know nothing of those outside; itself outside of scopes.
    func inside(_ isolation: CallIsolation?) -> ReachabilityProbes {
        isolation?
            .state(of: self) {
                ReachabilityProbes(transport: transport, clock: clock, hub: hub, request: request)
            } ?? self
    }

    /// The probe of a server, made when it is first asked for.
    subscript(server: ServerAlias) -> ReachabilityProbe {
        probes.withLock { probes in
            if let known = probes[server] {
                return known
            }
            let new = ReachabilityProbe(server, transport: transport, clock: clock, hub: hub, request: request)
            probes[server] = new
            return new
        }
    }

    /// Waits before another attempt; no longer than until a probe says that the server can be reached again.
    func pause(for delay: Duration, _ server: ServerAlias?) async throws {
        guard let server, let probe = probes.withLock({ $0[server] }) else {
            try await clock.sleep(for: delay)
            return
        }
        try await probe.pause(for: delay)
    }
}
