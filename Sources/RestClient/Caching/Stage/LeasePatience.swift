// SPDX-License-Identifier: MIT

/// The pauses of a process that waits for a response that another one is fetching.
struct LeasePatience: Sendable {
    static let shortestPause = Duration.milliseconds(2)
    static let longestPause = Duration.milliseconds(100)

    private let end: Duration
    private var step = Self.shortestPause

    /// Creates the pauses of a process that starts to wait now.
    ///
    /// - Parameters:
    ///   - duration: The duration of a lease: a process that holds it longer has died, or is too slow to wait for.
    ///   - now: The current time.
    init(duration: Duration, now: Duration) {
        end = now + duration
    }

    /// Returns the time until the next lookup; `nil` when the wait has ended.
    mutating func pause(at now: Duration) -> Duration? {
        guard now < end else {
            return nil
        }
        defer { step = min(step * 2, Self.longestPause) }
        return min(step, end - now)
    }
}
