// SPDX-License-Identifier: MIT

import Synchronization

/// Runs code that may never end and may not heed being cancelled, and leaves it behind when the task is cancelled.
///
/// A child task cannot be left behind: whoever started it waits for it. So the code runs in a task of its own, which
/// inherits task-local values and priority, is cancelled with the waiting one, and is not waited for then.
package final class AbandonableWork<Value: Sendable>: Sendable {
    private typealias Continuation = CheckedContinuation<Value, any Error>

    private enum State {
        /// Nobody waits yet.
        case idle
        case waiting(Continuation, Task<Void, Never>)
        /// The first result came, perhaps before anyone waited for it.
        case over(Result<Value, any Error>)
    }

    private let state = Mutex(State.idle)

    private init() {}

    /// Waits for the code's result.
    ///
    /// - Throws: What the code throws; `CancellationError` as soon as the task is cancelled.
    package static func run(_ operation: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let work = AbandonableWork()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let task = Task {
                    do {
                        work.end(.success(try await operation()))
                    } catch {
                        work.end(.failure(error))
                    }
                }
                work.begin(continuation, task)
            }
        } onCancel: {
            work.end(.failure(CancellationError()))
        }
    }

    private func begin(_ continuation: Continuation, _ task: Task<Void, Never>) {
        let result: Result<Value, any Error>? = state.withLock { state in
            if case .over(let result) = state {
                return result
            }
            state = .waiting(continuation, task)
            return nil
        }
        if let result {
            task.cancel()
            continuation.resume(with: result)
        }
    }

    /// Takes the first result, which may be that the waiting task was cancelled, and passes over later ones.
    private func end(_ result: Result<Value, any Error>) {
        let waiting: (Continuation, Task<Void, Never>)? = state.withLock { state in
            defer {
                if case .over = state {} else { state = .over(result) }
            }
            if case .waiting(let continuation, let task) = state {
                return (continuation, task)
            }
            return nil
        }
        if let (continuation, task) = waiting {
            task.cancel()
            continuation.resume(with: result)
        }
    }
}
