// SPDX-License-Identifier: MIT

import JobGraphs

/// A call that was started with a callback.
///
/// Releasing this value does not end the call; ``cancel()`` does.
public struct RequestCall: Sendable {
    private let task: Task<Void, Never>

    init(priority: TaskPriority? = nil, _ operation: @concurrent @escaping @Sendable () async -> Void) {
        task = Task(priority: priority, operation: operation)
    }

    /// Cancels the call.
    ///
    /// Its callback receives a `CancellationError`. Cancelling a call again, or after its end, does nothing.
    public func cancel() {
        task.cancel()
    }

    /// Waits until the callback has returned.
    public func finished() async {
        await task.value
    }
}

extension RequestCall: CancellableWork {}
