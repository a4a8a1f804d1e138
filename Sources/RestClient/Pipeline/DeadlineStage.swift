// SPDX-License-Identifier: MIT

import JobGraphs

/// Ends a call in time even if an interceptor delays it.
///
/// It is used only with interceptors: the transport, the dummies and the worker pool keep the deadline themselves,
/// which costs nothing as long as no one waits.
struct DeadlineStage: Interceptor {
    let clock: ClientClock

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        try await clock.limit(to: request.call) {
            try await next(request)
        }
    }
}
