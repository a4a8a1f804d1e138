// SPDX-License-Identifier: MIT

public import RestClient

extension RequestNode {
    /// Opens a WebSocket to the node's target, whose messages decode to the node's model.
    ///
    /// ```swift
    /// for try await tick in try await manager.request(.ticks).webSocket() { print(tick) }
    /// ```
    ///
    /// Servers, options, tokens, retries, redirects, interceptors and dummies work as for any other call, up to the
    /// response that agrees; the call's timeout is that for the handshake. The call ends, with its last event, when the
    /// connection does. Addresses may begin with `ws:` and `wss:` as well as with `http:` and `https:`.
    ///
    /// The node's handlers (`onStart`, `onError` and others) are not called: the error is thrown, here or by the loop
    /// that reads the messages.
    ///
    /// - Parameter type: The type of the models that are sent; ``WebSocketMessage`` by default.
    /// - Returns: The connection.
    /// - Throws: ``/RestClient/RestClientError``, with the code `handshakeRefused` for a response that breaks the rules
    ///   and `unacceptableStatus` for one with another status than 101; an error of your own code;
    ///   `CancellationError` when the task is cancelled.
    @concurrent
    public func webSocket<Outgoing: Encodable & Sendable>(
        sending type: Outgoing.Type = WebSocketMessage.self
    ) async throws -> WebSocket<Model, Outgoing> {
        let call = try await upgraded { [self] request, call, transport in
            var options = call.options[.webSocket] ?? WebSocketOptions()
            if !call.mayCarry(.secWebSocketProtocol, to: request.url) {
                // Many programs send a token in one of them, and a redirect has led to another server.
                options.subprotocols = []
            }
            options.messageLimit = min(options.messageLimit, call.streamLimit)
            return try await ChannelLink.open(request, transport, options) { try await pause($0) }
        }
        let options = call.options[.webSocket] ?? WebSocketOptions()
        do {
            guard let link = call.connection as? any MessageLink else {
                throw RestClientError(
                    .handshakeRefused,
                    "the connection of the response is not a WebSocket; an interceptor may have replaced its stream"
                )
            }
            let subprotocol = try HandshakeRules.subprotocol(in: call.head.headers, offered: options.subprotocols)
            call.opened(subprotocol: subprotocol)
            return WebSocket(call, link, options, subprotocol: subprotocol)
        } catch {
            throw call.end(.failed(error)) ?? error
        }
    }

    /// Opens a WebSocket to the node's target, again and again after an interruption, and delivers its messages.
    ///
    /// ```swift
    /// for try await tick in manager.request(.ticks).webSocketFeed() { print(tick) }
    /// ```
    ///
    /// See ``WebSocketFeed``. The node's handlers are not called: the loop sees the messages and the failure.
    ///
    /// - Parameter policy: The rules by which the feed connects again.
    /// - Returns: The messages.
    public func webSocketFeed(
        _ policy: EventStreamPolicy = EventStreamPolicy()
    ) -> WebSocketFeed<Model, WebSocketMessage> {
        webSocketFeed(policy, sending: WebSocketMessage.self) { _ in }
    }

    /// Opens a WebSocket again and again as ``webSocketFeed(_:)`` does, to which models are sent.
    ///
    /// ```swift
    /// let feed = manager.request(.ticks).webSocketFeed(sending: Command.self) { socket in
    ///     try await socket.send(.subscribe("EUR"))
    /// }
    /// for try await tick in feed { print(tick) }
    /// ```
    ///
    /// `opened` is called with each connection before its first message is taken: to subscribe, or to keep the
    /// connection for sending. It must not wait for messages. An error of the network counts as an interruption; any
    /// other one fails the feed.
    public func webSocketFeed<Outgoing: Encodable & Sendable>(
        _ policy: EventStreamPolicy = EventStreamPolicy(),
        sending type: Outgoing.Type,
        opened: @escaping @Sendable (WebSocket<Model, Outgoing>) async throws -> Void
    ) -> WebSocketFeed<Model, Outgoing> {
        WebSocketFeed(node: retry(.never), policy: policy, opened: opened)
    }
}
