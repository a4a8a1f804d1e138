// SPDX-License-Identifier: MIT

import NIOCore
import NIOHTTP1
import NIOSSL

/// Rejects responses with a status below 100, which would make AsyncHTTPClient end the process; passes interim
/// responses on with the final one; and reports the end of a connection that was kept for the next request.
///
/// AsyncHTTPClient's state machine skips every head with a status below 200 as an informational one, and then traps
/// because a response ends without a head. A server must not be able to cause that.
final class StatusGuard: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private var hasRefused = false
    private var interim: [InterimResponse] = []
    /// When the connection was ready; `nil` once an exchange has reported it.
    private var birth: NIODeadline?
    /// True if a response was read to its end, and no part of the next one.
    private var isKept = false

    init(birth: NIODeadline?) {
        self.birth = birth
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasRefused else {
            return
        }
        let part = unwrapInboundIn(data)
        if case .end = part {
            isKept = true
        }
        guard case .head(let head) = part else {
            context.fireChannelRead(data)
            return
        }
        isKept = false
        guard head.status.code < 200 || !interim.isEmpty || birth != nil else {
            context.fireChannelRead(data)
            return
        }
        switch head.status.code {
        case ..<100:
            hasRefused = true
            context.fireErrorCaught(HTTPParserError.invalidStatus)
            context.close(promise: nil)
            return
        case 100, 102..<200:
            interim = InterimLines.appending(head, to: interim)
            context.fireChannelRead(data)
        default:
            var marked = InterimLines.marked(head, with: interim)
            interim = []
            if let birth {
                ConnectionBirth.mark(&marked, with: birth)
                self.birth = nil
            }
            context.fireChannelRead(wrapInboundOut(.head(marked)))
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if isKept {
            isKept = false
            context.fireErrorCaught(StaleConnection(underlying: nil))
        }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let isCut = isKept && (error is IOError || error is ChannelError || error is NIOSSLError)
        isKept = isKept && !isCut
        context.fireErrorCaught(isCut ? StaleConnection(underlying: error) : error)
    }
}
