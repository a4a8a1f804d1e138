// SPDX-License-Identifier: MIT

import NIOCore

/// Gives access to a connection's handler from any thread.
struct ConnectionHandle: Sendable {
    private let handler: NIOLoopBound<ConnectionHandler>

    /// Call this on the connection's event loop.
    init(_ handler: ConnectionHandler, eventLoop: any EventLoop) {
        self.handler = NIOLoopBound(handler, eventLoop: eventLoop)
    }

    func run(_ action: @escaping @Sendable (ConnectionHandler) -> Void) {
        let handler = handler
        if handler.eventLoop.inEventLoop {
            action(handler.value)
        } else {
            handler.eventLoop.execute { action(handler.value) }
        }
    }
}
