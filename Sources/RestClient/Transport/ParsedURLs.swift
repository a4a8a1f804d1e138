// SPDX-License-Identifier: MIT

import AsyncHTTPClient
import NIOHTTP1
import Synchronization

/// Remembers the parsed URLs of recent requests: a client uses the same URLs again and again, and AsyncHTTPClient
/// parses the URL of each request twice.
///
/// A URL with a query is not remembered. It may hold a secret, and is seldom used again.
final class ParsedURLs: Sendable {
    /// How many URLs are remembered before all are forgotten.
    private static let limit = 128

    private let messages = Mutex<[String: HTTPClient.Request]>([:])

    /// Returns a message to a URL, without header fields and body.
    ///
    /// - Throws: `HTTPClientError` if the URL is not a valid request URL.
    func message(to url: String, method: HTTPMethod) throws -> HTTPClient.Request {
        if let message = messages.withLock({ $0[url] }), message.method == method {
            return message
        }
        let message = try HTTPClient.Request(url: url, method: method)
        if !url.utf8.contains(UInt8(ascii: "?")) {
            messages.withLock { messages in
                if messages.count >= Self.limit {
                    messages.removeAll(keepingCapacity: true)
                }
                messages[url] = message
            }
        }
        return message
    }
}
