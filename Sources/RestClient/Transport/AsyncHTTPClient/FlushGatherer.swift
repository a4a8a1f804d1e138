// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

import NIOCore

/// Gathers what the streams of a connection write in one turn of its event loop, and flushes it once.
///
/// Each stream flushes its own request, which would be a record of TLS and a write to the socket for each. The flush
/// waits only for tasks that the event loop had before.
final class FlushGatherer: ChannelOutboundHandler {
    typealias OutboundIn = Any

    private var isPending = false

    func flush(context: ChannelHandlerContext) {
        guard !isPending else {
            return
        }
        isPending = true
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.execute {
            let (gatherer, context) = bound.value
            gatherer.flushPending(context)
        }
    }

    /// Flushes before the connection is closed, which would drop what waits.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        flushPending(context)
        context.close(mode: mode, promise: promise)
    }

    private func flushPending(_ context: ChannelHandlerContext) {
        if isPending {
            isPending = false
            context.flush()
        }
    }
}

#endif
