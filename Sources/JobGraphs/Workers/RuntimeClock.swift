// SPDX-License-Identifier: MIT

/// A clock whose instants are durations since its creation, so that code is independent of the actual clock.
package final class RuntimeClock: Sendable {
    /// The origin on the usual clock, which can be read without touching state that tasks share.
    private let origin = ContinuousClock.now
    private let isUsual: Bool
    private let elapsed: @Sendable () -> Duration
    private let pause: @Sendable (Duration) async throws -> Void

    /// About 136 years; the clocks of the standard library trap on instants that they cannot represent.
    private static let longestPause = Duration.seconds(Int64(1) << 32)

    package init(_ clock: some Clock<Duration>) {
        let start = clock.now
        isUsual = clock is ContinuousClock
        elapsed = { start.duration(to: clock.now) }
        pause = { try await clock.sleep(for: min($0, Self.longestPause)) }
    }

    package func now() -> Duration {
        isUsual ? origin.duration(to: .now) : elapsed()
    }

    package func sleep(for duration: Duration) async throws {
        try await pause(duration)
    }
}
