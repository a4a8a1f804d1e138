// SPDX-License-Identifier: MIT

/// A request as the server received it.
public struct LoopbackRequest: Sendable {
    /// The version of HTTP a request came in.
    public enum Version: String, Sendable {
        /// HTTP/1.0.
        case http10 = "HTTP/1.0"
        /// HTTP/1.1.
        case http11 = "HTTP/1.1"
        /// HTTP/2.
        case http2 = "HTTP/2"
    }

    /// The request's number on this server, from 1, in the order in which the heads arrived.
    public let number: Int
    /// The number of the connection it came on, from 1: two requests with the same number shared a connection.
    public let connection: Int
    /// The version of HTTP it came in.
    public let version: Version
    /// The method.
    public let method: LoopbackMethod
    /// The request target as sent: path and query, not decoded.
    public let target: String
    /// The host and port that the request names: `Host` in HTTP/1.1, `:authority` in HTTP/2.
    public let authority: String?
    /// The header lines as sent, without the pseudo headers of HTTP/2.
    public let headers: LoopbackHeaders
    /// The body; empty when there was none, or when the handler answers before the body.
    public internal(set) var body: [UInt8] = []
    /// The header lines after the body.
    public internal(set) var trailers = LoopbackHeaders()
    /// What the placeholders of the route's pattern stand for, percent-decoded.
    public internal(set) var parameters: [String: String] = [:]

    /// The target's path, as sent: everything before the question mark.
    public var path: String {
        String(target.prefix { character in character != "?" })
    }

    /// The target's query, as sent, without the question mark; `nil` when there is no question mark.
    public var query: String? {
        target.firstIndex(of: "?").map { index in String(target[target.index(after: index)...]) }
    }

    /// The query's names and values in their order, percent-decoded, with `+` read as a space.
    ///
    /// A part without an equals sign has an empty value.
    public var queryItems: [(name: String, value: String)] {
        (query ?? "").split(separator: "&")
            .map { part in
                let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let decoded = pair.map { side in PercentCoding.decode(side, plusIsSpace: true) }
                return (name: decoded[0], value: decoded.count > 1 ? decoded[1] : "")
            }
    }

    /// The first item of that name in the query.
    ///
    /// - Parameter name: The name, decoded.
    /// - Returns: Its value, decoded; `nil` when there is no such item.
    public func queryValue(_ name: String) -> String? {
        queryItems.first { $0.name == name }?.value
    }

    /// The body read as UTF-8, with what is not UTF-8 replaced.
    public var text: String {
        String(decoding: body, as: UTF8.self)
    }
}

extension LoopbackRequest: CustomStringConvertible {
    /// The request line and where it came from, for a test's failure message.
    public var description: String {
        "#\(number) \(method) \(target) \(version.rawValue) (connection \(connection), \(body.count) bytes)"
    }
}
