// SPDX-License-Identifier: MIT

import JobGraphs

struct WorkerSlotStage: Interceptor {
    let pool: WorkerPool
    let hub: EventHub
    let clock: ClientClock
    let hasInterceptors: Bool

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let call = request.call
        if call.policy.passesPool {
            return try await next(request)
        }
        // Only code outside this library can start further work from inside the slot.
        let lendsSlot = hasInterceptors || call.policy.lendsSlot
        // Reading the clock would cost as much as the slot itself.
        let since = call.attempts == 0 ? call.start : nil
        if !lendsSlot, !Task.isCancelled,
            let slot = pool.takeFreeSlot(for: call, priority: call.policy.priority, since: since)
        {
            let relay = call.policy.needs.contains(.sharing) ? call.relay : nil
            relay?.hold(1)
            defer {
                relay?.hold(-1)
                pool.release(slot)
            }
            return try await next(request)
        }
        return try await send(request, next, lendsSlot: lendsSlot, since: since)
    }

    private func send(
        _ request: OutgoingRequest,
        _ next: Next,
        lendsSlot: Bool,
        since: Duration?
    ) async throws -> RawResponse {
        let call = request.call
        var asked: Duration?
        var isGranted = false
        func tellOfWait() {
            asked = clock.now()
            hub.emit(.callQueued, call)
            call.cancellation?.waits(for: SlotWait(pool: pool, holder: call))
        }
        func expired() -> any Error {
            call.isCancelled ? CancellationError() : RestClientError.timedOut(after: call.policy.timeout)
        }
        // Also a wait that ends without a slot is forgotten: it holds the call, which holds its cancellation.
        defer {
            if let asked {
                call.cancellation?.stopsWaiting()
                if !isGranted {
                    call.note { $0.add(waitFrom: asked, to: clock.now(), for: .slot) }
                }
            }
        }
        return try await pool.withSlot(
            lendsSlot: lendsSlot,
            for: call,
            priority: call.policy.priority,
            since: since,
            deadline: call.deadline,
            expired: expired,
            onWait: tellOfWait
        ) {
            isGranted = true
            if let asked {
                call.cancellation?.stopsWaiting()
                let granted = clock.now()
                call.note { $0.add(waitFrom: asked, to: granted, for: .slot) }
            }
            // Callers that keep a slot may wait for a shared request only while it holds one.
            let relay = call.policy.needs.contains(.sharing) ? call.relay : nil
            relay?.hold(1)
            defer { relay?.hold(-1) }
            return try await next(request)
        }
    }
}

private struct SlotWait: CancellableWork {
    let pool: WorkerPool
    let holder: any SlotHolder

    func cancel() { pool.endWait(of: holder) }
}
