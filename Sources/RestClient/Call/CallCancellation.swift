// SPDX-License-Identifier: MIT

import Synchronization

/// Work that can be cancelled at any moment, also when it has ended.
package protocol CancellableWork: Sendable {
    /// Cancels the work; without effect if it has ended.
    func cancel()
}

extension Task: CancellableWork {}

extension WatchedSource: CancellableWork {}

/// The cancellation of one call, which leaves its caller's task as it is.
///
/// A call runs in its caller's task: a separate task would cost more than everything else that the library does for
/// the call. The library's own waits register with the cancellation; what observes only the cancellation of its task,
/// such as code of the user, is run by ``waits(for:)-(()->Value)``.
package final class CallCancellation: CancellableWork {
    private struct State {
        var isCancelled = false
        /// The wait that a cancellation ends.
        var wait: (any CancellableWork)?
        /// True while that is a task whose cancellation ends all that the call waits for within it.
        var hasTask = false
    }

    private let state = Mutex(State())

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
    ///
    /// Within ``waits(for:)-(()->Value)`` it is the task that ends.
    package func waits(for work: any CancellableWork) {
        let isCancelled = state.withLock { state in
            guard !state.hasTask else {
                return false
            }
            state.wait = work
            return state.isCancelled
        }
        if isCancelled {
            work.cancel()
        }
    }

    package func stopsWaiting() {
        state.withLock { state in
            if !state.hasTask {
                state.wait = nil
            }
        }
    }

    /// Runs an operation in a task that a cancellation of the call cancels, unless such a task runs it already.
    func waits<Value: Sendable>(
        for operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let isFirst = try state.withLock { state in
            guard !state.isCancelled else {
                throw CancellationError()
            }
            defer { state.hasTask = true }
            return !state.hasTask
        }
        guard isFirst else {
            return try await operation()
        }
        let task = Self.begin(operation)
        let isCancelled = state.withLock { state in
            state.wait = task
            return state.isCancelled
        }
        if isCancelled {
            task.cancel()
        }
        defer {
            state.withLock { state in
                state.hasTask = false
                state.wait = nil
            }
        }
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
