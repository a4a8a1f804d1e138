// SPDX-License-Identifier: MIT

public import RestClient
import RestEssentials

/// The end of a WebSocket.
///
/// It is the underlying error of a ``/RestClient/RestClientError/Code-swift.struct/webSocketClosed``.
public struct WebSocketClosure: Error, Sendable, Hashable, MirroredByDescription {
    /// The code; ``WebSocketCloseCode/abnormal`` if the connection was cut.
    public let code: WebSocketCloseCode

    /// The reason in words; empty if there is none.
    public let reason: String

    /// A Boolean value that is true if the server began the end.
    public let isByServer: Bool

    package init(_ code: WebSocketCloseCode, reason: String = "", isByServer: Bool) {
        self.code = code
        self.reason = reason
        self.isByServer = isByServer
    }

    /// The code and the reason.
    public var description: String {
        let side = isByServer ? "the server" : "the client"
        return "closed by \(side) with \(code)" + (reason.isEmpty ? "" : " '\(shownReason)'")
    }

    /// The reason on one line, with the secrets in it masked.
    private var shownReason: String { MessageText.of(Redaction.text(reason), limit: 123) }

    /// The error for the consumer; `nil` for a regular end.
    var error: RestClientError? {
        guard isByServer, ![.normal, .goingAway, .noStatus].contains(code) else {
            return nil
        }
        let words = reason.isEmpty ? "" : " and the reason '\(shownReason)'"
        return RestClientError(
            .webSocketClosed,
            "the server closed the WebSocket with the code \(code)\(words)",
            underlying: self
        )
    }
}
