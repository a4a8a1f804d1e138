// SPDX-License-Identifier: MIT

import JobGraphs

/// Ends an attempt that takes too long, so that another attempt is possible within the call's time.
struct AttemptTimeoutStage: Interceptor {
    let clock: ClientClock

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        guard let limit = request.call.options[.attemptTimeout] else {
            return try await next(request)
        }
        return try await clock.limit(limit) {
            RestClientError(
                .timeout,
                "the attempt did not end within \(limit); allow more with .timeouts(attempt:) or see why the server is slow"
            )
        } operation: {
            try await next(request)
        }
    }
}
