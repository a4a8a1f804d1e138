// SPDX-License-Identifier: MIT

package import ConcurrencyTesting

// MARK: - Log

extension LoopbackServer {
    package var log: Monitor<ServerLog> { core.log }

    /// The complete requests, in the order of their arrival.
    public var requests: [LoopbackRequest] {
        log.value.requests
    }

    /// The number of connections since the server started.
    public var connectionCount: Int {
        log.value.lastConnection
    }
}

// MARK: - Waiting

extension LoopbackServer {
    /// Waits until at least `count` complete requests have arrived.
    ///
    /// - Parameter count: The number of requests; one by default.
    /// - Returns: All requests, which may be more than `count`.
    /// - Throws: `CancellationError` if the task is cancelled.
    @discardableResult
    public func waitForRequests(count: Int = 1) async throws -> [LoopbackRequest] {
        try await log.wait { log in log.requests.count >= count ? log.requests : nil }
    }

    /// Waits until clients have aborted at least `count` requests before the end of the response.
    ///
    /// A client aborts a request by closing the connection or, in HTTP/2, by cancelling the stream.
    ///
    /// - Parameter count: The number of requests; one by default.
    /// - Returns: The numbers of the aborted requests.
    /// - Throws: `CancellationError` if the task is cancelled.
    @discardableResult
    public func waitForAbortedRequests(count: Int = 1) async throws -> Set<Int> {
        try await log.wait { log in log.abortedRequests.count >= count ? log.abortedRequests : nil }
    }
}

// MARK: - Connections

extension LoopbackServer {
    /// Closes every open connection, as a server does with idle ones.
    ///
    /// The server keeps running.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before the connections are closed.
    public func closeConnections() async throws {
        try await end { connection in connection.close() }
    }

    package func resetConnections() async throws {
        try await end { connection in connection.reset() }
    }

    private func end(_ action: @escaping @Sendable (ConnectionHandler) -> Void) async throws {
        let ended = core.forEachConnection(action)
        try await log.wait { log in log.openConnections.isDisjoint(with: ended) ? () : nil }
    }
}
