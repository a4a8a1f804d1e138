// SPDX-License-Identifier: MIT

public import RestClient

/// A response of the server, valid or not.
///
/// Start with one of the factories and change what the test needs:
///
/// ```swift
/// .json(#"{"id": 1}"#)
/// .status(503, headers: ["Retry-After": "1"])
/// .chunks(["first", .wait(gate), "second"])
/// .text("hello").encoded(.gzip).preceded(by: 103, headers: ["Link": "</a.css>"])
/// .text("half a bo").claimingLength(100)   // a body cut off
/// .reset                                   // the connection, before any response
/// .raw("HTTP/1.1 abc\r\n\r\n")             // malformed
/// ```
///
/// Names, values and lengths are not checked, so that a client's handling of invalid ones can be tested.
public struct LoopbackResponse: Sendable {
    /// The end of an exchange, after the last byte of the response.
    public enum Ending: Sendable {
        /// The response is ended as its protocol requires, and the connection is kept alive if the client wants it.
        case complete
        /// The connection is closed without the end of the response.
        case close
        /// The socket is closed as after ``close``, but TLS is not: there is no `close_notify`.
        case cut
        /// The connection is reset (TCP RST), which may discard bytes that the client has not read.
        case reset
        /// The HTTP/2 stream is reset with this error code. HTTP/1.1 resets the connection.
        case resetStream(code: Int)
        /// Nothing more is sent, and the connection stays open until the client or the server closes it.
        case stall
    }

    /// A chunk of a response's body.
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

    struct Informational: Sendable {
        var status: Int
        var headers = LoopbackHeaders()
    }

    enum Opening: Sendable {
        case head
        case nothing
        case raw([UInt8])
    }

    var status: Int
    /// The reason phrase of HTTP/1.1; the standard one if `nil`.
    package var reason: String?
    /// Those that frame the body are added if they are missing.
    package var headers: LoopbackHeaders
    var body: LoopbackBody
    /// HTTP/1.1 requires a streamed body for them.
    var trailers = LoopbackHeaders()
    var informational: [Informational] = []
    var contentEncoding: LoopbackContentEncoding?
    package var ending = Ending.complete
    var gate: Gate?
    var opening = Opening.head

    init(status: Int = 200, headers: LoopbackHeaders = [:], body: LoopbackBody = .empty) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

extension LoopbackResponse: MirroredByDescription {
    /// The status and the header fields, with secrets masked.
    public var description: String { "\(status)\n\(headers)" }
}

enum LoopbackBody: Sendable {
    case empty
    /// All bytes at once, which HTTP/1.1 announces with `Content-Length`.
    case bytes([UInt8])
    /// HTTP/1.1 sends each write as a chunk. If the closure throws, the connection or the HTTP/2 stream is closed.
    case stream(@Sendable (LoopbackBodyWriter) async throws -> Void)
}

/// Writes the chunks of a streamed body.
public struct LoopbackBodyWriter: Sendable {
    private let send: @Sendable ([UInt8]) async throws -> Void

    init(send: @escaping @Sendable ([UInt8]) async throws -> Void) {
        self.send = send
    }

    /// Sends bytes as a chunk.
    ///
    /// - Parameter bytes: The bytes. Nothing is sent if there are none.
    /// - Throws: An error if the connection is closed, or `CancellationError` if the client or the server ended it.
    public func write(_ bytes: [UInt8]) async throws {
        try await send(bytes)
    }

    /// Sends UTF-8 text as a chunk.
    ///
    /// - Parameter text: The text.
    /// - Throws: An error if the connection is closed, or `CancellationError` if the client or the server ended it.
    public func write(_ text: String) async throws {
        try await send(Array(text.utf8))
    }
}
