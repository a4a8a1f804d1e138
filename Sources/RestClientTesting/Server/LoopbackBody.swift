// SPDX-License-Identifier: MIT

/// The body of a response: none, bytes, or chunks that are written one after another.
enum LoopbackBody: Sendable {
    case empty
    /// All bytes at once, which HTTP/1.1 announces with `Content-Length`.
    case bytes([UInt8])
    /// Bytes that are sent as they are written.
    ///
    /// HTTP/1.1 sends each write as a chunk. If the closure throws, the body is cut off: the connection or the HTTP/2
    /// stream is closed.
    case stream(@Sendable (LoopbackBodyWriter) async throws -> Void)
}
