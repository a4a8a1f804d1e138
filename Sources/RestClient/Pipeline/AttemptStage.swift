// SPDX-License-Identifier: MIT

/// Counts the attempts of a call, each one when it has its worker slot, and tells of their beginning and end.
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
            hub.emit(.attemptFailed(number: number, Task.isCancelled ? CancellationError() : error), request.call)
            throw error
        }
    }
}

extension EventHub {
    /// Delivers an event of a call, if anyone listens.
    @inline(__always)
    func emit(_ kind: @autoclosure () -> ClientEvent.Kind, _ call: CallContext) {
        guard isObserved else {
            return
        }
        let kind = kind()
        if let relay = call.relay {
            relay.pass(kind)
            return
        }
        emit(
            ClientEvent(
                kind,
                callID: call.id,
                groupID: call.groupID,
                request: call.summary,
                timings: kind.isTerminal ? call.timings : nil
            )
        )
    }
}
