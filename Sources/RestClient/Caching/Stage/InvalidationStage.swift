// SPDX-License-Identifier: MIT

/// Invalidates the stored responses that a request without a cache changed.
struct InvalidationStage: Interceptor {
    let cache: CallCache

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let response = try await next(request)
        await cache.inside(request.call.policy.isolation).invalidate(request, response)
        return response
    }
}
