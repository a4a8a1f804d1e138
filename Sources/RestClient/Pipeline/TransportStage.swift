// SPDX-License-Identifier: MIT

import JobGraphs

/// Passes the request to the transport: the last stage.
struct TransportStage: Interceptor {
    let transport: any Transport
    let clock: ClientClock
    let taps: ExchangeTaps

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let call = request.call
        let start = clock.now()
        var remaining: Duration?
        if let deadline = call.deadline {
            let left = deadline - start
            guard left > .zero else {
                throw RestClientError.timeout(after: call.policy.timeout)
            }
            remaining = left
        }
        do {
            var sent = TransportRequest(
                method: request.method,
                url: request.url,
                headers: request.headers,
                body: request.body,
                timeout: remaining,
                responseLimit: call.policy.responseLimit
            )
            sent.secretFields = call.policy.secretFields
            let response = try await send(sent)
            note(response.timings, since: start, call)
            return response
        } catch {
            note(nil, since: start, call)
            guard let error = error as? RestClientError, error.code == .timeout else {
                throw error
            }
            throw RestClientError.timeout(after: call.policy.timeout, underlying: error.underlying)
        }
    }

    /// Sends a request, through the taps that record it or respond in its place.
    private func send(_ request: TransportRequest) async throws -> RawResponse {
        guard let current = taps.current else {
            return try await transport.send(request)
        }
        let transport = transport
        return try await ExchangeTaps.send(request, through: current[...]) { try await transport.send($0) }
    }

    /// Notes the exchange that has just ended.
    private func note(_ timings: ExchangeTimings?, since start: Duration, _ call: CallContext) {
        let end = timings.map { start + $0.total } ?? clock.now()
        let attempt = call.attempts
        call.note { $0.add(exchangeFrom: start, to: end, timings, attempt: attempt) }
    }
}
