// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs
import RestEssentials

/// Sends calls with the token of their source, and once more with a fresh one if the server rejects it.
///
/// It comes before the worker slot, which a wait for a token must not hold, and before the header providers, which run
/// again for the second attempt.
struct AuthenticationStage: Interceptor {
    let hub: EventHub
    let clock: ClientClock
    let now: @Sendable () -> Date

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        guard let scheme = request.call.policy.authentication,
            let grant = try await grant(of: scheme.source, for: request.call)
        else {
            return try await next(request)
        }
        try request.call.begin(as: grant.token.user, of: scheme.source)
        let earlier = request.call.facts
        let response = try await next(try scheme.signed(request, with: grant))
        guard scheme.isRefusal(response, of: request) else {
            scheme.note(response, to: grant, of: request)
            return response
        }
        // An interceptor may have turned the response of a request that had its effect into a rejection.
        let repetition = Repetition(of: request, since: earlier)
        guard
            let fresh = try await replacement(
                for: grant,
                of: scheme.source,
                after: response,
                to: request,
                repetition
            )
        else {
            return response
        }
        try request.call.begin(as: fresh.token.user, of: scheme.source)
        request.call.tell("the request was sent again with another token")
        let second = try await next(try scheme.signed(request, with: fresh))
        if scheme.isRefusal(second, of: request) {
            request.call.tell("the server rejected that token with \(second.status.code), too")
        } else {
            scheme.note(second, to: fresh, of: request)
        }
        return second
    }

    /// Returns the token with which a rejected request is sent again; `nil` if the rejection is final.
    private func replacement(
        for refused: TokenGrant,
        of source: TokenSource,
        after response: RawResponse,
        to request: OutgoingRequest,
        _ repetition: Repetition
    ) async throws -> TokenGrant? {
        let call = request.call
        call.tell("the server rejected the token with \(response.status.code)")
        func end(because reason: String) -> TokenGrant? {
            call.tell("the request was not sent again, because \(reason)")
            return nil
        }
        func stop(_ reason: Repetition.Reason) -> TokenGrant? {
            let rejection = RestClientError.unacceptable(response)
            hub.emit(.retrySuppressed(RetrySuppression(reason), reason.error(after: rejection)), call)
            return end(because: reason.clause)
        }
        // Also a body that cannot be sent again is a cause for a fresh token: other requests need it.
        if case .stop(let reason) = repetition.verdict(.refreshedToken), reason != .bodySpent {
            return stop(reason)
        }
        guard let fresh = try await grant(of: source, for: call, refused: (refused.token, response)) else {
            return end(because: "the server has rejected too many fresh tokens within a minute")
        }
        guard fresh.token.value != refused.token.value else {
            return end(because: "the source has no other token")
        }
        var repetition = repetition
        repetition.isOfOtherUser = fresh.token.isOfAnotherUser(than: refused.token.user)
        if case .stop(let reason) = repetition.verdict(.refreshedToken) {
            return stop(reason)
        }
        return fresh
    }

    /// Returns a request with the latest token, even if that has expired, because it identifies the user.
    func identified(_ request: OutgoingRequest, waits: Bool) async throws -> OutgoingRequest {
        guard let scheme = request.call.policy.authentication else {
            return request
        }
        var latest = scheme.source.latest
        if latest == nil, waits {
            latest = try await grant(of: scheme.source, for: request.call)
        }
        guard let latest else {
            return request
        }
        try request.call.check(latest.token.user, of: scheme.source)
        scheme.identify(request.call, by: latest)
        return try scheme.signed(request, with: latest)
    }

    /// Returns the token for a call, refreshed within the call's time if necessary; `nil` if the rejection is final.
    private func grant(
        of source: TokenSource,
        for call: CallContext,
        refused: (token: AccessToken, response: RawResponse)? = nil
    ) async throws -> TokenGrant? {
        let value = refused?.token.value
        if let grant = source.usable(refusing: value, now: now()) {
            return grant
        }
        do {
            let grant = try await call.waits(.token, on: clock) { [clock, now] in
                try await clock.limit(to: call) {
                    try await source.grant(refusing: value, tells: true, now: now)
                }
            }
            if grant?.tellsOfRefresh == true {
                hub.emit(.tokenRefreshed, call)
                call.tell("a new token was obtained")
            }
            return grant
        } catch let error as RestClientError where error.code == .tokenRefreshFailed || error.code == .loginRequired {
            throw RestClientError(
                error.code,
                error.message,
                response: refused?.response,
                underlying: error.underlying
            )
        }
    }
}

extension CallContext {
    /// Checks that the call does not go on as one user after it began as another one, and records the user.
    fileprivate func begin(as name: String?, of source: TokenSource) throws(RestClientError) {
        guard let name else {
            return
        }
        try check(name, of: source)
        learn { $0.users[ObjectIdentifier(source)] = name }
    }

    fileprivate func check(_ name: String?, of source: TokenSource) throws(RestClientError) {
        if let name, let first = facts.users[ObjectIdentifier(source)], first != name {
            throw RestClientError(
                .tokenRefreshFailed,
                "the call began as one user, and its token source now has the token of another one",
                underlying: UserChange()
            )
        }
    }
}
