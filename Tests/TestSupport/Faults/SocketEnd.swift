// SPDX-License-Identifier: MIT

import NIOCore
import NIOSSL

/// Ends the connections of a fault server at their sockets, whatever protocols lie above.
enum SocketEnd {
    /// Closes the socket of a connection; TLS is not closed.
    static func cut(_ context: ChannelHandlerContext) {
        // The handler of TLS would send its `close_notify` first; a close from its place begins behind it.
        let tls = try? context.channel.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
        (tls ?? context).close(promise: nil)
    }

    /// Resets a connection.
    static func reset(_ context: ChannelHandlerContext) {
        SocketReset.prepare(context.channel).assumeIsolated().whenComplete { _ in Self.cut(context) }
    }
}
