// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

import AsyncHTTPClient
import NIOHTTP1
import Synchronization

/// Caches the parsed URLs of recent requests: a client often uses the same URLs, and AsyncHTTPClient parses the URL of
/// each request twice.
///
/// A URL with a query is not cached, because it may contain a secret and is seldom used again.
final class ParsedURLs: Sendable {
    private static let limit = 128

    private let messages = Mutex<[String: HTTPClient.Request]>([:])

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

#endif
