// SPDX-License-Identifier: MIT

// MARK: - What has been seen
extension LoopbackServer {
    /// The requests that have arrived whole, in that order.
    public var requests: [LoopbackRequest] {
        core.log.value.requests
    }

    /// Everything that has happened, in order.
    public var events: [LoopbackEvent] {
        core.log.value.events
    }

    /// How many connections are open now.
    public var openConnectionCount: Int {
        core.log.value.openConnections.count
    }

    /// How many connections have been made since the server started.
    public var connectionCount: Int {
        core.log.value.lastConnection
    }

    /// Forgets the requests and events seen so far; numbers go on, and the routes stay.
    public func forget() {
        core.log.update { log in log.forget() }
    }
}

// MARK: - Waiting
extension LoopbackServer {
    /// Waits until at least so many requests have arrived whole.
    ///
    /// - Parameter count: How many requests are waited for. The default is one.
    /// - Returns: The requests that have arrived, which may be more than `count`.
    /// - Throws: `CancellationError` when the task is or becomes cancelled.
    @discardableResult
    public func waitForRequests(count: Int = 1) async throws -> [LoopbackRequest] {
        try await core.log.wait { log in log.requests.count >= count ? log.requests : nil }
    }

    /// Waits until clients have left at least so many requests before their responses' end.
    ///
    /// A client leaves by closing the connection or, in HTTP/2, by cancelling the stream.
    ///
    /// - Parameter count: How many requests are waited for. The default is one.
    /// - Returns: The numbers of the requests that have been left.
    /// - Throws: `CancellationError` when the task is or becomes cancelled.
    @discardableResult
    public func waitForAbortedRequests(count: Int = 1) async throws -> Set<Int> {
        try await core.log.wait { log in log.abortedRequests.count >= count ? log.abortedRequests : nil }
    }

    /// Waits until exactly so many connections are open.
    ///
    /// - Parameter count: How many connections have to be open.
    /// - Throws: `CancellationError` when the task is or becomes cancelled.
    public func waitForOpenConnections(count: Int) async throws {
        try await core.log.wait { log in log.openConnections.count == count ? () : nil }
    }

    /// Waits for an event, seen already or still to come.
    ///
    /// - Parameter event: What is waited for, for example `.aborted(request: 1)`.
    /// - Throws: `CancellationError` when the task is or becomes cancelled.
    public func waitForEvent(_ event: LoopbackEvent) async throws {
        try await core.log.wait { log in log.events.contains(event) ? () : nil }
    }

    /// Waits for an event that fits, seen already or still to come.
    ///
    /// - Parameter isMatch: Says whether an event is the one waited for. It is called with the log's lock held, so it
    ///   must not use the server.
    /// - Returns: The oldest event that fits.
    /// - Throws: `CancellationError` when the task is or becomes cancelled.
    @discardableResult
    public func waitForEvent(where isMatch: @escaping @Sendable (LoopbackEvent) -> Bool) async throws -> LoopbackEvent {
        try await core.log.wait { log in log.events.first(where: isMatch) }
    }
}

// MARK: - Connections
extension LoopbackServer {
    /// Closes every open connection, as a server does that has kept them idle for too long; the server goes on.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before the connections are gone.
    public func closeConnections() async throws {
        try await end { connection in connection.close() }
    }

    /// Resets every open connection; the server goes on.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before the connections are gone.
    public func resetConnections() async throws {
        try await end { connection in connection.reset() }
    }

    private func end(_ action: @escaping @Sendable (ConnectionHandler) -> Void) async throws {
        let ended = core.forEachConnection(action)
        try await core.log.wait { log in log.openConnections.isDisjoint(with: ended) ? () : nil }
    }
}
