// SPDX-License-Identifier: MIT

import NIOHTTP1

/// A response that comes before the body of its request was sent, and says that the rest of it is not wanted.
enum EarlyResponse {
    /// Returns the number of bytes of an early response; `nil` if the body is to be sent all the same, or the number is
    /// not known.
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
