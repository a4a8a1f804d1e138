// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization

/// A job with a result of its own type.
final class TypedWriteJob<Value: Sendable>: WriteJob {
    private struct State {
        var value: Value?
        var outcome: Result<Value, StoreError>?
        var continuation: CheckedContinuation<Result<Value, StoreError>, Never>?
        var semaphore: DispatchSemaphore?
    }

    private let body: @Sendable (WriteSession) throws(StoreError) -> Value
    private let committed: @Sendable (Value) -> Void
    private let state = Mutex(State())

    init(
        committed: @escaping @Sendable (Value) -> Void = { _ in },
        body: @escaping @Sendable (WriteSession) throws(StoreError) -> Value
    ) {
        self.body = body
        self.committed = committed
    }

    func run(in session: WriteSession) throws(StoreError) {
        let value = try body(session)
        state.withLock { $0.value = value }
    }

    func end(_ error: StoreError?) {
        let value = state.withLock { $0.value }
        let outcome: Result<Value, StoreError>
        if let error {
            outcome = .failure(error)
        } else if let value {
            committed(value)
            outcome = .success(value)
        } else {
            outcome = .failure(StoreError(.internalFailure, "a write ended without a result"))
        }
        let (continuation, semaphore) = state.withLock { state in
            state.outcome = outcome
            defer { state.continuation = nil }
            return (state.continuation, state.semaphore)
        }
        continuation?.resume(returning: outcome)
        semaphore?.signal()
    }

    /// Resumes the continuation when the job has ended.
    func wait(resuming continuation: CheckedContinuation<Result<Value, StoreError>, Never>) {
        let outcome = state.withLock { state -> Result<Value, StoreError>? in
            if state.outcome == nil { state.continuation = continuation }
            return state.outcome
        }
        if let outcome { continuation.resume(returning: outcome) }
    }

    /// Blocks the calling thread until the job has ended.
    func wait() throws(StoreError) -> Value {
        let semaphore = DispatchSemaphore(value: 0)
        let outcome = state.withLock { state -> Result<Value, StoreError>? in
            if state.outcome == nil { state.semaphore = semaphore }
            return state.outcome
        }
        if let outcome { return try outcome.get() }
        semaphore.wait()
        return try wait()
    }
}
