// SPDX-License-Identifier: MIT

import RestEssentials

extension RestClientManager {
    /// The calls that are under way.
    public var calls: Calls { Calls(table: core.calls) }

    /// The calls of a manager that are under way, and the verbs that wait for them and cancel them.
    ///
    /// ```swift
    /// manager.calls.cancel(.tag("screen"))
    /// await manager.calls.finish(.api(.upload))
    /// print(manager.calls.running().map(\.description))
    /// ```
    ///
    /// A call is under way from the moment its request is made until its response has come, through waits for a worker,
    /// a token or another attempt; a streamed one until its body has ended. A call that finds its response in the cache
    /// at once is not seen here.
    public struct Calls: Sendable {
        let table: CallTable

        /// Returns the calls of a choice, the oldest first.
        ///
        /// - Parameter selection: The choice; all calls by default.
        /// - Returns: The calls as they are now.
        public func running(_ selection: CallSelection = .all) -> [RunningCall] {
            table.running(where: selection.contains)
        }

        /// Cancels the calls of a choice, which end with `CancellationError` whichever way they were sent.
        ///
        /// - Parameter selection: The choice.
        /// - Returns: How many calls there were.
        @discardableResult
        public func cancel(_ selection: CallSelection) -> Int {
            table.cancel(where: selection.contains)
        }

        /// Waits until the calls that are under way now have ended; calls that begin in the meantime do not count.
        ///
        /// It returns early when the task is cancelled.
        ///
        /// - Parameter selection: The calls to wait for; all by default.
        public func finish(_ selection: CallSelection = .all) async {
            await table.finish(where: selection.contains)
        }
    }

    /// Runs an operation, and then cancels the calls that were started in it and have not ended, those of
    /// ``RequestNode/resume()`` among them.
    ///
    /// ```swift
    /// try await manager.withCalls {
    ///     manager.request(.suggestions).onSuccess(show).resume()
    ///     try await userHasLeft()
    /// }
    /// ```
    ///
    /// The scope belongs to the task and is inherited by the tasks that it starts, but not by `Task.detached`.
    ///
    /// - Parameters:
    ///   - isolation: The actor to run on; the caller's by default.
    ///   - operation: The operation.
    /// - Returns: The operation's result.
    /// - Throws: The operation's error.
    @discardableResult
    public func withCalls<Result>(
        isolation: isolated (any Actor)? = #isolation,
        operation: () async throws -> Result
    ) async rethrows -> Result {
        let scope = CallScope()
        defer { core.calls.end(scope) }
        return try await CallScope.scopes.open(scope, isolation: isolation, operation: operation)
    }
}
