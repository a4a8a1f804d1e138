// SPDX-License-Identifier: MIT

import Synchronization

/// Runs code that may never end and may ignore cancellation, and abandons it when the task is cancelled.
///
/// A parent always waits for a child task, so a child cannot be abandoned. The code therefore runs in a task of its
/// own, which inherits task-local values and priority. It is cancelled together with the waiting task, which does not
/// wait for it in that case.
package final class AbandonableWork<Value: Sendable>: Sendable {
    /// The only waiter, whose ID is 0.
    private typealias Parked = Waiters<Int, Result<Value, any Error>>

    private let parked = Mutex(Parked())

    private init() {}

    /// Throws the error of the code, or `CancellationError` as soon as the task is cancelled.
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
