// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs
import RestEssentials
import Synchronization

/// The line, the breaker and the counts of retries that the calls to one server, or to one API of it, share.
final class ServerGuard: Sendable {
    typealias Ticket = AdmissionStateMachine.Ticket
    private typealias Wakeup = Waiters<Ticket, Signal>.Wakeup

    private enum Signal: Sendable {
        case begin
        /// Its time may have come, or has changed.
        case look
        case cancelled
    }

    private struct State: Sendable {
        var line = AdmissionStateMachine()
        var waiters = Waiters<Ticket, Signal>()
        var circuit = CircuitStateMachine()
        var retries = RetryCounts()

        /// Lets those begin whose turn it is; returns whom to resume: them, and the next one if it has to look again.
        mutating func advance(at now: Duration) -> [Wakeup] {
            guard line.waitingCount > 0 else {
                return []
            }
            let wakeups = line.advance(at: now).compactMap { waiters.settle($0, with: .begin) }
            let next = line.callUp(at: now).flatMap { waiters.settle($0, with: .look) }
            return wakeups + [next].compactMap { $0 }
        }
    }

    private struct Wait: CancellableWork {
        let shared: ServerGuard
        let ticket: Ticket

        func cancel() { shared.cancel(ticket)?.resume() }
    }

    let key: GuardKey
    private let clock: ClientClock
    private let state = Mutex(State())
    private let forgotten = Atomic<Bool>(false)

    /// A Boolean value that is true once another guard may stand at its place.
    var isForgotten: Bool { forgotten.load(ordering: .acquiring) }

    init(_ key: GuardKey, clock: ClientClock) {
        self.key = key
        self.clock = clock
    }

    var snapshot: ServerGuards.Snapshot {
        let now = clock.now()
        var state = state.withLock { $0 }
        state.line.refill(at: now)
        let counts = state.circuit.counts(at: now)
        return ServerGuards.Snapshot(
            server: key.server,
            api: key.api,
            rateLimit: key.ownRate,
            circuit: state.circuit.state(at: now),
            calls: counts.calls,
            failures: counts.failures,
            slowCalls: counts.slow,
            running: state.line.running,
            waiting: state.line.waitingCount,
            concurrency: state.line.limit,
            available: state.line.available
        )
    }

    /// Marks the guard as forgotten if nothing of use is lost with it: no call is under way or waits, and a new guard
    /// would decide as this one does, except for a breaker that has not been probed for long.
    func forgetIfIdle() -> Bool {
        let now = clock.now()
        var state = state.withLock { $0 }
        guard state.line.isIdle(at: now), state.circuit.isSpent(at: now), state.retries.isIdle(at: now) else {
            return false
        }
        forgotten.store(true, ordering: .releasing)
        return true
    }

    // MARK: - Retries

    func countCall(_ budget: RetryBudget) {
        let now = clock.now()
        state.withLock { $0.retries.countCall(budget, at: now) }
    }

    /// Takes one retry from the budget; returns false if it allows none.
    func takeRetry(_ budget: RetryBudget) -> Bool {
        let now = clock.now()
        return state.withLock { $0.retries.takeRetry(budget, at: now) }
    }
}

// MARK: - The breaker

extension ServerGuard {
    func checkCircuit(at now: Duration) throws(RestClientError) {
        if case .refuse(let found, let probesIn) = state.withLock({ $0.circuit.refusal(at: now) }) {
            throw refusal(found, probesIn)
        }
    }

    /// Lets a call pass, or refuses it; returns the state of the breaker if that has changed.
    func admit(
        _ policy: CircuitBreaker,
        at now: Duration
    ) throws(RestClientError) -> (permit: CircuitStateMachine.Permit, changed: CircuitState?) {
        let (admission, changed) = changeCircuit { $0.admit(policy, at: now) }
        switch admission {
        case .pass(let permit): return (permit, changed)
        case .refuse(let state, let probesIn): throw refusal(state, probesIn)
        }
    }

    /// Records the end of a call that had passed; returns the state of the breaker if that has changed.
    func end(
        _ permit: CircuitStateMachine.Permit,
        _ outcome: GuardOutcome,
        latency: () -> Duration,
        at now: Duration
    ) -> CircuitState? {
        changeCircuit { circuit in
            circuit.finish(permit, outcome, latency: circuit.needsLatency ? latency() : .zero, at: now)
        }
        .changed
    }

    /// Refuses all calls, or lets them pass and forgets what was counted; returns the state of the breaker if that has
    /// changed.
    func setIsolated(_ isIsolated: Bool) -> CircuitState? {
        guard !isIsolated else {
            return changeCircuit { $0.isolate() }.changed
        }
        change(at: clock.now()) { $0.line.forgetRate() }
        return changeCircuit { $0.release() }.changed
    }

    private func changeCircuit<Result: Sendable>(
        _ body: (inout CircuitStateMachine) -> Result
    ) -> (result: Result, changed: CircuitState?) {
        state.withLock { state in
            // An open breaker becomes half open when a call comes, and not by itself.
            let before = state.circuit.phaseState
            let result = body(&state.circuit)
            let after = state.circuit.phaseState
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

// MARK: - The line

extension ServerGuard {
    /// Changes the line, and then lets those begin whose turn it is.
    private func change<Result: Sendable>(at now: Duration, _ body: (inout State) -> Result) -> Result {
        let (result, wakeups) = state.withLock { state in
            let result = body(&state)
            return (result, state.advance(at: now))
        }
        for wakeup in wakeups {
            wakeup.resume()
        }
        return result
    }

    /// Returns how long a call would have to wait here if it cannot wait so long; `nil` if it can.
    func excessiveWait(_ terms: AdmissionStateMachine.Terms, _ call: CallContext) -> Duration? {
        guard !WorkerPool.isInSlot else {
            return nil
        }
        let now = clock.now()
        let patience = call.deadline.map { $0 - now }
        return state.withLock { $0.line.excessiveWait(terms, patience: patience, at: now) }
    }

    func receive(
        _ terms: AdmissionStateMachine.Terms,
        _ call: CallContext,
        at now: Duration
    ) -> AdmissionStateMachine.Reception {
        let patience = call.deadline.map { $0 - now }
        // Work inside a slot may be what the first of the line waits for.
        let yields = !WorkerPool.isInSlot
        return state.withLock { $0.line.enter(terms, patience: patience, yields: yields, at: now) }
    }

    /// Records the end of a call that had begun; `latency` is called under the lock, only if a limit asks for it.
    func finish(_ outcome: GuardOutcome, latency: () -> Duration, _ hints: RateHints?, at now: Duration) {
        change(at: now) { state in
            let latency = state.line.needsLatency ? latency() : .zero
            state.line.finish(outcome, latency: latency, hints, at: now)
        }
    }

    func wait(_ ticket: Ticket, _ first: Duration, _ call: CallContext) async throws {
        let start = clock.now()
        call.cancellation?.waits(for: Wait(shared: self, ticket: ticket))
        defer {
            call.cancellation?.stopsWaiting()
            call.note { $0.add(waitFrom: start, to: clock.now(), for: .turn) }
        }
        var wait = first
        while true {
            switch await signal(to: ticket, until: alarm(after: wait, call)) {
            case .begin:
                return
            case .cancelled:
                throw CancellationError()
            case .look:
                break
            }
            let now = clock.now()
            let isLate = call.deadline.map { $0 <= now } ?? false
            let next = change(at: now) { state in
                let next = state.line.wait(of: ticket, at: now)
                if isLate, state.line.leave(ticket) {
                    _ = state.waiters.claim(ticket)
                }
                return next
            }
            guard let next else {
                // It was let in or cancelled meanwhile: the outcome is there to be claimed.
                if case .cancelled = state.withLock({ $0.waiters.claim(ticket) }) {
                    throw CancellationError()
                }
                return
            }
            if isLate {
                throw RestClientError.timedOut(after: call.policy.timeout)
            }
            wait = next
        }
    }

    /// The instant at which a call looks again; `nil` if only others can change its place.
    private func alarm(after wait: Duration, _ call: CallContext) -> Duration? {
        [wait > .zero ? clock.now() + wait : nil, call.deadline].compactMap { $0 }.min()
    }

    private func signal(to ticket: Ticket, until deadline: Duration?) async -> Signal {
        await clock.run(until: deadline) {
            self.wake(ticket)
        } operation: {
            await Waiters<Ticket, Signal>
                .wait { continuation in
                    state.withLock { $0.waiters.park(ticket, continuation) }
                } onCancel: {
                    cancel(ticket)
                }
        }
    }

    /// Lets a call look again, unless it was let in.
    private func wake(_ ticket: Ticket) {
        let wakeup = state.withLock { state in
            state.line.isWaiting(ticket) ? state.waiters.settle(ticket, with: .look) : nil
        }
        wakeup?.resume()
    }

    private func cancel(_ ticket: Ticket) -> Wakeup? {
        change(at: clock.now()) { state in
            state.line.leave(ticket) ? state.waiters.settle(ticket, with: .cancelled) : nil
        }
    }
}

/// Judges a server by the end of an attempt, without I/O.
enum GuardOutcome: Sendable, Hashable {
    case success
    /// The server fails, or cannot be reached.
    case failure
    /// The attempt says nothing of the server: it was cancelled, or failed on this side.
    case unknown

    init(_ status: HTTPResponse.Status, accepted: StatusSet) {
        self = status.code >= 500 && !accepted.contains(status) ? .failure : .success
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
