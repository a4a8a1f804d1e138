// SPDX-License-Identifier: MIT

import JobGraphs
import RestEssentials
import Synchronization

/// The shared state of the calls to one server, or to one API of it: its line, its breaker and its budget.
final class ServerGuard: Sendable {
    private typealias Ticket = AdmissionStateMachine.Ticket

    /// The reason for which a call in the line is resumed.
    private enum Wakeup: Sendable {
        case begin
        /// Its place has changed, or its time has come.
        case look
        case cancelled
    }

    private struct State {
        var admission = AdmissionStateMachine()
        var circuit = CircuitStateMachine()
        /// The number of calls under way that the breaker has let pass.
        var permits = 0
        var budget = SlidingWindow()
        /// The latest length of the budget's window.
        var budgetWindow = Duration.zero
        var waiters = Waiters<Ticket, Wakeup>()

        /// Lets those begin whose turn it is; returns whom to resume.
        ///
        /// - Parameters:
        ///   - now: The time.
        ///   - hasEnded: True if a call has ended, for which one that only the number holds back has no other alarm.
        /// - Returns: Those who begin, and the next one if it has to look again.
        mutating func advance(at now: Duration, hasEnded: Bool = false) -> [Waiters<Ticket, Wakeup>.Wakeup] {
            let begun = admission.advance(at: now)
            let wakeups = begun.compactMap { waiters.settle($0, with: .begin) }
            guard admission.areWaitsUncertain, hasEnded || !begun.isEmpty, let next = admission.waiting.first else {
                return wakeups
            }
            // It could not know how others would change its wait.
            return wakeups + [waiters.settle(next, with: .look)].compactMap { $0 }
        }

        mutating func leave(_ ticket: Ticket) -> [Waiters<Ticket, Wakeup>.Wakeup] {
            (admission.leave(ticket) ?? []).compactMap { waiters.withdraw($0, with: .look) }
        }

        /// Returns the result of a change of the breaker, and the state of the breaker if that has changed.
        mutating func changingCircuit<Result>(
            _ body: (inout CircuitStateMachine) -> Result
        ) -> (Result, changed: CircuitState?) {
            // An open breaker becomes half open when a call comes, and not by itself.
            let before = circuit.phaseState
            let result = body(&circuit)
            let after = circuit.phaseState
            return (result, before == after ? nil : after)
        }

        /// Lets a call pass the breaker, or refuses it; returns the state of the breaker if that has changed.
        mutating func admit(
            _ policy: CircuitBreaker,
            at now: Duration
        ) -> (CircuitStateMachine.Admission, changed: CircuitState?) {
            let (admission, changed) = changingCircuit { $0.admit(policy, at: now) }
            if case .pass = admission {
                permits += 1
            }
            return (admission, changed)
        }

        /// Counts something for a budget.
        mutating func count(
            for budget: RetryBudget,
            at now: Duration,
            _ add: (inout SlidingWindow.Counts) -> Void
        ) {
            budgetWindow = budget.window
            self.budget.count(at: now, in: budget.window, add)
        }

        /// Returns true if nothing of use is lost with the state: no call is under way or waits, and a new state would
        /// decide as this one does, but for a breaker that nobody has probed for long.
        mutating func isIdle(at now: Duration) -> Bool {
            permits == 0 && admission.isIdle(at: now) && circuit.isSpent(at: now)
                && budget.counts(at: now, in: budgetWindow) == SlidingWindow.Counts()
        }
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

    // MARK: - All in one

    /// The reception of a call by all that the guard holds it to.
    enum Reception: Sendable {
        case pass(CircuitStateMachine.Permit?)
        /// It waits in the line; the breaker decides afterwards.
        case wait(AdmissionStateMachine.Ticket, Duration)
        case tooLate(Duration)
        case refuse(CircuitStateMachine.Admission, hasEntered: Bool)
        case cancelled
    }

    /// Counts a call, and lets it begin if it need not wait and the breaker lets it pass.
    ///
    /// - Parameters:
    ///   - terms: The terms of the call, all of which concern this guard.
    ///   - call: The call.
    ///   - now: The time.
    /// - Returns: Its reception, and the state of the breaker if that has changed.
    func receive(
        _ terms: GuardTerms,
        _ call: CallContext,
        at now: Duration
    ) -> (reception: Reception, changed: CircuitState?) {
        let isFirst = call.attempts == 0
        let isCancelled = call.isCancelled
        // Work inside a slot may be what the first of the line waits for.
        let yields = !WorkerPool.isInSlot
        return state.withLock { state in
            if isFirst, let budget = terms.budget?.value {
                state.count(for: budget, at: now) { $0.calls += 1 }
            }
            // Nobody waits for a turn only to be refused.
            if terms.circuit != nil, let refusal = state.circuit.refusal(at: now) {
                return (.refuse(refusal, hasEntered: false), nil)
            }
            if terms.hasLine {
                guard !isCancelled else {
                    return (.cancelled, nil)
                }
                let patience = call.deadline.map { $0 - now }
                switch state.admission.enter(terms.line, patience: patience, yields: yields, at: now) {
                case .begin: break
                case .wait(let ticket, let wait): return (.wait(ticket, wait), nil)
                case .tooLate(let wait): return (.tooLate(wait), nil)
                }
            }
            guard let policy = terms.circuit?.value else {
                return (.pass(nil), nil)
            }
            let (admission, changed) = state.admit(policy, at: now)
            switch admission {
            case .pass(let permit): return (.pass(permit), changed)
            case .refuse: return (.refuse(admission, hasEntered: terms.hasLine), changed)
            }
        }
    }

    /// Records the end of a call that had begun; returns the state of the breaker if that has changed.
    ///
    /// - Parameters:
    ///   - permit: The permit of the breaker, if the call had one.
    ///   - leavesLine: True if the call had passed the line.
    ///   - outcome: What the server did.
    ///   - latency: Returns the time on the wire; called under the lock, only if a limit or the breaker asks for it.
    ///   - hints: What its response says of the calls that may follow.
    ///   - now: The time.
    /// - Returns: The state into which the breaker has changed, if it has.
    func finish(
        _ permit: CircuitStateMachine.Permit?,
        leavesLine: Bool,
        _ outcome: GuardOutcome,
        latency: () -> Duration,
        _ hints: RateHints?,
        at now: Duration
    ) -> CircuitState? {
        let (changed, wakeups) = state.withLock { state in
            let latency = state.circuit.needsLatency || state.admission.needsLatency ? latency() : .zero
            let changed = permit.flatMap { permit -> CircuitState? in
                state.permits -= 1
                return state.changingCircuit { $0.finish(permit, outcome, latency: latency, at: now) }.changed
            }
            guard leavesLine else {
                return (changed, [Waiters<Ticket, Wakeup>.Wakeup]())
            }
            state.admission.finish(outcome, latency: latency, hints, at: now)
            return (changed, state.admission.waitingCount > 0 ? state.advance(at: now, hasEnded: true) : [])
        }
        for wakeup in wakeups {
            wakeup.resume()
        }
        return changed
    }

    // MARK: - The line

    /// The way in which a call came to begin.
    enum Begin: Sendable {
        case atOnce
        case after(Duration)
        case tooLate(Duration)
    }

    /// Returns how long a call would have to wait here if it cannot wait so long; `nil` if it can.
    func excessiveWait(_ terms: AdmissionStateMachine.Terms, _ call: CallContext) -> Duration? {
        guard !WorkerPool.isInSlot else {
            return nil
        }
        let now = clock.now()
        let patience = call.deadline.map { $0 - now }
        return state.withLock { $0.admission.excessiveWait(terms, patience: patience, at: now) }
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
        try call.checkCancellation()
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

    /// Waits until a call that stands in the line may begin.
    ///
    /// - Parameters:
    ///   - ticket: The place of the call.
    ///   - first: How long it waits at least.
    ///   - call: The call.
    /// - Throws: `CancellationError`, or the error of the call's time.
    func wait(_ ticket: AdmissionStateMachine.Ticket, _ first: Duration, _ call: CallContext) async throws {
        let start = clock.now()
        call.cancellation?.waits(for: LineWait(line: self, ticket: ticket))
        defer {
            call.cancellation?.stopsWaiting()
            call.note { $0.add(waitFrom: start, to: clock.now(), for: .turn) }
        }
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
                // It was let in or cancelled meanwhile: the outcome is there to be claimed.
                if case .cancelled = state.withLock({ $0.waiters.claim(ticket) }) {
                    throw CancellationError()
                }
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

    /// Ends the wait of a cancelled call, if it still waits.
    func endWait(of ticket: AdmissionStateMachine.Ticket) {
        cancel(ticket)?.resume()
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
        let (admission, changed) = state.withLock { $0.admit(policy, at: now) }
        switch admission {
        case .pass(let permit): return (permit, nil, changed)
        case .refuse: return (nil, refusal(admission), changed)
        }
    }

    /// Refuses all calls; returns the state if that has changed.
    func isolate() -> CircuitState? {
        state.withLock { $0.changingCircuit { $0.isolate() }.changed }
    }

    /// Lets calls pass again, and forgets their rate; returns the state if that has changed.
    func release() -> CircuitState? {
        let now = clock.now()
        let (changed, wakeups) = state.withLock { state in
            state.admission.forgetRate()
            let begun = state.advance(at: now)
            // Those that still wait do so for another time.
            let waiting = state.admission.waiting.compactMap { state.waiters.settle($0, with: .look) }
            return (state.changingCircuit { $0.release() }.changed, begun + waiting)
        }
        for wakeup in wakeups {
            wakeup.resume()
        }
        return changed
    }

    /// Returns a refusal in words; `nil` if the call passes.
    func refusal(_ admission: CircuitStateMachine.Admission) -> CircuitRefusal? {
        guard case .refuse(let state, let probesIn) = admission else {
            return nil
        }
        return CircuitRefusal(server: key.description, state: state, probesIn: probesIn)
    }

    // MARK: - The budget

    /// Counts a call.
    func countCall(_ budget: RetryBudget) {
        let now = clock.now()
        state.withLock { $0.count(for: budget, at: now) { $0.calls += 1 } }
    }

    /// Takes the room for one retry; returns false if there is none.
    func takeRetry(_ budget: RetryBudget) -> Bool {
        let now = clock.now()
        return state.withLock { state in
            guard budget.allows(state.budget.counts(at: now, in: budget.window)) else {
                return false
            }
            state.count(for: budget, at: now) { $0.retries += 1 }
            return true
        }
    }

    // MARK: - A look from outside

    /// The state at this moment.
    var snapshot: ServerGuards.Snapshot {
        let now = clock.now()
        return state.withLock { state in
            let counts = state.circuit.counts(at: now)
            state.admission.refill(at: now)
            return ServerGuards.Snapshot(
                server: key.server,
                api: key.api,
                rateLimit: key.ownRate,
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

    /// Marks the guard as forgotten if nothing of use is lost with it; returns true if so.
    func forgetIfIdle() -> Bool {
        let now = clock.now()
        let isIdle = state.withLock { $0.isIdle(at: now) }
        if isIdle {
            forgotten.store(true, ordering: .releasing)
        }
        return isIdle
    }
}
