// SPDX-License-Identifier: MIT

import JobGraphs
import RestEssentials

/// Holds attempts to the rate, the number and the breaker of their server; only calls with such options pass it.
///
/// It stands before the worker slot: a call that waits holds none.
struct ServerGuardStage: Interceptor {
    /// A guard that let the attempt begin, and is told of its end.
    private enum Entered {
        case line(ServerGuard)
        case circuit(ServerGuard, CircuitStateMachine.Permit)
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
        let circuit = options[.circuitBreaker].map { policy in
            (policy: policy, shared: guards[GuardKey(call, setBy: options.level(of: .circuitBreaker))])
        }
        // Nobody waits for a turn only to be refused.
        if let refusal = circuit?.shared.refusal() {
            throw Self.error(refusal)
        }
        var entered: [Entered] = []
        do {
            try await enter(&entered, call)
            if let circuit {
                let (permit, refusal, changed) = circuit.shared.admit(circuit.policy)
                tell(changed, of: circuit.shared, call)
                if let refusal {
                    throw Self.error(refusal)
                }
                if let permit {
                    entered.append(.circuit(circuit.shared, permit))
                }
            }
        } catch {
            leave(entered, .unknown, .zero, nil, call)
            throw error
        }
        let began = clock.now()
        do {
            let response = try await next(request)
            let hints = RateHints(status: response.status, headers: response.headers, now: now())
            let outcome = GuardOutcome(response.status, accepted: call.policy.acceptedStatuses)
            leave(entered, outcome, latency(of: call, since: began), hints.isEmpty ? nil : hints, call)
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
    private func enter(_ entered: inout [Entered], _ call: CallContext) async throws {
        let options = call.options
        let concurrency = options[.concurrency]
        let rate = options[.rateLimit]
        let first = concurrency.map { _ in GuardKey(call, setBy: options.level(of: .concurrency)) }
        let second = rate.map { _ in GuardKey(call, setBy: options.level(of: .rateLimit)) }
        var lines: [(GuardKey, AdmissionStateMachine.Terms)] = []
        if let first, first == second {
            lines = [(first, .init(rate: rate, concurrency: concurrency))]
        } else {
            if let first {
                lines.append((first, .init(concurrency: concurrency)))
            }
            if let second {
                lines.append((second, .init(rate: rate)))
            }
        }
        for (key, terms) in lines {
            let line = guards[key]
            let asked = clock.now()
            switch try await line.enter(terms, call, onWait: { hub.emit(.callHeldBack(server: key.description), call) }) {
            case .atOnce:
                break
            case .after(let wait):
                call.note { $0.add(waitFrom: asked, to: asked + wait) }
                call.tell("waited \(wait) for its turn at '\(key)'")
            case .tooLate(let wait):
                throw RestClientError(
                    .rateLimitExceeded,
                    "the rate limit of '\(key)' lets the call begin in \(wait) at the earliest, which is too late for "
                        + "it; allow more with .timeout(_:) or .rateLimit(_:)"
                )
            }
            entered.append(.line(line))
        }
    }

    private func leave(
        _ entered: [Entered],
        _ outcome: GuardOutcome,
        _ latency: Duration,
        _ hints: RateHints?,
        _ call: CallContext
    ) {
        for guarded in entered.reversed() {
            switch guarded {
            case .line(let line):
                line.finish(outcome, latency: latency, hints)
            case .circuit(let shared, let permit):
                tell(shared.finish(permit, outcome, latency: latency), of: shared, call)
            }
        }
    }

    private func tell(_ state: CircuitState?, of shared: ServerGuard, _ call: CallContext) {
        if let state {
            hub.emit(.circuitChanged(server: shared.key.description, state), call)
            call.tell("the circuit breaker of '\(shared.key)' became \(state.rawValue)")
        }
    }

    /// The time on the wire: a wait for a worker slot says nothing of the server.
    private func latency(of call: CallContext, since began: Duration) -> Duration {
        let attempt = call.attempts
        let exchanges = call.timings.exchanges.filter { $0.attempt == attempt }
        guard let first = exchanges.first, let last = exchanges.last else {
            return clock.now() - began
        }
        return last.end - first.start
    }

    private static func error(_ refusal: CircuitRefusal) -> RestClientError {
        RestClientError(.circuitOpen, "the call was not sent, because \(refusal)", underlying: refusal)
    }
}
