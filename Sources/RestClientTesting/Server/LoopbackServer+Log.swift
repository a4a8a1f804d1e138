// SPDX-License-Identifier: MIT

// MARK: - Log

extension LoopbackServer {
    /// The complete requests, in the order of their arrival.
    public var requests: [LoopbackRequest] {
        core.log.value.requests
    }

    /// The events, in order.
    package var events: [LoopbackEvent] {
        core.log.value.events
    }

    /// The number of open connections.
    package var openConnectionCount: Int {
        core.log.value.openConnections.count
    }

    /// The number of connections since the server started.
    public var connectionCount: Int {
        core.log.value.lastConnection
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
        try await core.log.wait { log in log.requests.count >= count ? log.requests : nil }
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
        try await core.log.wait { log in log.abortedRequests.count >= count ? log.abortedRequests : nil }
    }

    /// Waits until exactly `count` connections are open.
    ///
    /// - Parameter count: The number of connections.
    /// - Throws: `CancellationError` if the task is cancelled.
    package func waitForOpenConnections(count: Int) async throws {
        try await core.log.wait { log in log.openConnections.count == count ? () : nil }
    }

    /// Waits for an event, already logged or not.
    ///
    /// - Parameter event: The event, for example `.aborted(request: 1)`.
    /// - Throws: `CancellationError` if the task is cancelled.
    package func waitForEvent(_ event: LoopbackEvent) async throws {
        try await core.log.wait { log in log.events.contains(event) ? () : nil }
    }

    /// Waits for a matching event, already logged or not.
    ///
    /// - Parameter isMatch: Returns true for the event to wait for. It is called with the log's lock held, so it must
    ///   not use the server.
    /// - Returns: The oldest matching event.
    /// - Throws: `CancellationError` if the task is cancelled.
    @discardableResult
    package func waitForEvent(
        where isMatch: @escaping @Sendable (LoopbackEvent) -> Bool
    ) async throws -> LoopbackEvent {
        try await core.log.wait { log in log.events.first(where: isMatch) }
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

    /// Resets every open connection.
    ///
    /// The server keeps running.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before the connections are closed.
    package func resetConnections() async throws {
        try await end { connection in connection.reset() }
    }

    private func end(_ action: @escaping @Sendable (ConnectionHandler) -> Void) async throws {
        let ended = core.forEachConnection(action)
        try await core.log.wait { log in log.openConnections.isDisjoint(with: ended) ? () : nil }
    }
}
