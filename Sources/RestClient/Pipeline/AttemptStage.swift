// SPDX-License-Identifier: MIT

import JobGraphs
import RestEssentials

/// Counts the attempts of a call, each once it has its worker slot, emits their start and end events, and sends each in
/// a span if the manager is traced.
struct AttemptStage: Interceptor {
    let hub: EventHub
    let tracing: Attachment<any CallTracer>

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let own = request.call.beginAttempt()
        let number = request.call.policy.series?.beginAttempt() ?? own
        hub.emit(.attemptStarted(number: number), request.call)
        do {
            let response =
                if let tracer = tracing.current {
                    try await tracer.attempts.intercept(request, next: next)
                } else {
                    try await next(request)
                }
            hub.emit(.attemptFinished(number: number, status: response.status), request.call)
            return response
        } catch {
            let error = request.call.isCancelled ? CancellationError() : error
            hub.emit(.attemptFailed(number: number, error), request.call)
            throw error
        }
    }
}
