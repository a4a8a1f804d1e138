// SPDX-License-Identifier: MIT

public import HTTPTypes
public import RestClient

/// An open WebSocket: models come in and go out, in both directions at once.
///
/// ```swift
/// let socket = try await manager.request(.chat).webSocket(sending: Command.self)
/// try await socket.send(.join("lobby"))
/// for try await event in socket { show(event) }
/// ```
///
/// The consumer sets the pace: beyond what ``WebSocketOptions/aheadLimit`` allows to be taken ahead, the connection is
/// not read. ``send(_:)`` returns once the message was passed to the system, which a server that does not read delays.
/// Pings are responded to, and sent, by themselves as long as the connection is read.
///
/// Cancelling a task that waits for the connection closes it, and so does releasing the last reference.
public final class WebSocket<Incoming: Sendable, Outgoing: Encodable & Sendable>: AsyncSequence, Sendable {
    /// A message, decoded as the call decodes its responses.
    public typealias Element = Incoming

    /// Errors are those of the call.
    public typealias Failure = any Error

    /// The subprotocol that the server chose; `nil` if it chose none.
    public let subprotocol: String?

    private let call: UpgradedCall<Incoming>
    private let link: any MessageLink
    private let options: WebSocketOptions

    init(_ call: UpgradedCall<Incoming>, _ link: any MessageLink, _ options: WebSocketOptions, subprotocol: String?) {
        self.call = call
        self.link = link
        self.options = options
        self.subprotocol = subprotocol
    }

    deinit {
        end(.cancelled)
    }

    /// The identifier of the call, which is under way as long as the connection.
    public var callID: CallID { call.id }

    /// The header fields of the response to the opening handshake.
    public var headers: HTTPFields { call.head.headers }

    /// The other side of the connection: the network or a dummy.
    public var source: ResponseSource { call.head.source }

    /// The end of the connection; `nil` as long as it is open.
    public var closure: WebSocketClosure? { link.closure }

    // MARK: - Receiving

    /// Waits for the next message.
    ///
    /// One that cannot be decoded throws ``/RestClient/RestClientError/Code-swift.struct/decodingFailed``, with its
    /// bytes; the connection stays open.
    ///
    /// - Returns: The model; `nil` once the server has closed regularly (1000, 1001, or without a code) or
    ///   ``close(_:reason:)`` was called.
    /// - Throws: ``/RestClient/RestClientError``: `webSocketClosed` with the ``WebSocketClosure`` as the underlying
    ///   error, `connectionClosed` if the connection was cut, `timeout` if a ping had no response, `webSocketViolated`
    ///   and `messageTooLarge`; `CancellationError` when the task is cancelled.
    public func receive() async throws -> Incoming? {
        let message: WebSocketMessage?
        do {
            message = try await link.receive()
        } catch let error as CancellationError {
            end(.cancelled)
            throw error
        } catch {
            throw end(.failed(error)) ?? error
        }
        guard let message else {
            end(.complete)
            return nil
        }
        call.passed(.received, bytes: message.count)
        return try MessageCoding.model(of: message, call.decode)
    }

    /// Begins to take messages one after the other; a later iteration goes on where this one ends.
    public func makeAsyncIterator() -> Iterator {
        Iterator(socket: self)
    }

    /// Takes one message after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let socket: WebSocket

        /// Waits for the next message, as ``WebSocket/receive()`` does.
        public mutating func next() async throws -> Incoming? {
            try await socket.receive()
        }
    }

    // MARK: - Sending

    /// Sends a model: encoded by the call's dogma, and as text if its media type is one; `String` as text, `Data` as
    /// bytes, ``WebSocketMessage`` as it is.
    ///
    /// Messages of several tasks are sent one after the other.
    ///
    /// - Parameter model: The model.
    /// - Throws: ``/RestClient/RestClientError``: `encodingFailed`, or `connectionClosed` if the connection has ended;
    ///   `CancellationError` when the task is cancelled, which closes the connection if the message waits.
    public func send(_ model: Outgoing) async throws {
        let message = try MessageCoding.message(of: model, options.format) { try call.encode($0) }
        try await link.send(message)
        call.passed(.sent, bytes: message.count)
    }

    /// Sends a ping, and waits for its pong.
    ///
    /// - Returns: The time between the two.
    /// - Throws: ``/RestClient/RestClientError`` if the connection ends before; `CancellationError` when the task is
    ///   cancelled.
    @discardableResult
    public func ping() async throws -> Duration {
        let start = call.clock.now()
        try await link.ping()
        return call.clock.now() - start
    }

    // MARK: - The end

    /// Closes the connection, and waits for the server's close for as long as ``WebSocketOptions/closeTimeout`` says.
    ///
    /// Messages that come meanwhile are dropped. Closing again does nothing.
    ///
    /// - Parameters:
    ///   - code: The code; ``WebSocketCloseCode/normal`` by default. One that must not be sent is left out.
    ///   - reason: The reason in words, of which at most 123 bytes are sent.
    public func close(_ code: WebSocketCloseCode = .normal, reason: String = "") async {
        await link.close(code, reason: reason)
        end(.complete)
    }

    /// Ends the call, with the event that says how the connection ended.
    @discardableResult
    private func end(_ end: StreamEnd) -> (any Error)? {
        let code: WebSocketCloseCode = if case .cancelled = end { .goingAway } else { .abnormal }
        let closure = link.closure ?? WebSocketClosure(code, isByServer: false)
        call.closed(code: closure.code.rawValue, isByServer: closure.isByServer)
        return call.end(end)
    }
}

extension WebSocket: CustomReflectable {
    /// The identifier of the call and the response to the handshake with secrets masked, for `dump` and other uses of
    /// reflection.
    public var customMirror: Mirror { Mirror(self, children: ["callID": callID, "response": call.head]) }
}
