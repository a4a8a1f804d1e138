// SPDX-License-Identifier: MIT

import NIOCore
import NIOHTTP1

/// Fails requests on a connection that did not agree on HTTP/2, if the transport requires it.
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
        // Later, as the writer is not prepared for an error before the write returns.
        context.eventLoop.execute {
            let (refusal, context) = bound.value
            refusal.tell(context)
            context.close(promise: nil)
        }
    }

    /// Reports the refusal if that has not happened: a failed write may close the connection before, and its end must not be
    /// taken for the server's.
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
}
