// SPDX-License-Identifier: MIT

public import HTTPTypes
public import RestClient
import RestEssentials

/// The server's side of a conversation with a dummy.
public struct DummyWebSocket: Sendable {
    /// The request of the opening handshake.
    public let request: DummyRequest

    let link: DummyLink

    /// The end of the connection; `nil` as long as it is open.
    public var closure: WebSocketClosure? { link.closure }

    /// Waits for the client's next message.
    ///
    /// - Returns: The message; `nil` once the client has closed the connection.
    /// - Throws: `CancellationError` if the client has gone.
    public func receive() async throws -> WebSocketMessage? {
        try await link.receiveByServer()
    }

    /// Waits for the client's next message, and decodes it by the call's dogma.
    ///
    /// In every other respect it is like ``receive()``; it also throws the dogma's errors.
    public func receive<Model: Decodable & Sendable>(_ type: Model.Type) async throws -> Model? {
        guard let message = try await receive() else {
            return nil
        }
        return try MessageCoding.model(of: message) { body in
            // Texts and bytes are not models that a dogma codes.
            switch type {
            case is String.Type: try message.text as? Model ?? (request.decoded(type, from: body))
            case is Data.Type: try body.bytes as? Model ?? (request.decoded(type, from: body))
            default: try request.decoded(type, from: body)
            }
        }
    }

    /// Sends a model as the server would: encoded by the call's dogma, as text if its media type is one; `String` as
    /// text, `Data` as bytes, ``WebSocketMessage`` as it is.
    ///
    /// It waits as long as the client is behind.
    ///
    /// - Parameter model: The model.
    /// - Throws: The dogma's error; ``/RestClient/RestClientError`` if the connection has ended.
    public func send(_ model: some Encodable & Sendable) async throws {
        try await link.sendByServer(try MessageCoding.message(of: model, .automatic) { try request.encoded($0) })
    }

    /// Closes the connection behind the messages that were sent.
    ///
    /// - Parameters:
    ///   - code: The code; ``WebSocketCloseCode/normal`` by default.
    ///   - reason: The reason in words.
    public func close(_ code: WebSocketCloseCode = .normal, reason: String = "") {
        link.closeByServer(code, reason: reason)
    }

    /// Cuts the connection behind the messages that were sent, without closing it.
    public func cut() {
        link.cut(RestClientError(.connectionClosed, "the dummy cut the WebSocket without closing it"))
    }
}

extension DummyResponse {
    /// Returns a response that agrees to a WebSocket, and plays the server's side of its conversation.
    ///
    /// ```swift
    /// manager.dummies.register(.ticks) { _ in
    ///     .webSocket { socket in
    ///         while let command = try await socket.receive(Command.self) {
    ///             try await socket.send(Tick(of: command))
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// The connection closes with 1000 when the closure returns. A ``/RestClient/RestClientError`` that it throws ends
    /// the connection as it is, which simulates a dead network; any other error closes it with 1011. Other calls than
    /// WebSockets fail with the status 101.
    ///
    /// - Parameters:
    ///   - subprotocol: The subprotocol that the server chooses; none by default.
    ///   - headers: The header fields of the response.
    ///   - play: Plays the server. It is cancelled when the client disappears without closing.
    /// - Returns: The response.
    public static func webSocket(
        subprotocol: String? = nil,
        headers: HTTPFields = [:],
        _ play: @escaping @Sendable (DummyWebSocket) async throws -> Void
    ) -> DummyResponse {
        var response = DummyResponse.status(.switchingProtocols, headers: headers)
        if let subprotocol {
            response.headers[.secWebSocketProtocol] = subprotocol
        }
        response.connection = { request in
            let link = DummyLink()
            link.begin { try await play(DummyWebSocket(request: request, link: $0)) }
            return link
        }
        return response
    }
}
