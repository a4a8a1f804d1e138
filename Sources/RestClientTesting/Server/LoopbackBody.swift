// SPDX-License-Identifier: MIT

/// The body of a response: none, bytes, or chunks that are written one after another.
public enum LoopbackBody: Sendable {
    /// No body.
    case empty
    /// All bytes at once, which HTTP/1.1 announces with `Content-Length`.
    case bytes([UInt8])
    /// Bytes that are sent as they are written.
    ///
    /// HTTP/1.1 sends each write as a chunk.
    ///
    /// If the closure throws, the body is cut off: the connection or the HTTP/2 stream is closed.
    case stream(@Sendable (LoopbackBodyWriter) async throws -> Void)

    /// A chunk of a streamed body.
    public enum Chunk: Sendable, ExpressibleByStringLiteral {
        /// Bytes to send.
        case bytes([UInt8])
        /// A pause until the gate lets the response pass.
        case wait(Gate)

        /// Creates a chunk from a literal, as UTF-8.
        ///
        /// - Parameter value: The text to send.
        public init(stringLiteral value: String) {
            self = .bytes(Array(value.utf8))
        }
    }

    /// Returns a body of UTF-8 text.
    ///
    /// - Parameter text: The text.
    /// - Returns: The body.
    public static func text(_ text: String) -> Self {
        .bytes(Array(text.utf8))
    }

    /// Returns a body of chunks that are sent one after another, with gates where the test wants to stop.
    ///
    /// - Parameter chunks: The chunks, first to last.
    /// - Returns: The body.
    public static func chunks(_ chunks: [Chunk]) -> Self {
        .stream { writer in
            for chunk in chunks {
                switch chunk {
                case .bytes(let bytes): try await writer.write(bytes)
                case .wait(let gate): try await gate.wait()
                }
            }
        }
    }
}
