// SPDX-License-Identifier: MIT
import NIOCore

/// What a codec turns into bytes or frames.
enum ResponsePart: Sendable {
    case informational(LoopbackResponse.Informational)
    case head(ResponseHead)
    case body(ByteBuffer)
    case end(trailers: LoopbackHeaders)
    /// Bytes for the connection, verbatim.
    case raw(ByteBuffer)
    /// Ends the connection or the stream, once everything before has been sent.
    case finish(LoopbackResponse.Ending)
}
