// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

/// Lets a dummy answer in the server's place.
struct DummyStage: Interceptor {
    let registries: Registries
    let hub: EventHub
    let clock: ClientClock

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let call = request.call
        guard let plan = call.policy.dummies else {
            return try await next(request)
        }
        let context = DummyContext(registries: registries.snapshot(), prefix: call.policy.prefix)
        let seen = DummyRequest(
            method: request.method,
            url: request.url,
            headers: request.headers,
            body: request.body,
            api: call.api
        )
        guard let claim = plan.claim(seen, context) else {
            hub.emit(.dummyUnmatched, call)
            guard plan.mode == .strict else {
                return try await next(request)
            }
            throw RestClientError(
                .dummyNotFound,
                "dummies are strict and none answers \(request.method.rawValue) \(Redaction.url(request.url)); "
                    + plan.nearMisses(seen, context)
            )
        }
        hub.emit(.dummyMatched(claim.responder.id), call)
        if claim.isImmediate {
            return try await answer(claim, call.policy)
        }
        return try await clock.limit(to: call.policy) { try await answer(claim, call.policy) }
    }

    /// Plays the response as the wire would bring it, faults and pauses included.
    private func answer(_ claim: DummyClaim, _ policy: CallPolicy) async throws -> RawResponse {
        var response = try await claim.response { try await clock.sleep(for: $0) }
        if !response.allowsBody || claim.request.method == .head {
            response.body = Data()
        }
        let fault = response.fault
        var length = response.body.count
        switch fault {
        case .connectionReset:
            throw failure(.connectionClosed, "reset the connection", claim)
        case .malformed:
            throw failure(.malformedResponse, "answered what is no HTTP", claim)
        case .noAnswer:
            while true {
                try await clock.sleep(for: .seconds(3_600))
            }
        case .truncated(let count):
            length = DummyFault.cut(after: count, of: length)
        case nil:
            break
        }
        if let pace = response.pace {
            for end in pace.ends(in: length) {
                try await clock.sleep(for: pace.interval)
                try check(end, policy)
            }
        }
        try check(length, policy)
        if case .truncated = fault {
            throw failure(.connectionClosed, "cut its body after \(length) of \(response.body.count) bytes", claim)
        }
        return RawResponse(
            status: response.status,
            headers: response.headers,
            body: response.body,
            source: .dummy
        )
    }

    private func check(_ length: Int, _ policy: CallPolicy) throws(RestClientError) {
        if length > policy.responseLimit {
            throw TransportFailure.bodyOverLimit(policy.responseLimit)
        }
    }

    private func failure(_ code: RestClientError.Code, _ what: String, _ claim: DummyClaim) -> RestClientError {
        RestClientError(code, "the dummy '\(claim.responder)' \(what)")
    }
}
