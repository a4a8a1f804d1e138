// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

import NIOHTTP1

/// A response that arrives before the body of its request was sent, and makes the rest of the body unnecessary.
enum EarlyResponse {
    /// Returns the number of bytes of an early response; `nil` if the body must still be sent, or the number is
    /// unknown.
    static func length(of head: HTTPResponseHead, isHead: Bool) -> Int? {
        guard head.status.code >= 300 else {
            return nil
        }
        guard !isHead, head.status != .notModified else {
            return 0
        }
        return head.headers.first(name: "Content-Length").flatMap { Int($0) }
    }
}

#endif
