// SPDX-License-Identifier: MIT

import NIOCore
import NIOSSL
import NIOTLS

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Puts what comes on a connection into its inbox.
final class LoopbackInboxHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let inbox: Monitor<LoopbackInbox>

    init(inbox: Monitor<LoopbackInbox>) {
        self.inbox = inbox
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        inbox.update { inbox in inbox.append(bytes.readableBytesView) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let negotiatedProtocol)? = event as? TLSUserEvent {
            inbox.update { inbox in inbox.finishHandshake(negotiatedProtocol: negotiatedProtocol) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let isReset = (error as? IOError)?.errnoCode == ECONNRESET
        let reason: LoopbackConnectionError = isReset ? .reset : .failed(reason: String(describing: error))
        inbox.update { inbox in inbox.fail(reason) }
        context.close(promise: nil)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        inbox.update { inbox in inbox.end() }
    }
}
