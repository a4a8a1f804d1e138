// SPDX-License-Identifier: MIT

import NIOCore
import NIOTLS

/// The handler between TLS and HTTP: it logs failed handshakes, and writes raw bytes to HTTP/2 connections.
final class TransportTap: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let connection: Int
    private let log: Monitor<ServerLog>
    private var isSecured = false
    private var context: ChannelHandlerContext?

    init(connection: Int, log: Monitor<ServerLog>) {
        self.connection = connection
        self.log = log
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent {
            isSecured = true
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Logs errors of the handshake; later ones are sockets that were closed without closing TLS.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if !isSecured {
            let event = LoopbackEvent.connectionFailed(connection: connection, reason: String(describing: error))
            log.note(event)
        }
        context.close(promise: nil)
    }

    func write(_ bytes: ByteBuffer, promise: EventLoopPromise<Void>?) {
        guard let context else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        context.writeAndFlush(NIOAny(bytes), promise: promise)
    }
}
