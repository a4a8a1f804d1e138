// SPDX-License-Identifier: MIT

import RestClient
import RestClientWebSocket

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Something to send over a WebSocket: a text, bytes, or its close.
enum SocketFrame: Decodable {
    case message(WebSocketMessage)
    case close(WebSocketCloseCode, reason: String)

    static let members = Members(["text", "base64", "close"])

    init(from decoder: any Decoder) throws {
        let value = try JSONValue(from: decoder)
        if let text = value["text"]?.stringValue {
            self = .message(.text(text))
        } else if let text = value["base64"]?.stringValue, let bytes = Data(base64Encoded: text) {
            self = .message(.binary(bytes))
        } else if let close = value["close"], let code = close[0]?.intValue.flatMap(UInt16.init(exactly:)) {
            self = .close(WebSocketCloseCode(rawValue: code), reason: close[1]?.stringValue ?? "")
        } else {
            throw WireError(text: "what is sent is a text, base64, or a close with its code and reason")
        }
    }
}
