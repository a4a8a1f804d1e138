// SPDX-License-Identifier: MIT

import NIOCore

/// A connection, as any thread may name it.
final class WireConnection: Sendable {
    let birth = NIODeadline.now()
    let eventLoop: any EventLoop
    private let handler: NIOLoopBound<ConnectionHandler>

    /// Creates the name of a connection, on its event loop.
    init(_ handler: ConnectionHandler, on eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        self.handler = NIOLoopBound(handler, eventLoop: eventLoop)
    }

    /// Starts an exchange, from any thread.
    func start(_ exchange: WireExchange) {
        eventLoop.execute {
            self.handler.value.start(exchange)
        }
    }

    /// Closes the connection if it still carries an exchange.
    func abandon(_ exchange: WireExchange) {
        eventLoop.execute {
            self.handler.value.abandon(exchange)
        }
    }

    /// Closes the connection unless it carries an exchange.
    func closeIfIdle() {
        eventLoop.execute {
            self.handler.value.closeIfIdle()
        }
    }

    /// Sends a chunk of an exchange's body; the continuation is resumed when there is room for another one.
    func write(_ chunk: ByteBuffer, of exchange: WireExchange, _ room: CheckedContinuation<Void, any Error>) {
        eventLoop.execute {
            self.handler.value.write(chunk, of: exchange, room)
        }
    }

    /// Ends the body of an exchange.
    func endBody(of exchange: WireExchange) {
        eventLoop.execute {
            self.handler.value.endBody(of: exchange)
        }
    }

    /// Reads on, unless the connection carries another exchange by now.
    func resumeReading(of exchange: WireExchange) {
        eventLoop.execute {
            self.handler.value.resumeReading(of: exchange)
        }
    }
}
