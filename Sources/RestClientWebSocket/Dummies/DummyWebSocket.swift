// SPDX-License-Identifier: MIT

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
    /// - Parameter type: The type of the model.
    /// - Returns: The model; `nil` once the client has closed the connection.
    /// - Throws: The dogma's error; `CancellationError` if the client has gone.
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
