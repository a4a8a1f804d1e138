// SPDX-License-Identifier: MIT

import NIOCore

/// Fails the requests of a connection, or of a stream, with an error that says why it is not used.
///
/// It is the first handler of its pipeline, so that it depends on no other one: nothing leaves, and nothing is read.
/// AsyncHTTPClient must not be told of a failure before it has a request: that ends the process.
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
        // Later, as the writer is not prepared for an error before the write returns.
        context.eventLoop.execute {
            let (refusal, context) = bound.value
            refusal.tell(context)
            context.close(promise: nil)
        }
    }

    /// Reports the refusal if that has not happened: a failed write may close the connection before, and its end must
    /// not be taken for the server's.
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
