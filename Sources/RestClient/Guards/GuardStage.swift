// SPDX-License-Identifier: MIT

import JobGraphs
import RestEssentials
import SharedStore

/// Holds attempts to the rate and the number of their server, and refuses them while it fails; only calls with such
/// guards pass it.
///
/// It stands before the worker slot, so that a call that waits holds none. The breaker decides last, when a call is
/// really about to be sent.
struct GuardStage: Interceptor {
    let guards: ServerGuards
    let hub: EventHub
    let clock: ClientClock
    let now: @Sendable () -> Date

    /// The guards that a call has passed, which learn how it ends.
    private struct Passage {
        var lines: [ServerGuard] = []
        var circuit: (shared: ServerGuard, permit: CircuitStateMachine.Permit)?
        var began: Duration?
    }

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let call = request.call
        guard let terms = call.policy.part(GuardTerms.self) else {
            return try await next(request)
        }
        var passage = Passage()
        do {
            try await enter(&passage, terms, guards.inside(call.policy.isolation), call)
            let response = try await next(request)
            let outcome = GuardOutcome(response.status, accepted: call.policy.acceptedStatuses)
            leave(passage, outcome, hints(response, terms), call)
            return response
        } catch {
            // An end before the beginning, or by the caller, says nothing of the server.
            leave(passage, passage.began == nil || call.isCancelled ? .unknown : GuardOutcome(error), nil, call)
            throw error
        }
    }

    // MARK: - Beginning and end

    private func enter(
        _ passage: inout Passage,
        _ terms: GuardTerms,
        _ guards: ServerGuards,
        _ call: CallContext
    ) async throws {
        if !terms.lines.isEmpty {
            // Nobody waits for a turn only to be refused.
            try terms.circuit?.place.shared(in: guards).checkCircuit(at: clock.now())
        }
        // Nobody uses up a turn only to be refused in the next line.
        for (place, limits) in terms.lines.dropFirst() {
            if let wait = place.shared(in: guards).excessiveWait(limits, call) {
                throw Self.tooLate(place.key, wait)
            }
        }
        for (place, limits) in terms.lines {
            try call.checkCancellation()
            let shared = place.shared(in: guards)
            let asked = clock.now()
            switch shared.receive(limits, call, at: asked) {
            case .begin:
                break
            case .tooLate(let wait):
                throw Self.tooLate(place.key, wait)
            case .wait(let ticket, let wait):
                hub.emit(.callHeldBack(server: place.key.description), call)
                try await shared.wait(ticket, wait, call)
                let waited = clock.now() - asked
                call.tell("the call waited \(waited) for its turn at '\(place.key)', whose \(limits.limited)")
            }
            passage.lines.append(shared)
        }
        for (place, limits) in terms.lines {
            if let limit = limits.rate, limit.isSharedAcrossProcesses {
                try await takeTurn(limit, place.key, guards, call)
            }
        }
        let now = clock.now()
        if let (policy, place) = terms.circuit {
            let shared = place.shared(in: guards)
            let (permit, changed) = try shared.admit(policy, at: now)
            tell(changed, of: shared, call)
            passage.circuit = (shared, permit)
        }
        passage.began = now
    }

    private func takeTurn(
        _ limit: RateLimit,
        _ key: GuardKey,
        _ guards: ServerGuards,
        _ call: CallContext
    ) async throws {
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

    private func leave(_ passage: Passage, _ outcome: GuardOutcome, _ hints: RateHints?, _ call: CallContext) {
        let now = clock.now()
        // The time on the wire: a wait for a worker slot says nothing of the server.
        func latency() -> Duration { call.latestLatency ?? now - (passage.began ?? now) }
        if let (shared, permit) = passage.circuit {
            tell(shared.end(permit, outcome, latency: latency, at: now), of: shared, call)
        }
        for shared in passage.lines {
            shared.finish(outcome, latency: latency, hints, at: now)
        }
    }

    private func tell(_ state: CircuitState?, of shared: ServerGuard, _ call: CallContext) {
        guard let state else {
            return
        }
        let server = shared.key.description
        if call.relay == nil {
            hub.emit(.circuitChanged(server: server, state), call)
        } else {
            // The change is the server's: it is told also when all callers of a shared request have left.
            hub.emit(ClientEvent(.circuitChanged(server: server, state)))
        }
        call.tell("the circuit breaker of '\(server)' became \(state.rawValue)")
    }

    private func hints(_ response: RawResponse, _ terms: GuardTerms) -> RateHints? {
        guard terms.heedsServer, RateHints.areLikely(response) else {
            return nil
        }
        let hints = RateHints(status: response.status, headers: response.headers, now: now())
        return hints.isEmpty ? nil : hints
    }
}
