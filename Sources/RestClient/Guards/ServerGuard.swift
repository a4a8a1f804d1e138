// SPDX-License-Identifier: MIT

import JobGraphs
import RestEssentials
import Synchronization

/// The shared state of the calls to one server, or to one API of it: its line, its breaker and its budget.
final class ServerGuard: Sendable {
    private typealias Ticket = AdmissionStateMachine.Ticket

    /// Why a call in the line is resumed.
    private enum Wakeup: Sendable {
        case begin
        /// Its place has changed, or its time has come.
        case look
        case cancelled
    }

    private struct State {
        var admission = AdmissionStateMachine()
        var circuit = CircuitStateMachine()
        var budget = SlidingWindow()
        var waiters = Waiters<Ticket, Wakeup>()

        /// Lets those begin whose turn it is; returns whom to resume.
        mutating func advance(at now: Duration) -> [Waiters<Ticket, Wakeup>.Wakeup] {
            admission.advance(at: now).compactMap { waiters.settle($0, with: .begin) }
        }

        mutating func leave(_ ticket: Ticket) -> [Waiters<Ticket, Wakeup>.Wakeup] {
            (admission.leave(ticket) ?? []).compactMap { waiters.withdraw($0, with: .look) }
        }
    }

    let key: GuardKey
    private let clock: ClientClock
    private let state = Mutex(State())

    init(_ key: GuardKey, clock: ClientClock) {
        self.key = key
        self.clock = clock
    }

    // MARK: - The line

    /// How a call came to begin.
    enum Begin: Sendable {
        case atOnce
        case after(Duration)
        case tooLate(Duration)
    }

    /// Waits until a call may begin.
    ///
    /// - Parameters:
    ///   - terms: Its limits.
    ///   - call: The call.
    ///   - onWait: Called once if it waits, before it does.
    /// - Returns: How it came to begin.
    /// - Throws: `CancellationError`, or the error of the call's time.
    func enter(_ terms: AdmissionStateMachine.Terms, _ call: CallContext, onWait: () -> Void) async throws -> Begin {
        try Task.checkCancellation()
        let asked = clock.now()
        let reception = state.withLock { state in
            state.admission.enter(
                terms,
                patience: call.deadline.map { $0 - asked },
                // Work inside a slot may be what the first of the line waits for.
                yields: !WorkerPool.isInSlot,
                at: asked
            )
        }
        switch reception {
        case .begin:
            return .atOnce
        case .tooLate(let wait):
            return .tooLate(wait)
        case .wait(let ticket, let wait):
            onWait()
            try await self.wait(ticket, wait, call)
            return .after(clock.now() - asked)
        }
    }

    private func wait(_ ticket: Ticket, _ first: Duration, _ call: CallContext) async throws {
        var wait = first
        while true {
            switch await outcome(of: ticket, within: alarm(wait, call)) {
            case .begin:
                return
            case .cancelled:
                throw CancellationError()
            case .look:
                break
            }
            let now = clock.now()
            let (next, wakeups) = state.withLock { state in
                var wakeups = state.advance(at: now)
                let next = state.admission.wait(of: ticket, at: now)
                if next != nil, let deadline = call.deadline, deadline <= now {
                    wakeups += state.leave(ticket)
                }
                return (next, wakeups)
            }
            for wakeup in wakeups {
                wakeup.resume()
            }
            guard let next else {
                // It was let in meanwhile: the outcome is there to be claimed.
                _ = state.withLock { $0.waiters.claim(ticket) }
                return
            }
            if let deadline = call.deadline, deadline <= now {
                _ = state.withLock { $0.waiters.claim(ticket) }
                throw RestClientError.timedOut(after: call.policy.timeout)
            }
            wait = next
        }
    }

    /// The time after which a call looks again; `nil` if only others can change its place.
    private func alarm(_ wait: Duration, _ call: CallContext) -> Duration? {
        let left = call.deadline.map { max(.zero, $0 - clock.now()) }
        return wait > .zero ? min(wait, left ?? wait) : left
    }

    private func outcome(of ticket: Ticket, within limit: Duration?) async -> Wakeup {
        guard let limit else {
            return await outcome(of: ticket)
        }
        return await withTaskGroup(of: Void.self) { group in
            group.addTask {
                if (try? await self.clock.sleep(for: limit)) != nil {
                    self.wake(ticket)
                }
            }
            defer { group.cancelAll() }
            return await outcome(of: ticket)
        }
    }

    private func outcome(of ticket: Ticket) async -> Wakeup {
        await Waiters.wait { continuation in
            state.withLock { $0.waiters.park(ticket, continuation) }
        } onCancel: {
            cancel(ticket)
        }
    }

    /// Lets a call look again, unless it was let in.
    private func wake(_ ticket: Ticket) {
        let wakeup = state.withLock { state in
            state.admission.isWaiting(ticket) ? state.waiters.settle(ticket, with: .look) : nil
        }
        wakeup?.resume()
    }

    /// Takes a cancelled call out of the line.
    private func cancel(_ ticket: Ticket) -> Waiters<Ticket, Wakeup>.Wakeup? {
        let (own, others) = state.withLock { state in
            guard state.admission.isWaiting(ticket) else {
                return (nil as Waiters<Ticket, Wakeup>.Wakeup?, [] as [Waiters<Ticket, Wakeup>.Wakeup])
            }
            let others = state.leave(ticket) + state.advance(at: clock.now())
            return (state.waiters.settle(ticket, with: .cancelled), others)
        }
        for wakeup in others {
            wakeup.resume()
        }
        return own
    }

    /// Records the end of a call that had begun.
    func finish(_ outcome: GuardOutcome, latency: Duration, _ hints: RateHints?) {
        let now = clock.now()
        let wakeups = state.withLock { state in
            state.admission.finish(outcome, latency: latency, hints, at: now)
            return state.advance(at: now)
        }
        for wakeup in wakeups {
            wakeup.resume()
        }
    }

    // MARK: - The breaker

    /// Returns how a call would be refused now; `nil` if it would pass.
    func refusal() -> CircuitRefusal? {
        let now = clock.now()
        return state.withLock { $0.circuit.refusal(at: now) }.flatMap(refusal)
    }

    /// Lets a call pass, or refuses it; says which state the breaker has now if that has changed.
    func admit(
        _ policy: CircuitBreaker
    ) -> (permit: CircuitStateMachine.Permit?, refusal: CircuitRefusal?, changed: CircuitState?) {
        let now = clock.now()
        let (admission, changed) = change { $0.circuit.admit(policy, at: now) }
        switch admission {
        case .pass(let permit): return (permit, nil, changed)
        case .refuse: return (nil, refusal(admission), changed)
        }
    }

    /// Records the end of a call that passed; returns the state of the breaker if that has changed.
    func finish(
        _ permit: CircuitStateMachine.Permit,
        _ outcome: GuardOutcome,
        latency: Duration
    ) -> CircuitState? {
        let now = clock.now()
        return change { $0.circuit.finish(permit, outcome, latency: latency, at: now) }.changed
    }

    /// Refuses all calls, or lets them pass again; returns the state if that has changed.
    func isolate(_ isIsolated: Bool) -> CircuitState? {
        change { isIsolated ? $0.circuit.isolate() : $0.circuit.release() }.changed
    }

    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> (Result, changed: CircuitState?) {
        state.withLock { state in
            // An open breaker becomes half open when a call comes, and not by itself.
            let before = state.circuit.phaseState
            let result = body(&state)
            let after = state.circuit.phaseState
            return (result, before == after ? nil : after)
        }
    }

    private func refusal(_ admission: CircuitStateMachine.Admission) -> CircuitRefusal? {
        guard case .refuse(let state, let probesIn) = admission else {
            return nil
        }
        return CircuitRefusal(server: key.description, state: state, probesIn: probesIn)
    }

    // MARK: - The budget

    /// Counts a call.
    func countCall(_ budget: RetryBudget) {
        let now = clock.now()
        state.withLock { $0.budget.count(at: now, in: budget.window) { $0.calls += 1 } }
    }

    /// Takes the room for one retry; returns false if there is none.
    func takeRetry(_ budget: RetryBudget) -> Bool {
        let now = clock.now()
        return state.withLock { state in
            guard budget.allows(state.budget.counts(at: now, in: budget.window)) else {
                return false
            }
            state.budget.count(at: now, in: budget.window) { $0.retries += 1 }
            return true
        }
    }

    // MARK: - A look from outside

    /// The state at this moment.
    var snapshot: ServerGuards.Snapshot {
        let now = clock.now()
        return state.withLock { state in
            let counts = state.circuit.counts(at: now)
            return ServerGuards.Snapshot(
                server: key.server,
                api: key.api,
                circuit: state.circuit.state(at: now),
                calls: counts.calls,
                failures: counts.failures,
                slowCalls: counts.slow,
                running: state.admission.running,
                waiting: state.admission.waitingCount,
                concurrency: state.admission.limit,
                available: state.admission.available
            )
        }
    }

    /// A Boolean value that is true if nothing is lost when the state is forgotten.
    var isIdle: Bool {
        let now = clock.now()
        return state.withLock { state in
            state.admission.running == 0 && state.admission.waitingCount == 0 && state.circuit.state(at: now) == .closed
                && state.circuit.counts(at: now).calls == 0
        }
    }
}
