// SPDX-License-Identifier: MIT

import JobGraphs

/// Counts the attempts of a call, each once it has its worker slot, and emits their start and end events.
struct AttemptStage: Interceptor {
    let hub: EventHub

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let number = request.call.beginAttempt()
        hub.emit(.attemptStarted(number: number), request.call)
        do {
            let response = try await next(request)
            hub.emit(.attemptFinished(number: number, status: response.status), request.call)
            return response
        } catch {
            let error = request.call.isCancelled ? CancellationError() : error
            hub.emit(.attemptFailed(number: number, error), request.call)
            throw error
        }
    }
}
