// SPDX-License-Identifier: MIT

import JobGraphs

/// Ends a call in time, and when it is cancelled, even if an interceptor delays it.
///
/// It is used only with interceptors: the library's own stages heed both themselves, which costs nothing as long as no
/// one waits.
struct DeadlineStage: Interceptor {
    let clock: ClientClock

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        try await request.call.waits { [clock] in
            try await clock.limit(to: request.call) { try await next(request) }
        }
    }
}
