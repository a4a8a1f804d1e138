// SPDX-License-Identifier: MIT

import NIOCore
import NIOHTTP1

/// Keeps requests off a connection that did not agree on HTTP/2, when nothing else is wanted.
final class HTTP1Refusal: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart

    private var hasRefused = false
    private var hasTold = false

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        promise?.fail(HTTP2Required())
        guard !hasRefused else {
            return
        }
        hasRefused = true
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        // Later, as whoever writes is not prepared to hear of an error before the write returns.
        context.eventLoop.execute {
            let (refusal, context) = bound.value
            refusal.tell(context)
            context.close(promise: nil)
        }
    }

    /// A failed write may close the connection before the refusal is told: then its end must not be taken for the server's.
    func channelInactive(context: ChannelHandlerContext) {
        if hasRefused {
            tell(context)
        }
        context.fireChannelInactive()
    }

    private func tell(_ context: ChannelHandlerContext) {
        if !hasTold {
            hasTold = true
            context.fireErrorCaught(HTTP2Required())
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
