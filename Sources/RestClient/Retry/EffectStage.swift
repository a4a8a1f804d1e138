// SPDX-License-Identifier: MIT

/// Notes what requests may have done, and lets the unsafe ones of a journalled run leave once their record is stored.
struct EffectStage: Interceptor {
    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let call = request.call
        let isUnsafe = !request.method.isIdempotent
        guard let pass = call.policy.pass else {
            return try await Self.send(request, isUnsafe, next)
        }
        return try await pass.send(request) { try await Self.send($0, isUnsafe, next) }
    }

    private static func send(_ request: OutgoingRequest, _ isUnsafe: Bool, _ next: Next) async throws -> RawResponse {
        let call = request.call
        if isUnsafe {
            call.noteEffect { $0.begin(isUnsafe: true) }
        }
        do {
            let response = try await next(request)
            // What succeeds at once leaves nothing to note.
            if isUnsafe || response.status.code >= 400 || call.attempts > 1 {
                call.noteEffect { $0.end(.success(response), isUnsafe: isUnsafe) }
            }
            return response
        } catch {
            call.noteEffect { $0.end(.failure(error), isUnsafe: isUnsafe) }
            throw error
        }
    }
}
