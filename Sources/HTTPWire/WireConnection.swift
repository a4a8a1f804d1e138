// SPDX-License-Identifier: MIT

import NIOCore

/// A connection, as any thread may name it.
final class WireConnection: Sendable {
    let birth = NIODeadline.now()
    let eventLoop: any EventLoop
    /// True if the connection carries many exchanges at once.
    let isShared: Bool
    /// The steps by which it was made.
    let steps: WireSteps
    private let handler: NIOLoopBound<any ExchangeCarrier>

    /// Creates the name of a connection, on its event loop.
    init(_ handler: any ExchangeCarrier, isShared: Bool, on eventLoop: any EventLoop, _ steps: WireSteps = WireSteps())
    {
        self.eventLoop = eventLoop
        self.isShared = isShared
        self.steps = steps
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

    /// Sends the chunks of an exchange's body that have come.
    func sendChunks(of exchange: WireExchange) {
        eventLoop.execute {
            self.handler.value.sendChunks(of: exchange)
        }
    }

    /// Reads on, unless the connection carries another exchange by now.
    func resumeReading(of exchange: WireExchange) {
        eventLoop.execute {
            self.handler.value.resumeReading(of: exchange)
        }
    }
}
