// SPDX-License-Identifier: MIT

import NIOCore

/// A part of a request, decoded by a codec.
enum RequestPart: Sendable {
    /// The request without its body.
    case head(LoopbackRequest)
    case body(ByteBuffer)
    case end(trailers: LoopbackHeaders)
}
