// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

import NIOCore
import NIOHTTP2

/// Closes an HTTP/2 connection that failed, and logs the failure.
final class HTTP2FailureHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    private let connection: Int
    private let log: Monitor<ServerLog>

    init(connection: Int, log: Monitor<ServerLog>) {
        self.connection = connection
        self.log = log
    }

    /// Closes the connection; an error in one stream does not affect the others.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !(error is NIOHTTP2Errors.StreamError) else {
            return
        }
        let event = LoopbackEvent.connectionFailed(connection: connection, reason: String(describing: error))
        log.note(event)
        context.close(promise: nil)
    }
}

#endif
