// SPDX-License-Identifier: MIT

/// Counts the tries of a call, and gives each one fresh values of the provided header fields.
struct AttemptStage: Interceptor {
    let hub: EventHub
    let clock: ClientClock

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let call = request.call
        var request = request
        if !call.policy.headerProviders.isEmpty {
            let headers = request.headers
            request.headers = try await clock.limit(to: call.policy) {
                var fresh = headers
                try await HeaderProvider.apply(call.policy.headerProviders, to: &fresh)
                return fresh
            }
        }
        let number = call.beginAttempt()
        hub.emit(.attemptStarted(number: number), call)
        let response = try await next(request)
        hub.emit(.attemptFinished(number: number, status: response.status), call)
        return response
    }
}

extension EventHub {
    /// Delivers an event of a call, if anyone listens.
    func emit(_ kind: @autoclosure () -> ClientEvent.Kind, _ call: CallContext) {
        emit(ClientEvent(kind(), callID: call.id, groupID: call.groupID, request: call.summary))
    }
}
