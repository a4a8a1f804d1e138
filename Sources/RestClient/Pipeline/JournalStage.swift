// SPDX-License-Identifier: MIT

/// Lets an unsafe request of a run with a journal go out only once it can be found again after a crash.
struct JournalStage: Interceptor {
    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        guard let pass = request.call.policy.pass else {
            return try await next(request)
        }
        return try await pass.send(request, next)
    }
}
