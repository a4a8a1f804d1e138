// SPDX-License-Identifier: MIT

import NIOCore

/// The channel of requests and responses: an HTTP/1.1 connection, or one stream of HTTP/2.
struct ExchangeChannel: Sendable {
    let channel: NIOAsyncChannel<RequestPart, ResponsePart>
    /// Opens when the channel is closed.
    let closed: Gate
}

enum RequestPart: Sendable {
    /// The request without its body.
    case head(LoopbackRequest)
    case body(ByteBuffer)
    case end(trailers: LoopbackHeaders)
}

/// A part of a response, encoded by a codec.
enum ResponsePart: Sendable {
    case informational(LoopbackResponse.Informational)
    case head(ResponseHead)
    case body(ByteBuffer)
    case end(trailers: LoopbackHeaders)
    /// Bytes for the connection, verbatim.
    case raw(ByteBuffer)
    /// Ends the connection or the stream after all previous parts have been sent.
    case finish(LoopbackResponse.Ending)
}
