// SPDX-License-Identifier: MIT
import NIOCore
import NIOHTTP2

/// Ends an HTTP/2 connection that has gone wrong, and tells of it.
final class HTTP2FailureHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    private let connection: Int
    private let log: Monitor<ServerLog>

    init(connection: Int, log: Monitor<ServerLog>) {
        self.connection = connection
        self.log = log
    }

    /// What goes wrong in one stream leaves the others alone.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !(error is NIOHTTP2Errors.StreamError) else {
            return
        }
        let event = LoopbackEvent.connectionFailed(connection: connection, reason: String(describing: error))
        log.update { log in log.append(event) }
        context.close(promise: nil)
    }
}
