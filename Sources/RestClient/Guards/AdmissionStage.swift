// SPDX-License-Identifier: MIT

import JobGraphs
import RestEssentials
import SharedStore

/// Holds attempts to the rate and the number of their server; only calls with such limits pass it.
///
/// It stands before the worker slot: a call that waits holds none.
struct AdmissionStage: Interceptor {
    let guards: ServerGuards
    let hub: EventHub
    let clock: ClientClock
    let now: @Sendable () -> Date

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let call = request.call
        guard let terms = call.policy.part(GuardTerms.self) else {
            return try await next(request)
        }
        let guards = self.guards.inside(call.policy.isolation)
        // Nobody waits for a turn only to be refused.
        try terms.circuit?.place.shared(in: guards).checkCircuit(at: clock.now())
        var lines: [ServerGuard] = []
        var began: Duration?
        do {
            try await enter(&lines, terms, guards, call)
            began = clock.now()
            let response = try await next(request)
            let outcome = GuardOutcome(response.status, accepted: call.policy.acceptedStatuses)
            leave(lines, outcome, since: began, hints(response, terms), call)
            return response
        } catch {
            // An end before the beginning says nothing of the server.
            leave(lines, began == nil || call.isCancelled ? .unknown : GuardOutcome(error), since: began, nil, call)
            throw error
        }
    }

    // MARK: - Beginning and end

    private func enter(
        _ lines: inout [ServerGuard],
        _ terms: GuardTerms,
        _ guards: ServerGuards,
        _ call: CallContext
    ) async throws {
        // Nobody uses up a turn only to be refused in the next line.
        for (place, limits) in terms.lines.dropFirst() {
            if let wait = place.shared(in: guards).excessiveWait(limits, call) {
                throw Self.tooLate(place.key, wait)
            }
        }
        for (place, limits) in terms.lines {
            try call.checkCancellation()
            let line = place.shared(in: guards)
            let asked = clock.now()
            switch line.receive(limits, call, at: asked) {
            case .begin:
                break
            case .tooLate(let wait):
                throw Self.tooLate(place.key, wait)
            case .wait(let ticket, let wait):
                hub.emit(.callHeldBack(server: place.key.description), call)
                try await line.wait(ticket, wait, call)
                let waited = clock.now() - asked
                call.tell("the call waited \(waited) for its turn at '\(place.key)', whose \(limits.limited)")
            }
            lines.append(line)
        }
        for (place, limits) in terms.lines {
            if let limit = limits.rate, limit.isSharedAcrossProcesses {
                try await takeTurn(limit, place.key, guards, call)
            }
        }
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

    private func leave(
        _ lines: [ServerGuard],
        _ outcome: GuardOutcome,
        since began: Duration?,
        _ hints: RateHints?,
        _ call: CallContext
    ) {
        let now = clock.now()
        for line in lines {
            // The time on the wire: a wait for a worker slot says nothing of the server.
            line.finish(outcome, latency: { call.latestLatency ?? now - (began ?? now) }, hints, at: now)
        }
    }

    private func hints(_ response: RawResponse, _ terms: GuardTerms) -> RateHints? {
        guard terms.heedsServer, RateHints.areLikely(response) else {
            return nil
        }
        let hints = RateHints(status: response.status, headers: response.headers, now: now())
        return hints.isEmpty ? nil : hints
    }
}
