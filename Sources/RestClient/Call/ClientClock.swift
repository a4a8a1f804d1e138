// SPDX-License-Identifier: MIT

import JobGraphs

/// The clock of a manager, which is also that of its job runtime.
typealias ClientClock = RuntimeClock

extension RuntimeClock {
    /// Runs an operation, which is cancelled at the call's deadline.
    func limit<Value: Sendable>(
        to call: CallContext,
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let deadline = call.deadline else {
            return try await operation()
        }
        return try await limit(deadline - now()) {
            RestClientError.timedOut(after: call.policy.timeout)
        } operation: {
            try await operation()
        }
    }

    /// Runs an operation, which is cancelled at a limit.
    func limit<Value: Sendable>(
        _ limit: Duration,
        error: @escaping @Sendable () -> RestClientError,
        operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard limit > .zero else {
            throw error()
        }
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await operation() }
            group.addTask {
                try await self.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let value = first else {
                throw error()
            }
            return value
        }
    }
}
