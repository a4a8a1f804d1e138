// SPDX-License-Identifier: MIT

import AsyncHTTPClient
import NIOHTTP1
import Synchronization

/// Remembers what the URLs of recent requests were parsed to: a client asks the same places again and again, and AsyncHTTPClient
/// parses the URL of each request twice.
///
/// A URL with a query is not remembered. It may hold a secret, and it is seldom asked for again.
final class ParsedURLs: Sendable {
    /// How many are remembered before all are forgotten.
    private static let limit = 128

    private let messages = Mutex<[String: HTTPClient.Request]>([:])

    /// A message to a URL, without header fields and body.
    ///
    /// - Throws: `HTTPClientError` when the URL is none that can be sent to.
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
