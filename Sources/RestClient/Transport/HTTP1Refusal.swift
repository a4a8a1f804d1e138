// SPDX-License-Identifier: MIT

import NIOCore
import NIOHTTP1

/// Keeps requests off a connection that did not agree on HTTP/2, when nothing else is wanted.
final class HTTP1Refusal: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequestPart

    private var hasRefused = false

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        promise?.fail(HTTP2Required())
        guard !hasRefused else {
            return
        }
        hasRefused = true
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        // Later, as whoever writes is not prepared to hear of an error before the write returns.
        context.eventLoop.execute {
            bound.value.fireErrorCaught(HTTP2Required())
            bound.value.close(promise: nil)
        }
    }

    /// Puts the handler on a connection, between the one that makes requests and the one that encodes them.
    static func install<Decoder: ChannelHandler>(behind decoder: Decoder.Type, on channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        let position = ChannelPipeline.SynchronousOperations.Position.after(try pipeline.handler(type: decoder))
        try pipeline.addHandler(HTTP1Refusal(), position: position)
    }
}

/// Why a connection is not used.
struct HTTP2Required: Error {}
