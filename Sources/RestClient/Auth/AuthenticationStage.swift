// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs
import RestEssentials

/// Sends calls with the token of their source, and once more with a fresh one if the server rejects it.
///
/// It comes before the worker slot, because a wait for a token must not hold one, and before the header providers, so
/// that they run again for the second attempt.
struct AuthenticationStage: Interceptor {
    let hub: EventHub
    let clock: ClientClock
    /// Returns the time of day.
    let now: @Sendable () -> Date

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        guard let scheme = request.call.policy.authentication,
            let grant = try await grant(of: scheme.source, for: request.call)
        else {
            return try await next(request)
        }
        let response = try await next(try scheme.signed(request, with: grant))
        guard scheme.isRefusal(response, of: request) else {
            Self.note(response, to: grant, of: scheme.source)
            return response
        }
        guard
            let fresh = try await self.grant(of: scheme.source, for: request.call, refused: (grant.token, response)),
            fresh.token.value != grant.token.value, !fresh.token.isOfAnotherUser(than: grant.token)
        else {
            return response
        }
        if case .stop(let reason) = BodyReplay.decision(.tokenRefresh, method: request.method, body: request.body) {
            hub.emit(.retrySuppressed(.errorNotRetryable, reason), request.call)
            return response
        }
        let second = try await next(try scheme.signed(request, with: fresh))
        if !scheme.isRefusal(second, of: request) {
            Self.note(second, to: fresh, of: scheme.source)
        }
        return second
    }

    /// Records that a server has accepted a token.
    ///
    /// Only a success from the server itself counts, because an error may occur before the token is checked.
    private static func note(_ response: RawResponse, to grant: TokenGrant, of source: TokenSource) {
        if !grant.isAccepted, response.status.code < 400, response.url == nil {
            source.accept(grant.token)
        }
    }

    /// Returns a request with the latest token, even if that has expired: it identifies the user.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - waits: Pass `true` to wait for the first token. A call that must not use the network does not wait.
    /// - Returns: The request, unchanged if there is no token.
    /// - Throws: ``RestClientError`` if the first token cannot be obtained.
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
            let grant = try await call.waits { [clock, now] in
                try await clock.limit(to: call) {
                    try await source.grant(refusing: value, tells: true, now: now)
                }
            }
            if grant?.tellsOfRefresh == true {
                hub.emit(.tokenRefreshed, call)
            }
            return grant
        } catch let error as RestClientError where error.code == .tokenRefreshFailed {
            throw RestClientError(
                error.code,
                error.message,
                response: refused?.response,
                underlying: error.underlying
            )
        }
    }
}
