// SPDX-License-Identifier: MIT

import HTTPTypes
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

final class ServerCircuit: Sendable {
    private let key: GuardKey
    private let state = Mutex(CircuitStateMachine())

    init(_ key: GuardKey) {
        self.key = key
    }

    var machine: CircuitStateMachine { state.withLock { $0 } }

    func check(at now: Duration) throws(RestClientError) {
        if case .refuse(let found, let probesIn) = state.withLock({ $0.refusal(at: now) }) {
            throw refusal(found, probesIn)
        }
    }

    /// Lets a call pass, or refuses it; returns the state of the breaker if that has changed.
    func admit(
        _ policy: CircuitBreaker,
        at now: Duration
    ) throws(RestClientError) -> (permit: CircuitStateMachine.Permit, changed: CircuitState?) {
        let (admission, changed) = change { $0.admit(policy, at: now) }
        switch admission {
        case .pass(let permit): return (permit, changed)
        case .refuse(let state, let probesIn): throw refusal(state, probesIn)
        }
    }

    /// Changes the breaker; returns its state if that has changed.
    func change<Result: Sendable>(
        _ body: (inout CircuitStateMachine) -> Result
    ) -> (result: Result, changed: CircuitState?) {
        state.withLock { machine in
            // An open breaker becomes half open when a call comes, and not by itself.
            let before = machine.phaseState
            let result = body(&machine)
            let after = machine.phaseState
            return (result, before == after ? nil : after)
        }
    }

    private func refusal(_ state: CircuitState, _ probesIn: Duration?) -> RestClientError {
        let refusal = CircuitRefusal(server: key.description, state: state, probesIn: probesIn)
        var error = RestClientError(.circuitOpen, "the call was not sent, because \(refusal)", underlying: refusal)
        error.refusedFor = probesIn
        return error
    }
}

/// The calls to one server, or to one API of it, and their retries, as far as they have a budget.
final class RetryCounts: Sendable {
    private struct State {
        var counts = SlidingWindow()
        /// The latest length of the window.
        var length = Duration.zero
    }

    private let state = Mutex(State())

    func countCall(_ budget: RetryBudget, at now: Duration) {
        state.withLock { state in
            state.length = budget.window
            state.counts.count(at: now, in: budget.window) { $0.calls += 1 }
        }
    }

    /// Takes the room for one retry; returns false if there is none.
    func takeRetry(_ budget: RetryBudget, at now: Duration) -> Bool {
        state.withLock { state in
            guard budget.allows(state.counts.counts(at: now, in: budget.window)) else {
                return false
            }
            state.length = budget.window
            state.counts.count(at: now, in: budget.window) { $0.retries += 1 }
            return true
        }
    }

    func isIdle(at now: Duration) -> Bool {
        state.withLock { $0.counts.counts(at: now, in: $0.length) == SlidingWindow.Counts() }
    }
}

/// The judgement of a server by the end of an attempt: pure.
enum GuardOutcome: Sendable, Hashable {
    case success
    /// The server fails, or cannot be reached.
    case failure
    /// The attempt says nothing of the server: it was cancelled, or failed on this side.
    case unknown

    init(_ status: HTTPResponse.Status, accepted: StatusSet) {
        self = status.code >= 500 && !accepted.contains(status) ? .failure : .success
    }

    /// Judges the error of a call, which says nothing if the call was cancelled.
    init(_ error: any Error, of call: CallContext) {
        self = call.isCancelled ? .unknown : GuardOutcome(error)
    }

    init(_ error: any Error) {
        guard let error = error as? RestClientError else {
            self = .unknown
            return
        }
        switch error.code {
        case .hostNotFound, .connectionFailed, .connectionClosed, .tlsFailed, .timeout, .malformedResponse,
            .transportFailed:
            self = .failure
        case .responseTooLarge, .headerTooLarge, .tooManyRedirects, .redirectRefused, .redirectLoop:
            self = .success
        default:
            self = .unknown
        }
    }
}
