// SPDX-License-Identifier: MIT

import JobGraphs
import RestEssentials
import SharedStore

/// Holds attempts to the rate, the number and the breaker of their server; only calls with such options pass it.
///
/// It stands before the worker slot: a call that waits holds none.
struct ServerGuardStage: Interceptor {
    /// The guards that let an attempt begin, and are told of its end.
    private struct Entered {
        /// The guard whose line let it begin; of several, the first.
        var line: ServerGuard?
        /// The guards of the other lines.
        var others: [ServerGuard] = []
        var circuit: (shared: ServerGuard, permit: CircuitStateMachine.Permit)?
    }

    let guards: ServerGuards
    let hub: EventHub
    let clock: ClientClock
    /// Tells the time of day.
    let now: @Sendable () -> Date

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let call = request.call
        guard let terms = call.policy.part(GuardTerms.self) else {
            return try await next(request)
        }
        if let isolation = call.policy.isolation {
            let inside = ServerGuardStage(guards: guards.inside(isolation), hub: hub, clock: clock, now: now)
            return try await inside.intercept(request, terms, next)
        }
        return try await intercept(request, terms, next)
    }

    @inline(__always)
    private func intercept(
        _ request: OutgoingRequest,
        _ terms: GuardTerms,
        _ next: Next
    ) async throws -> RawResponse {
        let call = request.call
        var entered = Entered()
        var began = clock.now()
        if let place = terms.only {
            let shared = place.shared(in: guards)
            let (reception, changed) = shared.receive(terms, call, at: began)
            tell(changed, of: shared, call)
            if case .pass(let permit) = reception {
                entered.line = terms.hasLine ? shared : nil
                entered.circuit = permit.map { (shared, $0) }
            } else {
                entered = try await enter(shared, after: reception, terms, call, since: began)
                began = clock.now()
            }
        } else {
            entered = try await enterEach(terms, call)
            began = clock.now()
        }
        do {
            let response = try await next(request)
            let outcome = GuardOutcome(response.status, accepted: call.policy.acceptedStatuses)
            leave(entered, outcome, since: began, hints(response, terms), call)
            return response
        } catch {
            leave(entered, call.isCancelled ? .unknown : GuardOutcome(error), since: began, nil, call)
            throw error
        }
    }

    // MARK: - Beginning and end

    /// Waits in the line of a guard that concerns all terms of a call and did not let it pass at once.
    private func enter(
        _ shared: ServerGuard,
        after reception: ServerGuard.Reception,
        _ terms: GuardTerms,
        _ call: CallContext,
        since asked: Duration
    ) async throws -> Entered {
        switch reception {
        case .pass(let permit):
            return Entered(line: terms.hasLine ? shared : nil, circuit: permit.map { (shared, $0) })
        case .cancelled:
            throw CancellationError()
        case .tooLate(let wait):
            throw Self.tooLate(shared.key, wait)
        case .refuse(let admission, let hasEntered):
            if hasEntered {
                leave(Entered(line: shared), .unknown, since: asked, nil, call)
            }
            throw shared.refusal(admission).map(Self.error) ?? CancellationError()
        case .wait(let ticket, let wait):
            hub.emit(.callHeldBack(server: shared.key.description), call)
            try await shared.wait(ticket, wait, call)
            note(clock.now() - asked, shared.key, terms.line, call)
            var entered = Entered(line: shared)
            try pass(terms, &entered, call)
            return entered
        }
    }

    /// Passes the guards of a call one after the other.
    private func enterEach(_ terms: GuardTerms, _ call: CallContext) async throws -> Entered {
        if call.attempts == 0, let budget = terms.budget {
            budget.place.shared(in: guards).countCall(budget.value)
        }
        // Nobody waits for a turn only to be refused.
        if let refusal = terms.circuit?.place.shared(in: guards).refusal() {
            throw Self.error(refusal)
        }
        var entered = Entered()
        do {
            try await enterLines(&entered, terms, call)
        } catch {
            leave(entered, .unknown, since: clock.now(), nil, call)
            throw error
        }
        try pass(terms, &entered, call)
        return entered
    }

    /// Passes the breaker of a call; if it refuses the call, that leaves its lines.
    private func pass(_ terms: GuardTerms, _ entered: inout Entered, _ call: CallContext) throws {
        guard let circuit = terms.circuit else {
            return
        }
        let shared = circuit.place.shared(in: guards)
        let (permit, refusal, changed) = shared.admit(circuit.value)
        tell(changed, of: shared, call)
        if let refusal {
            leave(entered, .unknown, since: clock.now(), nil, call)
            throw Self.error(refusal)
        }
        entered.circuit = permit.map { (shared, $0) }
    }

    /// Waits in the lines of the call's limits, and for its turns among the calls of all processes.
    private func enterLines(_ entered: inout Entered, _ terms: GuardTerms, _ call: CallContext) async throws {
        // Nobody uses up a turn only to be refused in the next line.
        for (place, line) in terms.lines.dropFirst() {
            if let wait = place.shared(in: guards).excessiveWait(line, call) {
                throw Self.tooLate(place.key, wait)
            }
        }
        for (place, line) in terms.lines {
            let shared = try await enter(place, line, call)
            if entered.line == nil {
                entered.line = shared
            } else {
                entered.others.append(shared)
            }
        }
        for rate in terms.rates where rate.value.isSharedAcrossProcesses {
            try await takeTurn(rate, call)
        }
    }

    /// Waits for a turn among the calls of all processes.
    private func takeTurn(_ rate: GuardTerms.Rate, _ call: CallContext) async throws {
        let (key, limit) = (rate.place.key, rate.value)
        let asked = clock.now()
        let patience = [call.deadline.map { $0 - asked }, limit.maximumWait].compactMap { $0 }.min()
        let turn: SharedPace.Turn?
        do throws(StoreError) {
            // Work inside a slot may be what the first of the line waits for.
            turn = try guards.ledger.take(key, limit, patience: WorkerPool.isInSlot ? nil : patience, at: now())
        } catch {
            hub.emit(.rateLimitNotShared(server: key.description, error), call)
            return
        }
        switch turn {
        case .after(let wait) where !WorkerPool.isInSlot:
            hub.emit(.callHeldBack(server: key.description), call)
            try await call.waits(.turn, on: clock) { [clock] in try await clock.sleep(for: wait) }
            call.tell("the call waited \(wait) for its turn at '\(key)', whose rate is limited among all processes")
        case .tooLate(let wait):
            throw Self.tooLate(key, wait)
        case .now, .after, nil:
            break
        }
    }

    private static func tooLate(_ key: GuardKey, _ wait: Duration) -> RestClientError {
        var error = RestClientError(
            .rateLimitExceeded,
            "the rate limit of '\(key)' lets the call begin in \(wait) at the earliest, which is too late for it; allow "
                + "more with .timeout(_:) or .rateLimit(_:)"
        )
        error.refusedFor = wait
        return error
    }

    /// Waits in one line; returns its guard.
    private func enter(
        _ place: GuardPlace,
        _ terms: AdmissionStateMachine.Terms,
        _ call: CallContext
    ) async throws -> ServerGuard {
        let line = place.shared(in: guards)
        let key = place.key
        switch try await line.enter(terms, call, onWait: { hub.emit(.callHeldBack(server: key.description), call) }) {
        case .atOnce:
            break
        case .after(let wait):
            note(wait, key, terms, call)
        case .tooLate(let wait):
            throw Self.tooLate(key, wait)
        }
        return line
    }

    private func note(
        _ wait: Duration,
        _ key: GuardKey,
        _ terms: AdmissionStateMachine.Terms,
        _ call: CallContext
    ) {
        call.tell("the call waited \(wait) for its turn at '\(key)', whose \(terms.limited)")
    }

    private func leave(
        _ entered: Entered,
        _ outcome: GuardOutcome,
        since began: Duration,
        _ hints: RateHints?,
        _ call: CallContext
    ) {
        let now = clock.now()
        // The time on the wire: a wait for a worker slot says nothing of the server.
        func latency() -> Duration { call.latestLatency ?? now - began }
        let circuit = entered.circuit
        func end(_ shared: ServerGuard, leavesLine: Bool) {
            let permit = circuit?.shared === shared ? circuit?.permit : nil
            let changed = shared.finish(permit, leavesLine: leavesLine, outcome, latency: latency, hints, at: now)
            tell(changed, of: shared, call)
        }
        if let line = entered.line {
            end(line, leavesLine: true)
        }
        for other in entered.others {
            end(other, leavesLine: true)
        }
        if let shared = circuit?.shared, shared !== entered.line, !entered.others.contains(where: { $0 === shared }) {
            end(shared, leavesLine: false)
        }
    }

    /// Returns what a response says of the calls that may follow, if a rate limit of the call heeds that.
    private func hints(_ response: RawResponse, _ terms: GuardTerms) -> RateHints? {
        guard terms.heedsServer, RateHints.areLikely(response) else {
            return nil
        }
        let hints = RateHints(status: response.status, headers: response.headers, now: now())
        return hints.isEmpty ? nil : hints
    }

    private func tell(_ state: CircuitState?, of shared: ServerGuard, _ call: CallContext) {
        if let state {
            let server = shared.key.description
            if call.relay == nil {
                hub.emit(.circuitChanged(server: server, state), call)
            } else {
                // The change is the server's: it is told also when all callers of a shared request have left.
                hub.emit(ClientEvent(.circuitChanged(server: server, state)))
            }
            call.tell("the circuit breaker of '\(shared.key)' became \(state.rawValue)")
        }
    }

    private static func error(_ refusal: CircuitRefusal) -> RestClientError {
        var error = RestClientError(.circuitOpen, "the call was not sent, because \(refusal)", underlying: refusal)
        error.refusedFor = refusal.probesIn
        return error
    }
}
