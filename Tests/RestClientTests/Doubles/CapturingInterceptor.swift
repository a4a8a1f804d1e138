// SPDX-License-Identifier: MIT

import RestClient
import TestSupport

/// Keeps the requests that pass, as the pipeline is given them.
struct CapturingInterceptor: Interceptor {
    let requests = Recorder<OutgoingRequest>()

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        requests.record(request)
        return try await next(request)
    }
}
