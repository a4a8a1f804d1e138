// SPDX-License-Identifier: MIT

extension JobRuntime {
    /// Does local work between its two events, in a worker slot, which it lends, unless slot holders may wait for it;
    /// work that is cancelled while it waits for its slot has not begun, and has no event.
    func runLocal<Output: Sendable>(
        _ name: String,
        in groupID: GroupID?,
        priority: JobPriority,
        since: Duration? = nil,
        reservation: SlotReservation? = nil,
        note: JobNote? = nil,
        noteWait: (_ start: Duration, _ end: Duration) -> Void = { _, _ in },
        _ work: () async throws -> Output
    ) async throws -> Output {
        var hasStarted = false
        do {
            let output: Output
            try Task.checkCancellation()
            if passesPool() {
                // Slot holders may wait for this work.
                hasStarted = true
                emit(.localJobStarted(name: name), in: groupID)
                output = try await work()
            } else {
                // Not within `withSlot`: each function between here and the work costs the task memory and time.
                let holder = LocalWork(name: name, groupID: groupID)
                let slot: WorkerPool.Slot
                switch workers.acquire(for: holder, priority: priority, since: since, reservation) {
                case .granted(let free):
                    slot = free
                case .wait(let waiter):
                    let asked = reservation?.since ?? since ?? clock.now()
                    slot = try await workers.slot(of: waiter)
                    noteWait(asked, clock.now())
                }
                defer {
                    note?.endWork(at: clock.now())
                    workers.release(slot)
                }
                hasStarted = true
                emit(.localJobStarted(name: name), in: groupID)
                output = try await workers.lending(slot, of: holder, work)
            }
            emit(.localJobSucceeded(name: name), in: groupID, value: output)
            return output
        } catch {
            if hasStarted {
                let outcome: JobOutcome<Void> = error is CancellationError ? .cancelled : .failure(error)
                emit(.localJobEnded(name, outcome), in: groupID)
            }
            throw error
        }
    }
}
