// SPDX-License-Identifier: MIT

import HTTPTypes

/// Counts the tries of a call, and gives each one fresh values of the provided header fields.
struct AttemptStage: Interceptor {
    let hub: EventHub
    let clock: ClientClock

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let call = request.call
        guard call.policy.headerProviders.isEmpty else {
            var fresh = request
            fresh.headers = try await providedHeaders(for: request)
            return try await attempt(fresh, next)
        }
        return try await attempt(request, next)
    }

    private func attempt(_ request: OutgoingRequest, _ next: Next) async throws -> RawResponse {
        let number = request.call.beginAttempt()
        hub.emit(.attemptStarted(number: number), request.call)
        let response = try await next(request)
        hub.emit(.attemptFinished(number: number, status: response.status), request.call)
        return response
    }

    private func providedHeaders(for request: OutgoingRequest) async throws -> HTTPFields {
        try await clock.limit(to: request.call.policy) {
            var headers = request.headers
            try await HeaderProvider.apply(request.call.policy.headerProviders, to: &headers)
            return headers
        }
    }
}

extension EventHub {
    /// Delivers an event of a call, if anyone listens.
    func emit(_ kind: @autoclosure () -> ClientEvent.Kind, _ call: CallContext) {
        emit(ClientEvent(kind(), callID: call.id, groupID: call.groupID, request: call.summary))
    }
}
