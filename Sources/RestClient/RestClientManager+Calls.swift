// SPDX-License-Identifier: MIT

import RestEssentials

extension RestClientManager {
    /// The running calls: within a scope of dummies or of a replay those of the scope, and outside those outside.
    public var calls: Calls { Calls(table: core.calls) }

    /// The running calls of a manager, and the methods that await and cancel them.
    ///
    /// ```swift
    /// manager.calls.cancel(.tag("screen"))
    /// await manager.calls.finished(.api(.upload))
    /// print(manager.calls.running().map(\.description))
    /// ```
    ///
    /// A call is running from its beginning, which for ``RequestNode/resume(_:)`` is before its task starts, until it
    /// has its result: waits for a worker, a token or another attempt, fallbacks and decoding are part of it. A stream
    /// is running until the end of its body, and a feed or a download until its own end: while it waits between two
    /// calls, it is listed itself, with another identifier. A call whose response is found in the cache at once
    /// is not listed, nor is one that is cancelled and about to end, or whose handlers are running.
    public struct Calls: Sendable {
        let table: CallTable

        /// Returns the selected calls, the oldest first.
        ///
        /// - Parameter selection: The selection; all calls by default.
        /// - Returns: The calls that are running now.
        public func running(_ selection: CallSelection = .all) -> [RunningCall] {
            table.running(where: selection.contains)
        }

        /// Cancels the selected calls, which end with `CancellationError`, regardless of how they were sent; so do the
        /// feeds and downloads of which they are parts.
        ///
        /// They are listed no longer, and do not reject calls with their keys
        /// (``CallConfigurable/refusingDuplicates(of:)``), even before they have ended.
        ///
        /// - Parameter selection: The selection.
        /// - Returns: The number of cancelled calls.
        @discardableResult
        public func cancel(_ selection: CallSelection) -> Int {
            table.cancel(where: selection.contains)
        }

        /// Waits until the calls that are running now have ended, and their handlers have returned; calls that begin in
        /// the meantime do not count.
        ///
        /// It returns early when the task is cancelled. A call's own interceptors and handlers must not wait for it.
        ///
        /// - Parameter selection: The calls to wait for; all by default.
        public func finished(_ selection: CallSelection = .all) async {
            await table.finished(where: selection.contains)
        }
    }

    /// Runs an operation, and then cancels the calls that were started in it and have not ended, including those of
    /// ``RequestNode/resume(_:)``.
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
        let scope = CancellationScope()
        defer { core.calls.end(scope) }
        return try await CancellationScope.scopes.open(scope, isolation: isolation, operation: operation)
    }
}
