// SPDX-License-Identifier: MIT

/// Refuses attempts whose server fails; only calls with a breaker pass it.
///
/// It stands behind the line of the server, so that it decides when a call is really about to be sent.
struct CircuitStage: Interceptor {
    let guards: ServerGuards
    let hub: EventHub
    let clock: ClientClock

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let call = request.call
        guard let (policy, place) = call.policy.part(GuardTerms.self)?.circuit else {
            return try await next(request)
        }
        let shared = place.shared(in: guards.inside(call.policy.isolation))
        let began = clock.now()
        let (permit, changed) = try shared.admit(policy, at: began)
        tell(changed, of: shared, call)
        func end(_ outcome: GuardOutcome) {
            let now = clock.now()
            // The time on the wire: a wait for a worker slot says nothing of the server.
            let changed = shared.end(permit, outcome, latency: { call.latestLatency ?? now - began }, at: now)
            tell(changed, of: shared, call)
        }
        do {
            let response = try await next(request)
            end(GuardOutcome(response.status, accepted: call.policy.acceptedStatuses))
            return response
        } catch {
            end(call.isCancelled ? .unknown : GuardOutcome(error))
            throw error
        }
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
}
