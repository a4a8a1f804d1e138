// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs

/// Sets fresh values of the provided header fields for each attempt.
///
/// It comes before the worker slot, because a wait for a value must not hold one.
struct HeaderProviderStage: Interceptor {
    let clock: ClientClock

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let providers = request.call.policy.headerProviders
        guard !providers.isEmpty else {
            return try await next(request)
        }
        guard let provided = request.call.learn({ $0.takeProvided() }) else {
            let provided = try await request.call.waits { [clock] in try await request.withProvidedHeaders(clock) }
            return try await next(provided)
        }
        var request = request
        for provider in providers {
            request.headers[fields: provider.name] = provided[fields: provider.name]
        }
        return try await next(request)
    }
}
