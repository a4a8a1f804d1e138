// SPDX-License-Identifier: MIT

extension JobRuntime {
    /// Does local work in a worker slot, which it lends, between the two events of a local job.
    ///
    /// It needs no slot if slot holders may wait for it.
    ///
    /// Work that is cancelled while it waits for its slot has not begun, so no event is emitted for it.
    ///
    /// - Parameters:
    ///   - name: The name in events.
    ///   - groupID: The group or the run to which it belongs.
    ///   - priority: The priority with which it is served.
    ///   - since: The time, on the runtime's clock, at which it became ready; now by default.
    ///   - reservation: The slot that was requested before, if any.
    ///   - noteWait: Receives the start and the end of the wait for a slot, if the work had to wait.
    ///   - work: The work.
    /// - Returns: The result of the work.
    /// - Throws: The error of the work; `CancellationError` when the task is cancelled while it waits for its slot.
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
                // Slot holders may wait for this work.
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
