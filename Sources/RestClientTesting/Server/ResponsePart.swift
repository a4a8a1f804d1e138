// SPDX-License-Identifier: MIT

import NIOCore

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
