// SPDX-License-Identifier: MIT

import RestClientWebSocket
package import RestEssentials

extension HAR {
    /// A message of a WebSocket, in the form in which browsers write `_webSocketMessages`.
    package struct WebSocketMessage: Sendable, Hashable {
        package var isSent: Bool
        package var time: Date
        package var isText: Bool
        /// The bytes; those of a text in UTF-8.
        package var bytes: Data

        var message: RestClientWebSocket.WebSocketMessage {
            isText ? .text(String(decoding: bytes, as: UTF8.self)) : .binary(bytes)
        }
    }

    /// The end of a WebSocket; the format has no member for it.
    package struct WebSocketEnd: Sendable, Hashable, Codable {
        /// The code of RFC 6455; 1006 for a connection that was cut.
        package var code: UInt16
        package var reason: String
        package var isByServer: Bool
    }
}

extension HAR.WebSocketMessage {
    init(_ message: RestClientWebSocket.WebSocketMessage, isSent: Bool, time: Date) {
        self.isSent = isSent
        self.time = time
        switch message {
        case .text: isText = true
        case .binary: isText = false
        }
        bytes = message.bytes
    }
}

extension HAR.WebSocketMessage: HARCodable {
    private enum CodingKeys: String, CodingKey {
        case type, time, opcode, data
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        isSent = try container.decode(String.self, forKey: .type) == "send"
        time = Date(timeIntervalSince1970: try container.decodeIfPresent(Double.self, forKey: .time) ?? 0)
        isText = try container.decodeIfPresent(Int.self, forKey: .opcode) != 2
        let data = try container.decodeIfPresent(String.self, forKey: .data) ?? ""
        bytes = isText ? Data(data.utf8) : Data(base64Encoded: data) ?? Data(data.utf8)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(isSent ? "send" : "receive", forKey: .type)
        try container.encode(time.timeIntervalSince1970, forKey: .time)
        try container.encode(isText ? 1 : 2, forKey: .opcode)
        let data = isText ? String(decoding: bytes, as: UTF8.self) : bytes.base64EncodedString()
        try container.encode(data, forKey: .data)
    }
}
