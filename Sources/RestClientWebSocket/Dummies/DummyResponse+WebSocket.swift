// SPDX-License-Identifier: MIT

public import HTTPTypes
public import RestClient

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
    ///   - play: Plays the server. It is cancelled when the client goes without closing.
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
