// SPDX-License-Identifier: MIT

import JobGraphs
import RestEssentials

/// Coalesces equal calls without a cache into one request, if they allow it.
///
/// It comes after the header providers, so that calls with different credentials are not equal.
struct SharingStage: Interceptor {
    /// Calls without a cache differ only in their requests.
    struct Variant: Hashable, Sendable {}

    let flights: FlightControl<Variant, RawResponse>

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let isSafe = request.method.isRetrieval
        let policy = request.call.policy
        let named = policy.options[.flightKey]
        // A request that the code of another one sends may be what that one's followers wait for.
        guard policy.sharesFlight == true, !policy.isStreamed, !policy.passesPool, !WorkerPool.isInLimitedSlot,
            named != nil || (isSafe && request.isInMemory)
        else {
            return try await next(request)
        }
        let key = FlightKey(request, variant: Variant(), key: named)
        let shared = try await request.call.waits { [flights] in
            try await flights.run(
                key,
                for: request.call,
                keepingSlot: WorkerPool.isInSlot,
                on: request.call.forSharing()
            ) { call in
                SharedResponse(
                    content: try await next(request.moved(to: call)),
                    isForAnyone: call.facts.isOwnerKnown(of: request.headers, call.policy)
                )
            }
        }
        guard let shared else {
            return try await next(request)
        }
        shared.duty?.release()
        return shared.content
    }
}
