// SPDX-License-Identifier: MIT

import NIOCore
import NIOTLS

/// The handler between TLS and HTTP: it logs failed handshakes, and writes raw bytes to HTTP/2 connections.
final class TransportTap: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    let connection: ConnectionHandler
    private var isSecured = false
    private var context: ChannelHandlerContext?

    init(_ connection: ConnectionHandler) {
        self.connection = connection
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
            connection.noteFailure(String(describing: error))
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
