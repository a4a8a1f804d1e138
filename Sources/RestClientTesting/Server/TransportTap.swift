// SPDX-License-Identifier: MIT
import NIOCore
import NIOTLS

/// Stands between TLS and HTTP: tells of handshakes that fail, and writes bytes that are no HTTP/2.
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

    /// After the handshake these are sockets that went away without TLS's goodbye: the end of the connection tells that.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if !isSecured {
            let event = LoopbackEvent.connectionFailed(connection: connection, reason: String(describing: error))
            log.update { log in log.append(event) }
        }
        context.close(promise: nil)
    }

    /// Writes bytes as they are.
    func write(_ bytes: ByteBuffer, promise: EventLoopPromise<Void>?) {
        guard let context else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        context.writeAndFlush(NIOAny(bytes), promise: promise)
    }
}
