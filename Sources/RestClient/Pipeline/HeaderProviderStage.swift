// SPDX-License-Identifier: MIT

import HTTPTypes

/// Gives each try fresh values of the provided header fields.
///
/// It stands before the worker slot, because a wait for a token must not hold one.
struct HeaderProviderStage: Interceptor {
    let clock: ClientClock

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        guard request.call.policy.headerProviders.isEmpty else {
            var fresh = request
            fresh.headers = try await providedHeaders(for: request)
            return try await next(fresh)
        }
        return try await next(request)
    }

    private func providedHeaders(for request: OutgoingRequest) async throws -> HTTPFields {
        try await clock.limit(to: request.call.policy) {
            var headers = request.headers
            try await HeaderProvider.apply(request.call.policy.headerProviders, to: &headers)
            return headers
        }
    }
}
