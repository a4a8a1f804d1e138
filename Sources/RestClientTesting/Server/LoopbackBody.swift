// SPDX-License-Identifier: MIT

enum LoopbackBody: Sendable {
    case empty
    /// All bytes at once, which HTTP/1.1 announces with `Content-Length`.
    case bytes([UInt8])
    /// HTTP/1.1 sends each write as a chunk. If the closure throws, the connection or the HTTP/2 stream is closed.
    case stream(@Sendable (LoopbackBodyWriter) async throws -> Void)
}
