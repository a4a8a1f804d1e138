// SPDX-License-Identifier: MIT

import JobGraphs

/// Records the sent requests and their possible effects as facts of the call, and sends the unsafe requests of a run
/// with a journal only once their record is stored.
struct EffectStage: Interceptor {
    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let isUnsafe = request.call.policy.options.isUnsafe(request.method)
        guard let pass = request.call.policy.pass else {
            return try await Self.send(request, isUnsafe ? UnsafeEffects.begin(in: request.call.effects) : nil, next)
        }
        return try await request.call.waits {
            try await pass.send(request) { request in
                let work = isUnsafe ? UnsafeEffects.begin(in: request.call.effects) : nil
                let response = try await Self.send(request, work, next)
                if let work, response.status.code < 400 {
                    // Its result is in the journal once the node has ended, and not before.
                    pass.hold(work)
                }
                return response
            }
        }
    }

    @inline(__always)
    private static func send(
        _ request: OutgoingRequest,
        _ work: UnsafeEffects.Work?,
        _ next: Next
    ) async throws -> RawResponse {
        let call = request.call
        call.learn { $0.begin(request, isUnsafe: work != nil) }
        do {
            let response = try await next(request)
            // A request that succeeds at once needs no record.
            if work != nil || response.status.code >= 400 || call.attempts > 1 {
                end(.success(response), work, call)
            }
            return response
        } catch {
            end(.failure(error), work, call)
            throw error
        }
    }

    @inline(never)
    private static func end(
        _ result: Result<RawResponse, any Error>,
        _ work: UnsafeEffects.Work?,
        _ call: CallContext
    ) {
        let hadNoEffect = call.learn { $0.end(result, isUnsafe: work != nil) }
        if hadNoEffect {
            work?.endWithoutEffect()
        }
    }
}
