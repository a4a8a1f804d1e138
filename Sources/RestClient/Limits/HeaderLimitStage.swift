// SPDX-License-Identifier: MIT

/// Refuses responses with too much header; only calls with such a limit pass it.
struct HeaderLimitStage: Interceptor {
    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let response = try await next(request)
        guard let defect = request.call.options[.headerLimit]?.defect(of: response.headers) else {
            return response
        }
        // A stream that nobody reads ends when it is released.
        throw RestClientError(.headerTooLarge, "\(defect); allow more with .limits(headerFields:headerBytes:)")
    }
}
