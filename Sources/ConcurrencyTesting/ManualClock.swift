// SPDX-License-Identifier: MIT

/// A clock that advances only when a test advances it.
///
/// Pass it to the code under test instead of a `ContinuousClock`, wait until that code sleeps, and advance it:
///
/// ```swift
/// let clock = ManualClock()
/// let call = Task { try await retrying(on: clock) }
/// try await clock.waitForSleepers(count: 1)
/// clock.advance(by: .seconds(2))
/// ```
///
/// Sleepers resume in the order of their deadlines, those with equal deadlines in the order of their arrival. A resumed
/// task runs concurrently: wait for its next sleep before the next ``advance(by:)``.
public final class ManualClock: Clock, Sendable {
    private struct State: Sendable {
        var now = Instant()
        var lastTicket: UInt64 = 0
        var deadlines: [UInt64: Instant] = [:]

        var nextDeadline: Instant? {
            deadlines.values.min()
        }

        /// Lets a task continue at once, or returns a ticket to sleep with.
        mutating func arrive(deadline: Instant) -> UInt64? {
            guard deadline > now else {
                return nil
            }
            lastTicket += 1
            deadlines[lastTicket] = deadline
            return lastTicket
        }

        /// Removes the tickets of tasks that are due; of two tests that advance the clock, the later instant applies.
        mutating func move(to instant: Instant) {
            now = max(now, instant)
            deadlines = deadlines.filter { _, deadline in deadline > now }
        }
    }

    private let monitor = Monitor(State())

    /// Creates a clock at offset zero.
    public init() {}

    /// The current time of the clock.
    public var now: Instant {
        monitor.value.now
    }

    /// Zero: instants may differ by any `Duration`.
    public var minimumResolution: Duration {
        .zero
    }

    package var deadlines: [Instant] {
        monitor.value.deadlines.values.sorted()
    }

    /// Sleeps until a test has advanced the clock to the deadline.
    ///
    /// - Parameters:
    ///   - deadline: The deadline. One in the past returns at once.
    ///   - tolerance: Unused, since the clock is exact.
    /// - Throws: `CancellationError` if the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        guard let ticket = monitor.update({ state in state.arrive(deadline: deadline) }) else {
            return
        }
        do {
            try await monitor.wait { state in state.deadlines[ticket] == nil ? () : nil }
        } catch {
            monitor.update { state in state.deadlines[ticket] = nil }
            throw error
        }
    }

    /// Advances the clock and resumes all tasks that are due.
    ///
    /// - Parameter duration: The duration. A negative one has no effect.
    public func advance(by duration: Duration) {
        advance(to: now.advanced(by: duration))
    }

    /// Advances the clock to an instant, unless it is past, and resumes all tasks that are due.
    package func advance(to instant: Instant) {
        while let deadline = monitor.value.nextDeadline, deadline <= instant {
            move(to: deadline)
        }
        move(to: instant)
    }

    /// Advances the clock to the earliest deadline; returns false if no task slept.
    @discardableResult
    package func advanceToNextDeadline() -> Bool {
        guard let deadline = monitor.value.nextDeadline else {
            return false
        }
        move(to: deadline)
        return true
    }

    /// Waits until at least `count` tasks sleep on this clock.
    ///
    /// - Parameter count: The number of tasks.
    /// - Throws: `CancellationError` if the calling task is cancelled.
    public func waitForSleepers(count: Int) async throws {
        try await monitor.wait { state in state.deadlines.count >= count ? () : nil }
    }

    /// Waits until a task sleeps for a duration from now; other tasks may sleep on this clock, too.
    ///
    /// - Parameter duration: The time until the task is due.
    /// - Throws: `CancellationError` if the calling task is cancelled.
    public func waitForSleeper(for duration: Duration) async throws {
        try await monitor.wait { state in
            let deadline = state.now.advanced(by: duration)
            return state.deadlines.values.contains(deadline) ? () : nil
        }
    }

    package func waitForNoSleepers() async throws {
        try await monitor.wait { state in state.deadlines.isEmpty ? () : nil }
    }

    private func move(to instant: Instant) {
        monitor.update { state in state.move(to: instant) }
    }
}

extension ManualClock {
    /// A point in a manual clock's time, relative to the creation of the clock.
    public struct Instant: InstantProtocol {
        /// The time since the clock was created.
        public let offset: Duration

        /// Creates an instant.
        ///
        /// - Parameter offset: The time since the clock was created; zero by default.
        public init(offset: Duration = .zero) {
            self.offset = offset
        }

        /// Returns the instant that is later by a duration.
        ///
        /// - Parameter duration: The duration; negative for an earlier instant.
        /// - Returns: The other instant.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// Returns the time from this instant to another.
        ///
        /// - Parameter other: The other instant.
        /// - Returns: The duration; negative if the other instant is earlier.
        public func duration(to other: Instant) -> Duration {
            other.offset - offset
        }

        /// Returns true if one instant is earlier than another.
        public static func < (left: Instant, right: Instant) -> Bool {
            left.offset < right.offset
        }
    }
}
