// SPDX-License-Identifier: MIT

/// The body of a response: nothing, bytes, or pieces written one after another.
public enum LoopbackBody: Sendable {
    /// No body.
    case empty
    /// All bytes at once; HTTP/1.1 announces them with `Content-Length`.
    case bytes([UInt8])
    /// Bytes as they are written, each write sent at once; HTTP/1.1 sends each as a chunk of its own.
    ///
    /// An error thrown here cuts the body off: the connection, or the HTTP/2 stream, is closed.
    case stream(@Sendable (LoopbackBodyWriter) async throws -> Void)

    /// A piece of a body that is sent in several.
    public enum Chunk: Sendable, ExpressibleByStringLiteral {
        /// Bytes, sent at once.
        case bytes([UInt8])
        /// Nothing is sent until the gate lets the response pass.
        case wait(Gate)

        /// Creates a piece from a literal, as UTF-8.
        ///
        /// - Parameter value: The text to send.
        public init(stringLiteral value: String) {
            self = .bytes(Array(value.utf8))
        }
    }

    /// Text, as UTF-8, all at once.
    ///
    /// - Parameter text: The text.
    /// - Returns: The body.
    public static func text(_ text: String) -> Self {
        .bytes(Array(text.utf8))
    }

    /// Pieces sent one after another, with gates between them where the test wants to stop.
    ///
    /// - Parameter chunks: The pieces, first to last.
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
