// SPDX-License-Identifier: MIT

import RestEssentials

extension RestClientManager {
    /// Runs an operation, and reports the progress of all calls that are sent in it as a sum: those of a group, of a
    /// graph, or any others.
    ///
    /// ```swift
    /// let line = ProgressLine("photos")
    /// try await manager.withProgress(of: .sent, line.show) { try await manager.run(uploads) }
    /// line.finish()
    /// ```
    ///
    /// The total is that of the calls which have begun, and grows with each further one; it is not known while that of
    /// one of them is not. Another attempt of a call begins again from zero. The handler is called a few times a
    /// second, one report at a time, and a last time when the operation has ended. The scope belongs to the task and is
    /// inherited by the tasks that it starts.
    ///
    /// - Parameters:
    ///   - direction: The bodies that count; those of requests and of responses by default.
    ///   - handler: Takes the sum.
    ///   - isolation: The actor to run on; the caller's by default.
    ///   - operation: The operation.
    /// - Returns: The operation's result.
    /// - Throws: The operation's error.
    public func withProgress<Result>(
        of direction: CallProgress.Direction? = nil,
        _ handler: @escaping @Sendable (TransferProgress) -> Void,
        isolation: isolated (any Actor)? = #isolation,
        operation: () async throws -> Result
    ) async rethrows -> Result {
        let scope = ProgressScope(clock: core.clock, direction, handler)
        defer { scope.finish() }
        return try await ProgressScope.scopes.open(scope, isolation: isolation, operation: operation)
    }
}
