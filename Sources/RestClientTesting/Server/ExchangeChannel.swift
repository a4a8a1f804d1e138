// SPDX-License-Identifier: MIT
import NIOCore

/// What requests come from and answers go to: an HTTP/1.1 connection, or one stream of HTTP/2.
struct ExchangeChannel: Sendable {
    let channel: NIOAsyncChannel<RequestPart, ResponsePart>
    /// Opens when the channel is gone.
    let closed: Gate
}
