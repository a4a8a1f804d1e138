// SPDX-License-Identifier: MIT

/// Holds a worker slot while a request is on the wire.
struct WorkerSlotStage: Interceptor {
    let pool: WorkerPool
    let clock: ClientClock
    let dummies: DummyRegistry
    let hasInterceptors: Bool

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        // Only code that is not ours can start further work from inside the slot.
        let lendsSlot = hasInterceptors || dummies.isEnabled
        return try await pool.withSlot(lendsSlot: lendsSlot, clock: clock, policy: request.call.policy) {
            try await next(request)
        }
    }
}
