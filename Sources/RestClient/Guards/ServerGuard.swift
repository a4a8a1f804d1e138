// SPDX-License-Identifier: MIT

import Synchronization

/// The line, the breaker and the counts of retries that the calls to one server, or to one API of it, share.
final class ServerGuard: Sendable {
    let key: GuardKey
    let line: AdmissionLine
    let circuit: ServerCircuit
    let retries = RetryCounts()
    private let clock: ClientClock
    private let forgotten = Atomic<Bool>(false)

    /// A Boolean value that is true once another guard may stand at its place.
    var isForgotten: Bool { forgotten.load(ordering: .acquiring) }

    init(_ key: GuardKey, clock: ClientClock) {
        self.key = key
        self.clock = clock
        line = AdmissionLine(clock: clock)
        circuit = ServerCircuit(key)
    }

    var snapshot: ServerGuards.Snapshot {
        let now = clock.now()
        var (line, circuit) = (self.line.machine, self.circuit.machine)
        line.refill(at: now)
        let counts = circuit.counts(at: now)
        return ServerGuards.Snapshot(
            server: key.server,
            api: key.api,
            rateLimit: key.ownRate,
            circuit: circuit.state(at: now),
            calls: counts.calls,
            failures: counts.failures,
            slowCalls: counts.slow,
            running: line.running,
            waiting: line.waitingCount,
            concurrency: line.limit,
            available: line.available
        )
    }

    /// Marks the guard as forgotten if nothing of use is lost with it: no call is under way or waits, and a new guard
    /// would decide as this one does, but for a breaker that nobody has probed for long.
    func forgetIfIdle() -> Bool {
        let now = clock.now()
        var (line, circuit) = (self.line.machine, self.circuit.machine)
        guard line.isIdle(at: now), circuit.isSpent(at: now), retries.isIdle(at: now) else {
            return false
        }
        forgotten.store(true, ordering: .releasing)
        return true
    }
}
