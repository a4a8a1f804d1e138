// SPDX-License-Identifier: MIT

/// One caller's part of a write transaction.
struct WriteJob: Sendable {
    /// Runs the job; returns what to call once its changes are durable.
    let run: @Sendable (WriteSession) throws(StoreError) -> @Sendable () -> Void
    /// Called instead if the changes failed.
    let fail: @Sendable (StoreError) -> Void

    /// Creates a job; `ended` is called once, when the job is durable or has failed.
    init<Value: Sendable>(
        ended: @escaping @Sendable (Result<Value, StoreError>) -> Void,
        body: @escaping @Sendable (WriteSession) throws(StoreError) -> Value
    ) {
        run = { session throws(StoreError) in
            let value = try body(session)
            return { ended(.success(value)) }
        }
        fail = { ended(.failure($0)) }
    }
}
