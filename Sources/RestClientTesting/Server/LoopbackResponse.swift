// SPDX-License-Identifier: MIT

/// What the server answers, right or wrong.
///
/// Start from one of the factories and change what the test needs:
///
/// ```swift
/// .json(#"{"id": 1}"#)
/// .status(503, headers: ["Retry-After": "1"])
/// .chunks(["first", .wait(gate), "second"])
/// .text("hello").encoded(.gzip).preceded(by: 103, headers: ["Link": "</a.css>"])
/// .text("half a bo").claimingLength(100)   // a body cut off
/// .reset                                   // the connection, before any response
/// .raw("HTTP/1.1 abc\r\n\r\n")             // whatever is no HTTP
/// ```
///
/// A value is sent as it is: names, values and lengths are not checked, so that a client's handling of bad ones can be
/// tested.
public struct LoopbackResponse: Sendable {
    /// What happens after the last byte of the response.
    public enum Ending: Sendable {
        /// The response ends as its protocol wants it, and the connection is kept if the client wishes.
        case complete
        /// The connection is closed, the end of the response not being sent.
        case close
        /// The connection is reset (a TCP RST), which may overtake bytes that the client has not read.
        case reset
        /// The HTTP/2 stream is reset with this error code, the connection stays; HTTP/1.1 resets the connection.
        case resetStream(code: Int)
        /// Nothing more comes, and the connection stays until the client or the server closes it.
        case stall
    }

    /// A response with a status of its own sent ahead of the final one.
    public struct Informational: Sendable {
        /// The status, 100 to 199.
        public var status: Int
        /// The header lines.
        public var headers: LoopbackHeaders

        /// Creates an informational answer.
        ///
        /// - Parameters:
        ///   - status: The status, 100 to 199.
        ///   - headers: The header lines. The default is none.
        public init(status: Int, headers: LoopbackHeaders = [:]) {
            self.status = status
            self.headers = headers
        }
    }

    /// How the response starts.
    enum Opening: Sendable {
        case head
        case nothing
        case raw([UInt8])
    }

    /// The status code.
    public var status: Int
    /// The words after the status code in HTTP/1.1; `nil` means the usual ones.
    public var reason: String?
    /// The header lines; those that frame the body are added unless they are here.
    public var headers: LoopbackHeaders
    /// The body.
    public var body: LoopbackBody
    /// The header lines after the body; in HTTP/1.1 they need a streamed body.
    public var trailers = LoopbackHeaders()
    /// The responses ahead of the final one.
    public var informational: [Informational] = []
    /// How the body is encoded on its way.
    public var contentEncoding: LoopbackContentEncoding?
    /// What happens after the last byte.
    public var ending = Ending.complete
    /// The gate that holds the response back.
    public var gate: Gate?

    var opening = Opening.head

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - status: The status code. The default is 200.
    ///   - headers: The header lines. The default is none.
    ///   - body: The body. The default is none.
    public init(status: Int = 200, headers: LoopbackHeaders = [:], body: LoopbackBody = .empty) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
