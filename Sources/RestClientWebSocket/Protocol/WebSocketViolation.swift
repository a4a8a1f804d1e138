// SPDX-License-Identifier: MIT

import RestClient

/// A violation of the protocol by the server, and the code with which the connection is closed.
struct WebSocketViolation: Error, Equatable {
    let code: WebSocketCloseCode
    let reason: String

    static func protocolError(_ reason: String) -> Self { Self(code: .protocolError, reason: reason) }
    static func invalidText(_ reason: String) -> Self { Self(code: .invalidText, reason: reason) }
    static func tooLarge(_ reason: String) -> Self { Self(code: .messageTooLarge, reason: reason) }

    var error: RestClientError {
        code == .messageTooLarge
            ? RestClientError(
                .messageTooLarge,
                "the server sent \(reason); raise the limit with .webSocketOptions(_:)",
                underlying: WebSocketClosure(code, reason: reason, isByServer: false)
            )
            : RestClientError(
                .webSocketViolated,
                "the server broke the WebSocket protocol: \(reason)",
                underlying: WebSocketClosure(code, reason: reason, isByServer: false)
            )
    }
}
