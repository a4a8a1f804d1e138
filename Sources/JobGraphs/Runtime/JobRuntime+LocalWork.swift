// SPDX-License-Identifier: MIT

extension JobRuntime {
    /// Does local work while holding a worker slot, which it lends, between the two events of a local job.
    ///
    /// It needs no slot if those that hold the slots may wait for it.
    ///
    /// Work that is cancelled while it waits for its slot has not begun: there is no event for it.
    ///
    /// - Parameters:
    ///   - name: The name in events.
    ///   - groupID: The group or the run that it belongs to.
    ///   - priority: How early it is served.
    ///   - since: Since when it has been at it, on the runtime's clock; now by default.
    ///   - reservation: The slot that was asked for before, if any.
    ///   - noteWait: Told from when to when it waited for its slot, if it had to.
    ///   - work: The work.
    /// - Returns: What the work returns.
    /// - Throws: What the work throws; `CancellationError` when the task is cancelled while it waits for its slot.
    func runLocal<Output: Sendable>(
        _ name: String,
        in groupID: GroupID?,
        priority: JobPriority,
        since: Duration? = nil,
        reservation: SlotReservation? = nil,
        noteWait: (_ start: Duration, _ end: Duration) -> Void = { _, _ in },
        _ work: () async throws -> Output
    ) async throws -> Output {
        var hasStarted = false
        var asked: Duration?
        func tellOfWait() { asked = reservation?.since ?? since ?? clock.now() }
        func begin() async throws -> Output {
            hasStarted = true
            if let asked {
                noteWait(asked, clock.now())
            }
            emit(.localJobStarted(name: name), in: groupID)
            return try await work()
        }
        do {
            let output: Output
            if passesPool() {
                // Those that hold the slots may wait for this work.
                try Task.checkCancellation()
                output = try await begin()
            } else {
                output = try await workers.withSlot(
                    lendsSlot: true,
                    for: LocalWork(name: name, groupID: groupID),
                    priority: priority,
                    since: since,
                    reservation: reservation,
                    onWait: tellOfWait,
                    begin
                )
            }
            emit(.localJobSucceeded(name: name), in: groupID)
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
