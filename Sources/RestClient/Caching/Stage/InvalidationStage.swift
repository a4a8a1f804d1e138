// SPDX-License-Identifier: MIT

/// Invalidates the stored responses that a request changed which the cache has nothing else to do with.
struct InvalidationStage: Interceptor {
    let cache: CallCache

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let response = try await next(request)
        await cache.invalidate(request, response)
        return response
    }
}
