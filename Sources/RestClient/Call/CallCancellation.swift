// SPDX-License-Identifier: MIT

import Synchronization

/// The cancellation of one call, which leaves its caller's task as it is.
///
/// A call that only this library's code handles runs in its caller's task: a task of its own would cost more than
/// everything else that the library does for the call. Its waits heed this cancellation besides that of the task.
package final class CallCancellation: CancellableWork {
    private struct State {
        var isCancelled = false
        /// The wait that a cancellation ends.
        var wait: (any CancellableWork)?
    }

    private let state = Mutex(State())

    /// A Boolean value that is true once the call is cancelled.
    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Cancels the call, and ends its wait if it waits.
    package func cancel() {
        let wait = state.withLock { state in
            state.isCancelled = true
            return state.wait
        }
        wait?.cancel()
    }

    /// Sets the wait that a cancellation ends from now on; ends it at once if the call is cancelled.
    package func waits(for work: any CancellableWork) {
        let isCancelled = state.withLock { state in
            state.wait = work
            return state.isCancelled
        }
        if isCancelled {
            work.cancel()
        }
    }

    /// Forgets a wait that is over.
    package func stopsWaiting() {
        state.withLock { $0.wait = nil }
    }

    /// Runs an operation that heeds only the cancellation of its task, such as code of the user.
    ///
    /// - Throws: What the operation throws.
    func waits<Value: Sendable>(
        for operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Self.begin(operation)
        waits(for: task)
        defer { stopsWaiting() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Starts a task, if possible at once on the caller's thread, because waking another thread takes longer than all
    /// other work of the library for a call.
    static func begin<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Value
    ) -> Task<Value, any Error> {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            Task.immediate { try await operation() }
        } else {
            Task { try await operation() }
        }
    }
}
