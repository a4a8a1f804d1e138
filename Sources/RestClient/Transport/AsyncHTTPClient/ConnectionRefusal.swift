// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

import NIOCore

/// Fails the requests of a connection, or of a stream, with an error that explains why it is not used.
///
/// It is the first handler of its pipeline, so it depends on no other one: nothing is sent or read. AsyncHTTPClient
/// must not receive a failure before it has a request, because that ends the process.
final class ConnectionRefusal: ChannelDuplexHandler {
    typealias InboundIn = Any
    typealias OutboundIn = Any

    private let reason: any Error
    private var hasRefused = false
    private var hasTold = false

    init(_ reason: any Error) {
        self.reason = reason
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        promise?.fail(reason)
        guard !hasRefused else {
            return
        }
        hasRefused = true
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        // Delayed, because the writer is not prepared for an error before the write returns.
        context.eventLoop.execute {
            let (refusal, context) = bound.value
            refusal.tell(context)
            context.close(promise: nil)
        }
    }

    /// Reports the rejection if that has not happened: a failed write may close the connection earlier, and its end
    /// must not be attributed to the server.
    func channelInactive(context: ChannelHandlerContext) {
        if hasRefused {
            tell(context)
        }
        context.fireChannelInactive()
    }

    private func tell(_ context: ChannelHandlerContext) {
        if !hasTold {
            hasTold = true
            context.fireErrorCaught(reason)
        }
    }
}

#endif
