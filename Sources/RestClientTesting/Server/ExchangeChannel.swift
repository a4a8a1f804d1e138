// SPDX-License-Identifier: MIT

import NIOCore

/// The channel of requests and responses: an HTTP/1.1 connection, or one stream of HTTP/2.
struct ExchangeChannel: Sendable {
    let channel: NIOAsyncChannel<RequestPart, ResponsePart>
    /// Opens when the channel is closed.
    let closed: Gate
}
