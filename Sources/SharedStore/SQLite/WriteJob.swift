// SPDX-License-Identifier: MIT

/// One caller's part of a write transaction.
struct WriteJob: Sendable {
    /// The end of a job, once its changes are durable or have failed.
    struct End: Sendable {
        /// Reports the value of a job that has not failed; called in the order of the commits.
        let report: @Sendable () -> Void
        /// Wakes the caller.
        let wake: @Sendable () -> Void
        /// The priority of the task that awaits the job; `nil` if no task does.
        let priority: TaskPriority?
    }

    /// Runs the job; returns its end, which holds once its changes are durable.
    let run: @Sendable (WriteSession) throws(StoreError) -> End
    /// Returns the end of the job if its changes failed.
    let fail: @Sendable (StoreError) -> End

    /// Creates a job.
    ///
    /// - Parameters:
    ///   - committed: Receives the value when the job is durable.
    ///   - ended: Wakes the caller with the result; called once, after `committed`.
    ///   - priority: The priority of the task that awaits the job; `nil` by default, if no task does.
    ///   - body: Makes the changes.
    init<Value: Sendable>(
        committed: @escaping @Sendable (Value) -> Void = { _ in },
        ended: @escaping @Sendable (Result<Value, StoreError>) -> Void = { _ in },
        priority: TaskPriority? = nil,
        body: @escaping @Sendable (WriteSession) throws(StoreError) -> Value
    ) {
        run = { session throws(StoreError) in
            let value = try body(session)
            return End(report: { committed(value) }, wake: { ended(.success(value)) }, priority: priority)
        }
        fail = { error in End(report: {}, wake: { ended(.failure(error)) }, priority: priority) }
    }
}
