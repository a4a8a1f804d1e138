// SPDX-License-Identifier: MIT

public import RestClient
public import RestEssentials

/// A message of a WebSocket as it goes over the wire: text or bytes.
///
/// It is the type of the messages of a connection without models:
///
/// ```swift
/// let socket = try await manager.request(WebSocketMessage.self).endpoint("/echo").webSocket()
/// try await socket.send(.text("hello"))
/// ```
public enum WebSocketMessage: Sendable, Hashable {
    /// A text.
    case text(String)
    /// Bytes.
    case binary(Data)

    /// The text, or the bytes if they are a text in UTF-8; `nil` for other bytes.
    public var text: String? {
        switch self {
        case .text(let text): text
        case .binary(let bytes): String(validating: bytes, as: UTF8.self)
        }
    }

    /// The bytes; those of a text in UTF-8.
    public var bytes: Data {
        switch self {
        case .text(let text): Data(text.utf8)
        case .binary(let bytes): bytes
        }
    }

    var count: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let bytes): bytes.count
        }
    }
}

extension WebSocketMessage: Codable {
    private enum CodingKeys: String, CodingKey {
        case text, binary
    }

    /// Reads an object with the member `text`, or `binary` in the decoder's format for bytes.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let text = try container.decodeIfPresent(String.self, forKey: .text) {
            self = .text(text)
        } else {
            self = .binary(try container.decode(Data.self, forKey: .binary))
        }
    }

    /// Writes an object with the member `text`, or `binary` in the encoder's format for bytes.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .text(let text): try container.encode(text, forKey: .text)
        case .binary(let bytes): try container.encode(bytes, forKey: .binary)
        }
    }
}

extension WebSocketMessage: ExpressibleByStringLiteral, MirroredByDescription {
    /// Creates a text.
    public init(stringLiteral value: String) {
        self = .text(value)
    }

    /// The kind and the length, without the content, which may hold secrets.
    public var description: String {
        if case .text = self { "text of \(count) bytes" } else { "binary of \(count) bytes" }
    }
}
