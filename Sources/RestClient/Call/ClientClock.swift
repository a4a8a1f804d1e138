// SPDX-License-Identifier: MIT

/// A clock whose instants are durations since its making, so that code need not know which clock it is.
final class ClientClock: Sendable {
    /// The beginning, when the clock is the usual one: reading that one must not touch anything that tasks share.
    private let origin: ContinuousClock.Instant?
    private let elapsed: @Sendable () -> Duration
    private let pause: @Sendable (Duration) async throws -> Void

    /// Some 136 years; the clocks of the standard library trap on instants that they cannot represent.
    private static let longestPause = Duration.seconds(Int64(1) << 32)

    init(_ clock: some Clock<Duration>) {
        let start = clock.now
        origin = clock is ContinuousClock ? .now : nil
        elapsed = { start.duration(to: clock.now) }
        pause = { try await clock.sleep(for: min($0, Self.longestPause)) }
    }

    /// The time since the clock was made.
    func now() -> Duration {
        if let origin {
            return origin.duration(to: .now)
        }
        return elapsed()
    }

    /// Waits; ends early with a `CancellationError` when the task is cancelled.
    func sleep(for duration: Duration) async throws {
        try await pause(duration)
    }

    /// Runs an operation that must end by a deadline.
    ///
    /// - Throws: ``RestClientError`` with the code ``RestClientError/Code-swift.struct/timeout`` when it does not; the
    ///   operation is cancelled then.
    func limit<Value: Sendable>(
        to policy: CallPolicy,
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let deadline = policy.deadline else {
            return try await operation()
        }
        let remaining = deadline - now()
        guard remaining > .zero else {
            throw RestClientError.timeout(after: policy.timeout)
        }
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await operation() }
            group.addTask {
                try await self.sleep(for: remaining)
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let value = first else {
                throw RestClientError.timeout(after: policy.timeout)
            }
            return value
        }
    }
}
