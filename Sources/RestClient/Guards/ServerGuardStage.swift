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
        var number: ServerGuard?
        var rate: ServerGuard?
        var circuit: (shared: ServerGuard, permit: CircuitStateMachine.Permit)?
    }

    let guards: ServerGuards
    let hub: EventHub
    let clock: ClientClock
    /// Tells the time of day.
    let now: @Sendable () -> Date

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let call = request.call
        let options = call.options
        if call.attempts == 0 {
            guards.count(call)
        }
        let circuit = options[.circuitBreaker]
            .map { policy in
                (policy: policy, shared: guards[GuardKey(call, setBy: options.level(of: .circuitBreaker))])
            }
        // Nobody waits for a turn only to be refused.
        if let refusal = circuit?.shared.refusal() {
            throw Self.error(refusal)
        }
        var entered = Entered()
        do {
            try await enter(&entered, call)
            if let circuit {
                let (permit, refusal, changed) = circuit.shared.admit(circuit.policy)
                tell(changed, of: circuit.shared, call)
                if let refusal {
                    throw Self.error(refusal)
                }
                if let permit {
                    entered.circuit = (circuit.shared, permit)
                }
            }
        } catch {
            leave(entered, .unknown, .zero, nil, call)
            throw error
        }
        let began = clock.now()
        do {
            let response = try await next(request)
            let outcome = GuardOutcome(response.status, accepted: call.policy.acceptedStatuses)
            leave(entered, outcome, latency(of: call, since: began), hints(response, call), call)
            return response
        } catch {
            let outcome = call.isCancelled ? .unknown : GuardOutcome(error)
            leave(entered, outcome, latency(of: call, since: began), nil, call)
            throw error
        }
    }

    // MARK: - Beginning and end

    /// Waits in the lines of the call's limits: those of its number first, so that none uses up its turn in time while
    /// it waits for its number.
    private func enter(_ entered: inout Entered, _ call: CallContext) async throws {
        let options = call.options
        let concurrency = options[.concurrency]
        let rate = options[.rateLimit]
        let number = concurrency.map { _ in GuardKey(call, setBy: options.level(of: .concurrency)) }
        let pace = rate.map { _ in GuardKey(call, setBy: options.level(of: .rateLimit)) }
        if let number, number == pace {
            entered.number = try await enter(number, .init(rate: rate, concurrency: concurrency), call)
        } else {
            if let number {
                entered.number = try await enter(number, .init(concurrency: concurrency), call)
            }
            if let pace {
                entered.rate = try await enter(pace, .init(rate: rate), call)
            }
        }
        if let rate, let pace, rate.isSharedAcrossProcesses {
            try await takeTurn(pace, rate, call)
        }
    }

    /// Waits for a turn among the calls of all processes.
    private func takeTurn(_ key: GuardKey, _ limit: RateLimit, _ call: CallContext) async throws {
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
            try await clock.sleep(for: wait)
            call.note { $0.add(waitFrom: asked, to: asked + wait) }
            call.tell("waited \(wait) for its turn at '\(key)' among all processes")
        case .tooLate(let wait):
            throw Self.tooLate(key, wait)
        case .now, .after, nil:
            break
        }
    }

    private static func tooLate(_ key: GuardKey, _ wait: Duration) -> RestClientError {
        RestClientError(
            .rateLimitExceeded,
            "the rate limit of '\(key)' lets the call begin in \(wait) at the earliest, which is too late for it; allow "
                + "more with .timeout(_:) or .rateLimit(_:)"
        )
    }

    /// Waits in one line; returns its guard.
    private func enter(
        _ key: GuardKey,
        _ terms: AdmissionStateMachine.Terms,
        _ call: CallContext
    ) async throws -> ServerGuard {
        let line = guards[key]
        let asked = clock.now()
        switch try await line.enter(terms, call, onWait: { hub.emit(.callHeldBack(server: key.description), call) }) {
        case .atOnce:
            break
        case .after(let wait):
            call.note { $0.add(waitFrom: asked, to: asked + wait) }
            call.tell("waited \(wait) for its turn at '\(key)'")
        case .tooLate(let wait):
            throw Self.tooLate(key, wait)
        }
        return line
    }

    private func leave(
        _ entered: Entered,
        _ outcome: GuardOutcome,
        _ latency: Duration,
        _ hints: RateHints?,
        _ call: CallContext
    ) {
        if let circuit = entered.circuit {
            tell(circuit.shared.finish(circuit.permit, outcome, latency: latency), of: circuit.shared, call)
        }
        entered.rate?.finish(outcome, latency: latency, hints)
        entered.number?.finish(outcome, latency: latency, hints)
    }

    /// Returns what a response says of the calls that may follow, if the rate limit of the call heeds that.
    private func hints(_ response: RawResponse, _ call: CallContext) -> RateHints? {
        guard call.options[.rateLimit]?.heedsServer == true else {
            return nil
        }
        let hints = RateHints(status: response.status, headers: response.headers, now: now())
        return hints.isEmpty ? nil : hints
    }

    private func tell(_ state: CircuitState?, of shared: ServerGuard, _ call: CallContext) {
        if let state {
            hub.emit(.circuitChanged(server: shared.key.description, state), call)
            call.tell("the circuit breaker of '\(shared.key)' became \(state.rawValue)")
        }
    }

    /// The time on the wire: a wait for a worker slot says nothing of the server.
    private func latency(of call: CallContext, since began: Duration) -> Duration {
        call.latestLatency ?? clock.now() - began
    }

    private static func error(_ refusal: CircuitRefusal) -> RestClientError {
        RestClientError(.circuitOpen, "the call was not sent, because \(refusal)", underlying: refusal)
    }
}
