// SPDX-License-Identifier: MIT

/// The head of a response, with every header line that is sent.
struct ResponseHead: Hashable, Sendable {
    var status: Int
    var reason: String?
    var headers: LoopbackHeaders
    /// True if HTTP/1.1 sends the body in chunks.
    var isChunked: Bool
    /// True if no body follows, so that HTTP/2 ends the stream here.
    var isWholeResponse: Bool
}
