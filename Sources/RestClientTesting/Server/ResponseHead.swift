// SPDX-License-Identifier: MIT

/// The start of a response, with every header line it is sent with.
struct ResponseHead: Hashable, Sendable {
    var status: Int
    var reason: String?
    var headers: LoopbackHeaders
    /// Whether HTTP/1.1 sends each piece of the body as a chunk.
    var isChunked: Bool
    /// Whether no body follows, so that HTTP/2 ends the stream here.
    var isWholeAnswer: Bool
}
