// SPDX-License-Identifier: MIT

import HTTPTypes

/// Gives each attempt fresh values of the provided header fields.
///
/// It stands before the worker slot, because a wait for a token must not hold one.
struct HeaderProviderStage: Interceptor {
    let clock: ClientClock

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let providers = request.call.policy.headerProviders
        guard !providers.isEmpty else {
            return try await next(request)
        }
        var fresh = request
        if let provided = request.call.learn({ $0.takeProvided() }) {
            for provider in providers {
                fresh.headers[provider.name] = provided[provider.name]
            }
        } else {
            fresh.headers = try await providedHeaders(for: request)
        }
        return try await next(fresh)
    }

    private func providedHeaders(for request: OutgoingRequest) async throws -> HTTPFields {
        try await clock.limit(to: request.call.policy) {
            var headers = request.headers
            try await HeaderProvider.apply(request.call.policy.headerProviders, to: &headers)
            return headers
        }
    }
}
