// SPDX-License-Identifier: MIT

/// A clock that stands still until a test moves it.
///
/// Give it to the code under test in place of a `ContinuousClock`; wait until that code sleeps, then move the time:
///
/// ```swift
/// let clock = ManualClock()
/// let call = Task { try await retrying(on: clock) }
/// try await clock.waitForSleepers(count: 1)
/// clock.advance(by: .seconds(2))
/// ```
///
/// Sleepers are resumed in the order of their deadlines, those with the same deadline in the order of their arrival.
/// What a resumed task does next runs at its own pace: wait for its next sleep before the next ``advance(by:)``.
public final class ManualClock: Clock, Sendable {
    private struct State: Sendable {
        var now = Instant()
        var lastTicket: UInt64 = 0
        var deadlines: [UInt64: Instant] = [:]

        var nextDeadline: Instant? {
            deadlines.values.min()
        }

        /// Lets a task go on at once, or hands it a ticket to sleep with.
        mutating func arrive(deadline: Instant) -> UInt64? {
            guard deadline > now else {
                return nil
            }
            lastTicket += 1
            deadlines[lastTicket] = deadline
            return lastTicket
        }

        /// Takes the tickets of those who are due: whoever no longer has one goes on.
        ///
        /// Two tests may move one clock at a time: the later instant stands.
        mutating func move(to instant: Instant) {
            now = max(now, instant)
            deadlines = deadlines.filter { _, deadline in deadline > now }
        }
    }

    private let monitor = Monitor(State())

    /// Creates a clock that shows ``Instant/init(offset:)`` zero.
    public init() {}

    /// The time the clock shows.
    public var now: Instant {
        monitor.value.now
    }

    /// The smallest step between two instants: none, any `Duration` counts.
    public var minimumResolution: Duration {
        .zero
    }

    /// How many tasks sleep on this clock now.
    public var sleeperCount: Int {
        monitor.value.deadlines.count
    }

    /// The instants at which the sleeping tasks are due, earliest first.
    public var deadlines: [Instant] {
        monitor.value.deadlines.values.sorted()
    }

    /// Sleeps until a test has moved the clock to the deadline or past it.
    ///
    /// - Parameters:
    ///   - deadline: When to wake. A deadline that has passed returns at once.
    ///   - tolerance: Not used: the clock wakes nobody late.
    /// - Throws: `CancellationError` when the task is or becomes cancelled.
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

    /// Moves the time forward and wakes everyone whose deadline has come.
    ///
    /// - Parameter duration: How far. A negative duration moves nothing: a clock never runs backwards.
    public func advance(by duration: Duration) {
        advance(to: now.advanced(by: duration))
    }

    /// Moves the time forward to an instant and wakes everyone whose deadline has come.
    ///
    /// - Parameter instant: The time to show. An instant in the past moves nothing.
    public func advance(to instant: Instant) {
        while let deadline = monitor.value.nextDeadline, deadline <= instant {
            move(to: deadline)
        }
        move(to: instant)
    }

    /// Moves the time to the earliest deadline and wakes whoever is due then.
    ///
    /// - Returns: Whether anyone slept; when nobody does, the time stays as it is.
    @discardableResult
    public func advanceToNextDeadline() -> Bool {
        guard let deadline = monitor.value.nextDeadline else {
            return false
        }
        move(to: deadline)
        return true
    }

    /// Waits until at least so many tasks sleep on this clock.
    ///
    /// - Parameter count: How many tasks have to sleep.
    /// - Throws: `CancellationError` when the calling task is cancelled.
    public func waitForSleepers(count: Int) async throws {
        try await monitor.wait { state in state.deadlines.count >= count ? () : nil }
    }

    private func move(to instant: Instant) {
        monitor.update { state in state.move(to: instant) }
    }
}
