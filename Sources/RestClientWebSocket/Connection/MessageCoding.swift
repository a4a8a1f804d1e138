// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials

/// Makes messages of models and models of messages.
enum MessageCoding {
    static func model<Model: Sendable>(
        of message: WebSocketMessage,
        _ decode: (EncodedBody) throws -> Model
    ) throws -> Model {
        if let model = message as? Model {
            return model
        }
        return try decode(EncodedBody(message.bytes, contentType: nil))
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
    static func isText(_ contentType: String?) -> Bool {
        guard let contentType else {
            return false
        }
        guard contentType.utf8.allSatisfy({ $0 < 0x80 }) else {
            return false
        }
        let essence = contentType.prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
        return essence.hasPrefix("text/") || essence.hasSuffix("json") || essence.hasSuffix("xml")
            || essence == "application/x-www-form-urlencoded"
    }
}
