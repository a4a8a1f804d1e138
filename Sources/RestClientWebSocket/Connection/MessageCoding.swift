// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials

enum MessageCoding {
    static func model<Model: Sendable>(
        of message: WebSocketMessage,
        _ decode: (EncodedBody) throws -> Model
    ) throws -> Model {
        try message as? Model ?? decode(EncodedBody(message.bytes, contentType: nil))
    }

    static func message(
        of model: some Encodable,
        _ format: WebSocketOptions.Format,
        _ encode: (any Encodable) throws -> EncodedBody
    ) throws -> WebSocketMessage {
        let bytes: Data
        let isText: Bool
        switch model {
        case let message as WebSocketMessage: return message
        case let text as String: (bytes, isText) = (Data(text.utf8), true)
        case let data as Data: (bytes, isText) = (data, false)
        default:
            let body = try encode(model)
            (bytes, isText) = (body.bytes, Self.isText(body.contentType))
        }
        guard format == .text || format == .automatic && isText else {
            return .binary(bytes)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw RestClientError(
                .encodingFailed,
                "\(type(of: model)) is not text in UTF-8, and cannot be sent as text; send it as bytes"
            )
        }
        return .text(text)
    }

    /// Returns true if a media type is text: `text/…`, JSON, XML and forms.
    private static func isText(_ contentType: String?) -> Bool {
        let type = MediaType.essence(of: contentType)
        return type.hasPrefix("text/") || type.hasSuffix("json") || type.hasSuffix("xml")
            || type == "application/x-www-form-urlencoded"
    }
}
