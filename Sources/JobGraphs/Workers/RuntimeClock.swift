// SPDX-License-Identifier: MIT

import RestEssentials

/// A clock whose instants are durations since its creation, so that code is independent of the actual clock.
package final class RuntimeClock: Sendable {
    /// The origin on the usual clock, which can be read without touching state that tasks share.
    private let origin = ContinuousClock.now
    private let isUsual: Bool
    private let elapsed: @Sendable () -> Duration
    private let pause: @Sendable (Duration) async throws -> Void

    package init(_ clock: some Clock<Duration>) {
        let start = clock.now
        isUsual = clock is ContinuousClock
        elapsed = { start.duration(to: clock.now) }
        // The clocks of the standard library trap on instants that they cannot represent.
        pause = { try await clock.sleep(for: min($0, .century)) }
    }

    package func now() -> Duration {
        isUsual ? origin.duration(to: .now) : elapsed()
    }

    package func sleep(for duration: Duration) async throws {
        try await pause(duration)
    }

    /// Runs an operation; `alarm` is called at the deadline if it has not ended by then.
    package func run<Value: Sendable>(
        until deadline: Duration?,
        alarm: @escaping @Sendable () -> Void,
        operation: () async -> Value
    ) async -> Value {
        guard let deadline else {
            return await operation()
        }
        return await withTaskGroup(of: Void.self) { group in
            group.addTask {
                if (try? await self.sleep(for: max(.zero, deadline - self.now()))) != nil {
                    alarm()
                }
            }
            defer { group.cancelAll() }
            return await operation()
        }
    }
}
