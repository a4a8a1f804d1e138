// SPDX-License-Identifier: MIT

public import HTTPTypes
public import RestClient
import RestEssentials

/// A request as the server received it.
public struct LoopbackRequest: Sendable {
    /// The number of the request on this server, from 1, in the order in which heads arrived.
    public let number: Int
    /// The number of the connection, from 1.
    ///
    /// Requests with the same number shared a connection.
    public let connection: Int
    /// The HTTP version.
    public let version: RawResponse.HTTPVersion
    /// The method.
    public let method: HTTPRequest.Method
    /// The request target as it was sent: path and query, not decoded.
    public let target: String
    /// The host and port of the request: `Host` in HTTP/1.1, `:authority` in HTTP/2.
    public let authority: String?
    /// The header lines as they were sent, without the pseudo-headers of HTTP/2.
    public let headers: LoopbackHeaders
    /// The body; empty if there was none, or if the handler was called before the body.
    public internal(set) var body: [UInt8] = []
    /// The trailers.
    public internal(set) var trailers = LoopbackHeaders()
    /// The values of the placeholders of the route's pattern, decoded.
    public internal(set) var parameters: [String: String] = [:]

    /// The target's path, as it was sent.
    public var path: String {
        String(Substring(target.utf8.prefix { $0 != UInt8(ascii: "?") }))
    }

    /// The target's query, as it was sent, without the question mark; `nil` if there is none.
    public var query: String? {
        HTTPURL.query(of: target).map { String($0) }
    }

    /// The names and values of the query in order, decoded, with `+` as a space.
    ///
    /// An item without an equals sign has an empty value.
    public var queryItems: [(name: String, value: String)] {
        QueryItems.decode(query ?? "", plusIsSpace: true)
    }

    /// The body as UTF-8 text, with invalid bytes replaced.
    public var text: String {
        String(decoding: body, as: UTF8.self)
    }
}

extension LoopbackRequest: CustomStringConvertible, CustomReflectable {
    /// The request line and where it came from, for a test's failure message.
    public var description: String {
        let line = MessageText.of("#\(number) \(method.rawValue) \(Redaction.url(target)) \(version.rawValue)")
        return "\(line) (connection \(connection), \(body.count) bytes)"
    }

    /// The description and the header fields, with secrets masked, for `dump` and other uses of reflection.
    public var customMirror: Mirror { Redaction.mirror(of: self, ["headers": headers.description]) }
}
