// SPDX-License-Identifier: MIT

import NIOCore
import RestEssentials

/// Writing, and signs of life.
extension HTTP2Handler {
    /// Writes what has gathered once all that this turn of the event loop brings has been taken.
    func flushSoon(_ context: ChannelHandlerContext) {
        guard !isFlushing else {
            return
        }
        isFlushing = true
        context.eventLoop.assumeIsolated()
            .execute {
                self.isFlushing = false
                if let context = self.context {
                    self.flush(context)
                }
            }
    }

    /// Writes what has gathered.
    func flush(_ context: ChannelHandlerContext) {
        if let output = machine.takeOutput(isWritable: context.channel.isWritable) {
            context.writeAndFlush(wrapOutboundOut(output), promise: nil)
        }
    }

    // MARK: - While a response is owed

    /// Looks now and then whether the server is still there, as long as it owes a response.
    ///
    /// The timer outlives the exchanges, so that a connection with many short ones needs one timer.
    func startPulse(_ context: ChannelHandlerContext) {
        guard pulse == nil else {
            return
        }
        isSilent = true
        pulse = context.eventLoop.assumeIsolated()
            .scheduleTask(in: pool.configuration.pingInterval) {
                self.pulse = nil
                if !self.transfers.isEmpty, let context = self.context {
                    self.lookForLife(context)
                }
            }
    }

    private func lookForLife(_ context: ChannelHandlerContext) {
        if isSilent, machine.awaitsPing {
            return end(isReused ? WireFault.stale(underlying: nil) : WireFault.cut, context)
        }
        if isSilent {
            machine.ping()
            flush(context)
        }
        startPulse(context)
    }

    // MARK: - Before a request

    /// Returns true if the server must show first that it is still there: nothing came for long, and the exchange could
    /// not be repeated if the connection turns out to be dead.
    func needsProbe(for exchange: WireExchange) -> Bool {
        probe == nil && isReused && transfers.isEmpty && !exchange.request.isIdempotent
            && .now() - lastRead >= pool.configuration.probeAge
    }

    /// Asks for a sign of life; exchanges that cannot be repeated wait for it, and take another connection without it.
    func startProbe(_ context: ChannelHandlerContext) {
        probe = context.eventLoop.assumeIsolated()
            .scheduleTask(in: pool.configuration.connectTimeout) {
                if let context = self.context {
                    self.end(WireFault.stale(underlying: nil), context)
                }
            }
        machine.ping()
        flushSoon(context)
    }

    /// Goes on with the exchanges that waited for a sign of life, once it has come.
    func endProbe() {
        if probe != nil, !machine.awaitsPing {
            probe.take()?.cancel()
            serveQueue()
        }
    }
}
