// SPDX-License-Identifier: MIT

import JobGraphs
import Synchronization

final class ReachabilityProbes: Sendable {
    private let probes = Mutex<[ServerAlias: ReachabilityProbe]>([:])
    private let means: ReachabilityProbe.Means

    init(_ means: ReachabilityProbe.Means) {
        self.means = means
    }

    /// Returns the probes of a scope, which know nothing of those outside; itself outside of scopes.
    func inside(_ isolation: CallIsolation?) -> ReachabilityProbes {
        isolation?.state(of: self) { ReachabilityProbes(means) } ?? self
    }

    /// The probe of a server, made when it is first asked for.
    subscript(server: ServerAlias) -> ReachabilityProbe {
        probes.withLock { probes in
            let probe = probes[server] ?? ReachabilityProbe(server, means)
            probes[server] = probe
            return probe
        }
    }

    /// Waits before another attempt; no longer than until a probe says that the server can be reached again.
    func pause(for delay: Duration, _ server: ServerAlias?) async throws {
        guard let server, let probe = probes.withLock({ $0[server] }) else {
            try await means.clock.sleep(for: delay)
            return
        }
        try await probe.pause(for: delay)
    }
}
