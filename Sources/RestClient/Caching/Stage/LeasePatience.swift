// SPDX-License-Identifier: MIT

/// The pauses in which a process waits for the response that another one is fetching.
struct LeasePatience: Sendable {
    static let shortestPause = Duration.milliseconds(2)
    static let longestPause = Duration.milliseconds(100)

    private let end: Duration
    private var step = Self.shortestPause

    /// Creates the pauses of a process that begins to wait now.
    ///
    /// - Parameters:
    ///   - duration: The duration of a lease: a process that holds it longer has died, or is too slow to be waited for.
    ///   - now: The present moment.
    init(duration: Duration, now: Duration) {
        end = now + duration
    }

    /// The time until the next look; `nil` when the waiting is over.
    mutating func pause(at now: Duration) -> Duration? {
        guard now < end else {
            return nil
        }
        defer { step = min(step * 2, Self.longestPause) }
        return min(step, end - now)
    }
}
