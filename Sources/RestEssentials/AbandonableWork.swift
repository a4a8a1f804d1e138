// SPDX-License-Identifier: MIT

import Synchronization

/// Runs code that may never end and may ignore cancellation, and leaves it behind when the task is cancelled.
///
/// A child task cannot be left behind: its parent waits for it. So the code runs in a task of its own, which inherits
/// task-local values and priority, is cancelled with the waiting one, and is not waited for then.
package final class AbandonableWork<Value: Sendable>: Sendable {
    /// The one waiter, whose name is 0.
    private typealias Parked = Waiters<Int, Result<Value, any Error>>

    private let parked = Mutex(Parked())

    private init() {}

    /// Waits for the code's result.
    ///
    /// - Throws: The error of the code; `CancellationError` as soon as the task is cancelled.
    package static func run(_ operation: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let work = AbandonableWork()
        let task = Task {
            do {
                work.end(.success(try await operation()))
            } catch {
                work.end(.failure(error))
            }
        }
        defer { task.cancel() }
        return
            try await Parked.wait { continuation in
                work.parked.withLock { $0.park(0, continuation, ifCancelled: .failure(CancellationError())) }
            } onCancel: {
                work.parked.withLock { $0.withdraw(0, with: .failure(CancellationError())) }
            }
            .get()
    }

    private func end(_ result: Result<Value, any Error>) {
        parked.withLock { $0.settle(0, with: result) }?.resume()
    }
}
