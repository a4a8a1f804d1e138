// SPDX-License-Identifier: MIT

import JobGraphs

/// Ends a call in time even when an interceptor keeps it.
///
/// It is only there when interceptors are: the transport, the dummies and the worker pool keep the deadline themselves,
/// which costs nothing as long as nobody waits.
struct DeadlineStage: Interceptor {
    let clock: ClientClock

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        try await clock.limit(to: request.call) {
            try await next(request)
        }
    }
}
