// SPDX-License-Identifier: MIT

import NIOCore

enum RequestPart: Sendable {
    /// The request without its body.
    case head(LoopbackRequest)
    case body(ByteBuffer)
    case end(trailers: LoopbackHeaders)
}
