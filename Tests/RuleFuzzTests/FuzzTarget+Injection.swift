// SPDX-License-Identifier: MIT

import HTTPTypes
import NIOCore
import RestEssentials
import TestSupport

@testable import HTTPWire
@testable import RestClient
@testable import RestClientWebSocket

/// The bytes of requests whose parts are strange, all at once: those of HTTP/1.1, and those of a WebSocket's handshake.
///
/// HTTP/2 is not tried: NIO writes it, each name and value behind its length, so that no byte of them ends a field.
extension FuzzTarget {
    private static let pieces = [
        "\r\n", "\n", "\r", "\0", " ", "\t", ":", "/", "\\", "..", ".", "%2F", "%0d%0a", "%", "?", "#", "&", "=", ";",
        ",", "\"", "@", "a", "ä", "7", "HTTP/1.1", "\r\nHost: evil.example", "Content-Length: 0", "\r\n\r\nGET / ",
        "\u{85}", "\u{2028}", "\u{7F}", "€",
    ]
    private static let origin = "https://api.example.com"

    /// The values of a request.
    private struct Values {
        var method: String
        var segments: [String]
        var query: (name: String, value: String)
        var field: (name: String, value: String)
        var cookie: (name: String, value: String)
        var subprotocols: [String]

        init(_ input: inout FuzzInput) {
            // Most are harmless, so that each strange one is tried in a request that is otherwise sent.
            func text(_ usual: String, _ input: inout FuzzInput) -> String {
                input.chance(3) ? input.text(of: pieces, 0...4) : usual
            }
            method = text("GET", &input)
            segments = [text("7", &input), text("x", &input)]
            query = (text("q", &input), text("1", &input))
            field = (text(input.chance(8) ? "Host" : "X-Field", &input), text("value", &input))
            cookie = (text("session", &input), text("1", &input))
            subprotocols = input.chance(2) ? [] : [text("chat", &input), text("chat.2", &input)]
        }
    }

    /// A request as it goes on the wire.
    private struct Written {
        let bytes: [UInt8]
        let method: String
        /// The number of fields of the request, and of those that the writer may add.
        let fieldCount: Int
    }

    /// Returns the bytes of the request, as an exchange and as a handshake; none if it is refused.
    private static func written(_ values: Values) async throws -> [Written] {
        let client = StubbedClient()
        var node = client.manager.request(Void.self).endpoint("/users/{id}/files/{name}")
            .parameter("id", values.segments[0]).parameter("name", values.segments[1])
            .query(values.query.name, values.query.value).header(values.field.name, values.field.value)
            .cookies(CookieJar([Cookie(values.cookie.name, values.cookie.value, domain: "api.example.com")]))
        if let method = HTTPRequest.Method(values.method) {
            node = node.method(method)
        }
        do {
            try await client.manager.run(node)
        } catch {
            try demand(error is RestClientError && client.requests.isEmpty, "\(values) failed with \(error)")
            return []
        }
        guard let request = client.requests.first else {
            return []
        }
        try demand(request.url.hasPrefix(origin + "/"), "\(values) went to '\(request.url)'")
        return [exchange(request), handshake(request, values)].compactMap { $0 }
    }

    private static func exchange(_ request: TransportRequest) -> Written? {
        written(
            request.method.rawValue,
            target: String(request.url.dropFirst(origin.count)),
            request.headers,
            body: request.body?.bytes,
            fieldCount: request.headers.count + 2
        )
    }

    private static func handshake(_ request: TransportRequest, _ values: Values) -> Written? {
        guard let url = try? HTTPURL(request.url),
            let fields = try? HandshakeRules.fields(
                request.headers,
                key: HandshakeRules.makeKey(),
                offered: values.subprotocols
            )
        else {
            return nil
        }
        return written("GET", target: url.target, fields, body: nil, fieldCount: request.headers.count + 6)
    }

    private static func written(
        _ method: String,
        target: String,
        _ fields: HTTPFields,
        body: Data?,
        fieldCount: Int
    ) -> Written? {
        let wire = try? WireRequest(
            method: method,
            target: target,
            host: "api.example.com",
            fields: fields,
            body: body
        )
        return wire.map { Written(bytes: Array($0.head.readableBytesView), method: method, fieldCount: fieldCount) }
    }

    static let injection = FuzzTarget("injection", 300) { input in
        let values = Values(&input)
        for request in try await written(values) {
            try examine(request, values)
        }
    }

    private static func examine(_ request: Written, _ values: Values) throws {
        var lines: [String] = []
        var line: [UInt8] = []
        for byte in request.bytes {
            try demand(byte != 0 && (byte != 0x0A || line.last == 0x0D), "\(values): a line ends in half")
            line.append(byte)
            if byte == 0x0A {
                let text = String(decoding: line.dropLast(2), as: UTF8.self)
                try demand(!text.utf8.contains(0x0D), "\(values): a line has a return within")
                lines.append(text)
                line = []
            }
        }
        try demand(line.isEmpty && lines.last == "" && !lines.dropLast().contains(""), "\(values): \(lines)")
        // The request line.
        let parts = lines[0].split(separator: " ", omittingEmptySubsequences: false)
        try demand(parts.count == 3 && parts[0] == request.method && parts[2] == "HTTP/1.1", "\(values): '\(lines[0])'")
        let target = parts[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let segments = target[0].split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        try demand(segments.count == 6 && segments[2] == "users" && segments[4] == "files", "\(values): '\(parts[1])'")
        for (segment, value) in zip([segments[3], segments[5]], values.segments) {
            try demand(PercentEncoding.decode(segment) == value, "\(values): '\(segment)' is not '\(value)'")
        }
        try demand(!parts[1].contains("#"), "\(values): '\(parts[1])'")
        try demand(target.dropFirst().allSatisfy { !$0.contains("&") }, "\(values): '\(parts[1])'")
        // The fields: none more than the request has, but those that the writer adds.
        let fields = lines.dropFirst().dropLast().map { $0.split(separator: ":", maxSplits: 1).map(String.init) }
        try demand(fields.allSatisfy { $0.count == 2 && $0[0].utf8.allSatisfy(\.isToken) }, "\(values): \(lines)")
        try demand((1...request.fieldCount).contains(fields.count), "\(values): \(lines)")
        try demand(fields.filter { $0[0].lowercased() == "host" }.count == 1, "\(values): \(lines)")
        try demand(fields.filter { $0[0].lowercased() == "content-length" }.count <= 1, "\(values): \(lines)")
        let cookies = fields.filter { $0[0].lowercased() == "cookie" }.map { FieldList.trimmed($0[1][...]) }
        if values.field.name.lowercased() != "cookie" {
            try demand(cookies.count == 1 && !(cookies.first ?? ";").contains(";"), "\(values): \(cookies)")
        }
    }
}
