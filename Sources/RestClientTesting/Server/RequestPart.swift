// SPDX-License-Identifier: MIT
import NIOCore

/// What a codec makes of the bytes or frames that come in.
enum RequestPart: Sendable {
    /// The request without its body.
    case head(LoopbackRequest)
    case body(ByteBuffer)
    case end(trailers: LoopbackHeaders)
}
