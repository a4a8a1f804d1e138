// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SharedStore

/// Answers from the cache where the policy says so, prepares what is to be stored, and marks as untrue what a request
/// changed.
///
/// What it prepares is written by the call's runner, once the status is accepted and the model has decoded.
struct CacheStage: Interceptor {
    let cache: ResponseCache
    let background: BackgroundRevalidation
    let flights: FlightControl
    let authentication: AuthenticationStage
    let hub: EventHub
    let clock: ClientClock
    /// How long one process alone may ask for a response; `nil` when processes do not wait for one another.
    let lease: Duration?
    let now: @Sendable () -> Date

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        guard request.call.policy.cache.mode != .networkOnly, let ticket = request.caching else {
            let response = try await next(request)
            await invalidate(request, response)
            return response
        }
        let complete = try await completed(request)
        let exchange = CacheExchange(stage: self, request: complete, ticket: ticket, next: next)
        return try await exchange.answer()
    }

    /// The request with what its header providers give, on which key and selection depend; the first attempt sends the same.
    ///
    /// Of tokens the latest will do to tell whose the request is.
    private func completed(_ request: OutgoingRequest) async throws -> OutgoingRequest {
        var complete = try await authentication.identified(request)
        let providers = request.call.policy.headerProviders
        guard !providers.isEmpty else {
            return complete
        }
        let known = complete.headers
        complete.headers = try await clock.limit(to: request.call.policy) {
            var headers = known
            try await HeaderProvider.apply(providers, to: &headers)
            return headers
        }
        let provided = complete.headers
        request.call.learn { $0.provided = provided }
        return complete
    }

    /// Marks stored answers that a successful request made untrue (RFC 9111, section 4.4).
    func invalidate(_ request: OutgoingRequest, _ response: RawResponse) async {
        guard cache.mayHoldAnswers, request.call.policy.cache.bodyKey == nil else {
            return
        }
        let urls = Invalidation.urls(
            method: request.method,
            url: request.url,
            status: response.status,
            headers: response.headers
        )
        guard !urls.isEmpty else {
            return
        }
        do {
            if try await cache.invalidate(urls) > 0 {
                hub.emit(.cacheInvalidated, request.call)
            }
        } catch {
            hub.emit(.cacheFailed(error), request.call)
        }
    }
}
