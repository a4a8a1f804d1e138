// SPDX-License-Identifier: MIT

import JobGraphs
import RestEssentials

/// Retries failed attempts as long as the call's policy and the budget of its server allow it.
///
/// It comes before authentication and the header providers, so that each attempt has fresh fields, and before the slot.
struct RetryStage: Interceptor {
    let hub: EventHub
    let clock: ClientClock
    /// Counts a call, if its retries have a budget.
    let count: @Sendable (CallContext) -> Void
    /// Returns the closure that takes one retry of a call from the budget; `nil` if its retries have no budget.
    let budget: @Sendable (CallContext) -> (@Sendable () -> Bool)?
    let now: @Sendable () -> Date
    /// Waits for a time; if there is a server, no longer than until it can be reached again.
    let pause: @Sendable (Duration, ServerAlias?) async throws -> Void

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        count(request.call)
        guard let policy = request.call.options[.retry], policy.attempts > 1 else {
            return try await next(request)
        }
        var attempt = 1
        var last: Result<RawResponse, any Error>?
        while true {
            let result = await result(of: request, next)
            if let last, case .failure(let error as RestClientError) = result, error.underlying is UserChange {
                let reason = Repetition.Reason.otherUser
                request.call.tell("the request was not sent again, because \(reason.clause)")
                hub.emit(.retrySuppressed(RetrySuppression(reason), error), request.call)
                return try last.get()
            }
            guard let failure = Self.failure(in: result, of: request.call) else {
                return try result.get()
            }
            last = result
            try request.call.checkCancellation()
            guard let delay = delay(by: policy, after: failure, attempt, request) else {
                return try result.get()
            }
            // A server that responded knows better when it wants the next attempt.
            let server = (failure as? RestClientError)?.response == nil ? request.call.server : nil
            try await request.call.waits(.retry, on: clock) { [pause] in try await pause(delay, server) }
            attempt += 1
        }
    }

    private func result(of request: OutgoingRequest, _ next: Next) async -> Result<RawResponse, any Error> {
        do {
            return .success(try await next(request))
        } catch {
            return .failure(error)
        }
    }

    /// Returns the wait before the next attempt; `nil` if there is none.
    private func delay(
        by policy: RetryPolicy,
        after error: any Error,
        _ attempt: Int,
        _ request: OutgoingRequest
    ) -> Duration? {
        let call = request.call
        var generator = SecureGenerator()
        var failure = AttemptFailure(error, of: call, now: now())
        failure.repetition = Repetition(of: request)
        failure.takeRetry = budget(call)
        let decision = policy.decision(
            after: failure,
            attempt: attempt,
            remaining: call.deadline.map { $0 - clock.now() },
            using: &generator
        )
        switch decision {
        case .retry(let delay):
            call.tell("\(Self.text(of: error, call)); the next one waits \(delay)")
            hub.emit(.retryDecided(number: call.attempts + 1, delay: delay, error), call)
            return delay
        case .stop(let reason):
            call.tell("\(Self.text(of: error, call)) and is not repeated, because \(reason.clause)")
            hub.emit(.retrySuppressed(RetrySuppression(reason), reason.error(after: error)), call)
            return nil
        }
    }

    private static func text(of error: any Error, _ call: CallContext) -> String {
        "attempt \(call.attempts) failed (\(Redaction.error(error)))"
    }

    private static func failure(in result: Result<RawResponse, any Error>, of call: CallContext) -> (any Error)? {
        var failure: RestClientError
        switch result {
        case .success(let response):
            guard response.status.code >= 400, !call.policy.acceptedStatuses.contains(response.status) else {
                return nil
            }
            failure = .unacceptable(response)
        case .failure(let error as RestClientError):
            failure = error
        case .failure(let error):
            return error
        }
        failure.parts.request = failure.request ?? call.summary
        failure.parts.attempts = call.attempts
        return failure.readable(in: call)
    }
}
