// SPDX-License-Identifier: MIT

import JobGraphs

/// Records the sent requests and their possible effects as facts of the call, and sends the unsafe requests of a run
/// with a journal only once their record is stored.
struct EffectStage: Interceptor {
    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let call = request.call
        let isUnsafe = !request.method.isIdempotent
        guard let pass = call.policy.pass else {
            return try await Self.send(request, isUnsafe, next)
        }
        return try await pass.send(request) { try await Self.send($0, isUnsafe, next) }
    }

    @inline(__always)
    private static func send(_ request: OutgoingRequest, _ isUnsafe: Bool, _ next: Next) async throws -> RawResponse {
        let call = request.call
        call.learn { $0.begin(request, isUnsafe: isUnsafe) }
        do {
            let response = try await next(request)
            // A request that succeeds at once needs no record.
            if isUnsafe || response.status.code >= 400 || call.attempts > 1 {
                end(.success(response), isUnsafe: isUnsafe, call)
            }
            return response
        } catch {
            end(.failure(error), isUnsafe: isUnsafe, call)
            throw error
        }
    }

    @inline(never)
    private static func end(_ result: Result<RawResponse, any Error>, isUnsafe: Bool, _ call: CallContext) {
        call.learn { $0.end(result, isUnsafe: isUnsafe) }
    }
}
