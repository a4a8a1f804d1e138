// SPDX-License-Identifier: MIT

import Crypto
import HTTPTypes
import RestClient
import RestEssentials

/// The opening handshake (RFC 6455, section 4): pure functions of what was offered and what came.
enum HandshakeRules {
    /// The fields that belong to the handshake, whatever the levels say.
    static let ownFields: Set<HTTPField.Name> = [
        .connection, .upgrade, .secWebSocketKey, .secWebSocketVersion, .secWebSocketExtensions, .secWebSocketAccept,
        .secWebSocketProtocol, .contentLength, .transferEncoding,
    ]

    static func makeKey() -> String {
        Data((0..<16).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
    }

    /// Returns the proof that a server has read the key.
    static func accept(for key: String) -> String {
        let text = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        return Data(Insecure.SHA1.hash(data: Data(text.utf8))).base64EncodedString()
    }

    /// Returns the header fields of the request; fails with `invalidHeader` if a subprotocol has no valid name.
    static func fields(
        _ fields: HTTPFields,
        key: String,
        offered: [String],
        offersCompression: Bool = false
    ) throws(RestClientError) -> HTTPFields {
        var seen: Set<String> = []
        if let name = offered.first(where: { HTTPField.Name($0) == nil || !seen.insert($0).inserted }) {
            throw RestClientError(
                .invalidHeader,
                "'\(AliasText.shown(name).prefix(100))' is not a valid name of a subprotocol, or is offered twice"
            )
        }
        var fields = fields
        for name in ownFields {
            fields[name] = nil
        }
        fields[.connection] = "Upgrade"
        fields[.upgrade] = "websocket"
        fields[.secWebSocketVersion] = "13"
        fields[.secWebSocketKey] = key
        if !offered.isEmpty {
            fields[.secWebSocketProtocol] = offered.joined(separator: ", ")
        }
        if offersCompression {
            fields[.secWebSocketExtensions] = CompressionTerms.offer
        }
        return fields
    }

    /// Checks a response with the status 101, and returns the agreement on the compression; fails with
    /// `handshakeRefused`, which names the first defect.
    @discardableResult
    static func check(
        _ fields: HTTPFields,
        key: String,
        offered: [String],
        offersCompression: Bool = false
    ) throws(RestClientError) -> CompressionTerms? {
        guard tokens(.upgrade, fields).contains("websocket") else {
            throw refusal("its field 'Upgrade' does not name 'websocket'", fields)
        }
        guard tokens(.connection, fields).contains("upgrade") else {
            throw refusal("its field 'Connection' does not name 'Upgrade'", fields)
        }
        let proofs = fields[values: .secWebSocketAccept]
        guard proofs.count == 1, FieldList.trimmed(proofs[0][...]).utf8.elementsEqual(accept(for: key).utf8) else {
            throw refusal("its field 'Sec-WebSocket-Accept' does not fit the key of the request", fields)
        }
        _ = try subprotocol(in: fields, offered: offered)
        guard fields[values: .secWebSocketExtensions].allSatisfy({ FieldList.isASCII($0) }) else {
            throw refusal("its field 'Sec-WebSocket-Extensions' is not ASCII", fields)
        }
        let extensions = tokens(.secWebSocketExtensions, fields)
        guard !extensions.isEmpty else {
            return nil
        }
        guard offersCompression else {
            throw refusal("it agrees to an extension that was not offered", fields)
        }
        do {
            return try CompressionTerms(extensions)
        } catch {
            throw refusal(error.reason, fields)
        }
    }

    /// Returns the subprotocol that a server has chosen; fails with `handshakeRefused` if that was not offered.
    static func subprotocol(in fields: HTTPFields, offered: [String]) throws(RestClientError) -> String? {
        let chosen = fields[values: .secWebSocketProtocol]
        guard let name = chosen.first.map({ String(FieldList.trimmed($0[...])) }) else {
            return nil
        }
        guard chosen.count == 1, offered.contains(where: { $0.utf8.elementsEqual(name.utf8) }) else {
            let names = chosen.map(AliasText.shown).joined(separator: ", ")
            throw refusal("it chooses the subprotocol '\(names.prefix(100))', which was not offered", fields)
        }
        return name
    }

    private static func tokens(_ name: HTTPField.Name, _ fields: HTTPFields) -> [String] {
        FieldList.elements(of: fields[values: name]).map { FieldList.token($0) }.filter { !$0.isEmpty }
    }

    private static func refusal(_ reason: String, _ fields: HTTPFields) -> RestClientError {
        RestClientError(
            .handshakeRefused,
            "the server's response to the WebSocket handshake is not valid: \(reason)",
            response: RawResponse(status: .switchingProtocols, headers: fields)
        )
    }
}
