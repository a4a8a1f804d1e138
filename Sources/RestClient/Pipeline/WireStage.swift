// SPDX-License-Identifier: MIT

/// Notes what attempt interceptors made of a request, for the cache to see whose answer it is.
struct WireStage: Interceptor {
    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        request.caching?.noteWire(request.headers)
        return try await next(request)
    }
}
