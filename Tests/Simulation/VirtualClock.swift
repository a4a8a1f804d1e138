// SPDX-License-Identifier: MIT

/// The clock of a simulation: its time is that of the scheduler.
struct VirtualClock: Clock {
    struct Instant: InstantProtocol {
        let offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    var now: Instant { Instant(offset: Scheduler.shared.now) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let promise = Promise<Void>()
        let alarm = Scheduler.shared.after(deadline.offset - Scheduler.shared.now, isSleep: true) {
            promise.settle(.success(()))
        }
        try await withTaskCancellationHandler {
            try await promise.value()
        } onCancel: {
            Scheduler.shared.cancel(alarm)
            promise.settle(.failure(CancellationError()))
        }
    }
}
