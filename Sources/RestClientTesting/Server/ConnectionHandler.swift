// SPDX-License-Identifier: MIT

package import NIOCore
import RestEssentials

/// The handler next to the socket: it counts the connection, and ends it without involving TLS or HTTP/2.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    let number: Int
    let core: ServerCore
    private var context: ChannelHandlerContext?

    init(number: Int, core: ServerCore) {
        self.number = number
        self.core = core
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        core.connectionEnded(number)
    }

    /// Closes in order: pending output is sent, and TLS is closed.
    func close() {
        context?.channel.close(promise: nil)
    }

    /// Closes the socket immediately.
    func abandon() {
        context?.close(promise: nil)
    }

    func reset() {
        guard let context else {
            return
        }
        SocketReset.prepare(context.channel)
            .assumeIsolated()
            .whenComplete { _ in self.abandon() }
    }

    /// Ends the connection as a response requires, after what was sent.
    func end(_ ending: LoopbackResponse.Ending, after sent: EventLoopFuture<Void>.Isolated) {
        switch ending {
        case .complete, .stall: break
        case .close: sent.whenComplete { _ in self.close() }
        case .cut: sent.whenComplete { _ in self.abandon() }
        case .reset, .resetStream: sent.whenComplete { _ in self.reset() }
        }
    }

    func noteFailure(_ reason: String) {
        core.log.note(.connectionFailed(connection: number, reason: reason))
    }
}

package enum SocketReset {
    /// Sets the linger time of a socket to zero, so that closing it sends RST instead of FIN.
    package static func prepare(_ channel: any Channel) -> EventLoopFuture<Void> {
        guard let options = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        return options.setSoLinger(linger(l_onoff: 1, l_linger: 0))
    }
}
