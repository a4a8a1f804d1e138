// SPDX-License-Identifier: MIT

/// Holds tasks until a test releases them, all at once or a few at a time.
///
/// A gate replaces sleeping. The code under test waits at the gate; the test waits until it has arrived
/// (``waitForWaiters(count:)``), makes its checks, and opens the gate.
///
/// ```swift
/// let gate = Gate()
/// server.on(.get, "/slow") { _ in
///     try await gate.wait()
///     return .text("at last")
/// }
/// let call = Task { try await client.get("/slow") }
/// try await gate.waitForWaiters(count: 1)
/// gate.open()
/// ```
///
/// Tasks pass in the order of their arrival.
public final class Gate: Sendable {
    private struct State: Sendable {
        var isOpen: Bool
        var passes = 0
        var waiting = 0

        /// Returns true if the task passes at once; otherwise it waits.
        mutating func arrive() -> Bool {
            let passes = takePass()
            waiting += passes ? 0 : 1
            return passes
        }

        mutating func admit() -> Bool {
            let passes = takePass()
            waiting -= passes ? 1 : 0
            return passes
        }

        private mutating func takePass() -> Bool {
            guard !isOpen else {
                return true
            }
            guard passes > 0 else {
                return false
            }
            passes -= 1
            return true
        }
    }

    private let monitor: Monitor<State>

    /// Creates a gate.
    ///
    /// - Parameter isOpen: True if tasks pass from the start; false by default.
    public init(isOpen: Bool = false) {
        monitor = Monitor(State(isOpen: isOpen))
    }

    /// True if every task passes without waiting.
    public var isOpen: Bool {
        monitor.value.isOpen
    }

    package var waiterCount: Int {
        monitor.value.waiting
    }

    /// Opens the gate for all tasks that wait and for all that arrive later.
    ///
    /// Opening an open gate has no effect.
    public func open() {
        monitor.update { state in state.isOpen = true }
    }

    /// Lets a number of tasks pass, first the waiting ones and then the next to arrive, and stays closed.
    ///
    /// - Parameter count: The number of tasks; one by default.
    public func pass(_ count: Int = 1) {
        monitor.update { state in state.passes += max(0, count) }
    }

    /// Waits until the gate lets the caller pass.
    ///
    /// - Throws: `CancellationError` if the task is cancelled. In that case it has used no pass.
    public func wait() async throws {
        try Task.checkCancellation()
        guard !monitor.update({ state in state.arrive() }) else {
            return
        }
        do {
            try await monitor.wait { state in state.admit() ? () : nil }
        } catch {
            monitor.update { state in state.waiting -= 1 }
            throw error
        }
    }

    /// Waits until at least `count` tasks wait at the gate.
    ///
    /// - Parameter count: The number of tasks.
    /// - Throws: `CancellationError` if the calling task is cancelled.
    public func waitForWaiters(count: Int) async throws {
        try await monitor.wait { state in state.waiting >= count ? () : nil }
    }
}
