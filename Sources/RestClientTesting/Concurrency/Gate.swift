// SPDX-License-Identifier: MIT

/// Holds tasks back until a test lets them go: all at once, or a few at a time.
///
/// A gate replaces sleeping. The code under test waits at the gate, the test waits until it has arrived there
/// (``waitForWaiters(count:)``), looks around, and opens it.
///
/// ```swift
/// let gate = Gate()
/// server.on(.get, "/slow") { _ in
///     try await gate.wait()
///     return .text("at last")
/// }
/// let answer = Task { try await client.get("/slow") }
/// try await gate.waitForWaiters(count: 1)
/// gate.open()
/// ```
///
/// Tasks pass in the order of their arrival.
public final class Gate: Sendable {
    private struct State: Sendable {
        var isOpen: Bool
        var passes = 0
        var lastTicket: UInt64 = 0
        var waiting: Set<UInt64> = []

        /// Lets a task through at once, or hands it a ticket to wait with.
        mutating func arrive() -> UInt64? {
            guard !takePass() else {
                return nil
            }
            lastTicket += 1
            waiting.insert(lastTicket)
            return lastTicket
        }

        mutating func admit(_ ticket: UInt64) -> Bool {
            guard takePass() else {
                return false
            }
            waiting.remove(ticket)
            return true
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
    /// - Parameter isOpen: Whether tasks pass from the start. The default is a closed gate.
    public init(isOpen: Bool = false) {
        monitor = Monitor(State(isOpen: isOpen))
    }

    /// Whether every task passes without waiting.
    public var isOpen: Bool {
        monitor.value.isOpen
    }

    /// How many tasks wait here now.
    public var waiterCount: Int {
        monitor.value.waiting.count
    }

    /// Opens the gate for everyone who waits and for everyone who comes later.
    ///
    /// Opening an open gate does nothing.
    public func open() {
        monitor.update { state in state.isOpen = true }
    }

    /// Lets so many tasks through, those that wait first and then the next to come, and stays closed.
    ///
    /// - Parameter count: How many more tasks may pass. The default is one.
    public func pass(_ count: Int = 1) {
        monitor.update { state in state.passes += max(0, count) }
    }

    /// Waits until the gate lets the caller through.
    ///
    /// - Throws: `CancellationError` when the task is or becomes cancelled while it waits; it has used no pass then.
    public func wait() async throws {
        try Task.checkCancellation()
        guard let ticket = monitor.update({ state in state.arrive() }) else {
            return
        }
        do {
            try await monitor.wait { state in state.admit(ticket) ? () : nil }
        } catch {
            monitor.update { state in _ = state.waiting.remove(ticket) }
            throw error
        }
    }

    /// Waits until at least so many tasks wait at the gate.
    ///
    /// - Parameter count: How many tasks have to wait.
    /// - Throws: `CancellationError` when the calling task is cancelled.
    public func waitForWaiters(count: Int) async throws {
        try await monitor.wait { state in state.waiting.count >= count ? () : nil }
    }
}
