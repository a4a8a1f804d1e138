// SPDX-License-Identifier: MIT

/// A call under way that was started with a callback.
///
/// Releasing it changes nothing; only ``cancel()`` ends the call early.
public struct RequestCall: Sendable {
    private let task: Task<Void, Never>

    init(priority: TaskPriority? = nil, _ operation: @concurrent @escaping @Sendable () async -> Void) {
        task = Task(priority: priority, operation: operation)
    }

    /// Ends the call early.
    ///
    /// Its callback gets a `CancellationError`. Calling it again, or too late, does nothing.
    public func cancel() {
        task.cancel()
    }

    /// Waits until the callback has returned.
    public func finish() async {
        await task.value
    }
}
