// SPDX-License-Identifier: MIT

import NIOCore
import RestEssentials

/// The requests of a connection.
extension ConnectionHandler {
    /// The number of bytes of a stream that are passed on before they are flushed.
    private static let flushSize = 64 << 10
    /// The number of bytes of a stream that are passed on before other connections have their turn.
    private static let turnSize = 1 << 20

    /// Starts an exchange, or the next one that waits if it has ended meanwhile.
    func start(_ first: WireExchange) {
        var next = first
        while true {
            guard case .open = phase, let context, let connection else {
                // The connection ended before anything was sent: another one can carry the exchange.
                return next.pool.acquire(for: next)
            }
            if next.attach(connection) {
                return send(next, context)
            }
            let (waiter, isKept) = pool.release(connection)
            guard let waiter else {
                if isKept {
                    isReused = true
                } else {
                    close(context)
                }
                return
            }
            next = waiter
        }
    }

    private func send(_ exchange: WireExchange, _ context: ChannelHandlerContext) {
        let request = exchange.request
        self.exchange = exchange
        parser.begin(isHead: request.isHead, handover: exchange.handover)
        times = WireTimes(
            began: exchange.began,
            connected: isReused ? nil : connection?.birth.uptimeNanoseconds,
            headSent: WireTimes.now
        )
        times.made = isReused ? nil : connection
        context.write(wrapOutboundOut(request.head), promise: nil)
        let step = sending.begin(request)
        if step == .end {
            if request.hasBody {
                times.requestSent = times.headSent
            }
            context.flush()
            if exchange.isWatched {
                exchange.noteSent(at: times.headSent)
            }
        } else {
            perform(step, context)
        }
    }

    private func perform(_ step: RequestStateMachine.Step, _ context: ChannelHandlerContext) {
        guard let exchange, let connection else {
            return
        }
        switch step {
        case .end:
            break
        case .awaitConsent:
            context.flush()
            // A flush that fails ends the exchange, and perhaps the next one has begun.
            guard self.exchange === exchange else {
                return
            }
            continueTimer = context.eventLoop.assumeIsolated()
                .scheduleTask(in: exchange.request.continueTimeout ?? pool.configuration.continueTimeout) {
                    self.consent()
                }
        case .sendPieces:
            sendPieces(context)
        case .startStream:
            context.flush()
            if self.exchange === exchange, let stream = exchange.request.stream {
                let upload = WireUpload(exchange, over: connection)
                self.upload = upload
                exchange.start(stream, upload)
            }
        }
    }

    /// Takes the server's consent to a body, or the end of the wait for it.
    func consent() {
        continueTimer?.cancel()
        continueTimer = nil
        if let context, let step = sending.consent() {
            perform(step, context)
        }
    }

    /// Forgets the request.
    func resetRequest() {
        sending.reset()
        isWithinChunk = false
        continueTimer?.cancel()
        continueTimer = nil
        upload.take()?.close()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        sendPieces(context)
        sendChunks(context)
        context.fireChannelWritabilityChanged()
    }

    // MARK: - Bodies in memory

    /// Passes on as much of the body as the connection takes.
    private func sendPieces(_ context: ChannelHandlerContext) {
        while context.channel.isWritable, let exchange, let range = sending.nextPiece() {
            let body = exchange.request.body
            let piece = body[body.startIndex + range.lowerBound..<body.startIndex + range.upperBound]
            let isLast = range.upperBound == body.count
            if isLast {
                times.requestSent = WireTimes.now
            }
            context.writeAndFlush(
                wrapOutboundOut(ByteBuffer(bytes: piece)),
                promise: isLast ? sentPromise(of: exchange, context) : nil
            )
            if isLast, isComplete, self.exchange === exchange {
                return finish(context)
            }
        }
    }

    /// Returns a promise for the last write of a request that somebody watches.
    ///
    /// The server's time begins when the last byte has left this machine, not when it waits for its turn.
    private func sentPromise(of exchange: WireExchange, _ context: ChannelHandlerContext) -> EventLoopPromise<Void>? {
        let promise = exchange.isWatched ? context.eventLoop.makePromise(of: Void.self) : nil
        promise?.futureResult.whenSuccess { exchange.noteSent() }
        return promise
    }

    // MARK: - Streamed bodies

    /// Passes on the chunks of a body that have come, as far as the connection takes them.
    func sendChunks(of exchange: WireExchange) {
        if self.exchange === exchange, let context {
            sendChunks(context)
        }
    }

    private func sendChunks(_ context: ChannelHandlerContext) {
        guard let upload, !isSendingChunks else {
            return
        }
        isSendingChunks = true
        defer { isSendingChunks = false }
        var (unflushed, total) = (0, 0)
        // A write or a flush that fails may have ended the exchange.
        while self.upload === upload {
            if unflushed >= Self.flushSize || !context.channel.isWritable {
                unflushed = 0
                context.flush()
                guard self.upload === upload, context.channel.isWritable else {
                    return
                }
            }
            guard total < Self.turnSize else {
                // The other connections of the event loop have their turn.
                context.flush()
                if let exchange {
                    connection?.sendChunks(of: exchange)
                }
                return
            }
            switch upload.next() {
            case .chunk(let chunk):
                unflushed += chunk.readableBytes
                total += chunk.readableBytes
                send(chunk, context)
            case .wait:
                return context.flush()
            case .end:
                return endBody(context)
            }
        }
    }

    private func send(_ chunk: ByteBuffer, _ context: ChannelHandlerContext) {
        do throws(WireFault) {
            try sending.write(chunk.readableBytes)
        } catch {
            return fail(error, context)
        }
        if exchange?.request.isChunked == true {
            let size = String(chunk.readableBytes, radix: 16)
            let line = ByteBuffer(string: isWithinChunk ? "\r\n\(size)\r\n" : "\(size)\r\n")
            context.write(wrapOutboundOut(line), promise: nil)
            isWithinChunk = true
        }
        context.write(wrapOutboundOut(chunk), promise: nil)
    }

    /// Ends a streamed body.
    private func endBody(_ context: ChannelHandlerContext) {
        guard let exchange else {
            return
        }
        do throws(WireFault) {
            try sending.end()
        } catch {
            return fail(error, context)
        }
        upload = nil
        times.requestSent = WireTimes.now
        let promise = sentPromise(of: exchange, context)
        if exchange.request.isChunked {
            let end = ByteBuffer(string: isWithinChunk ? "\r\n0\r\n\r\n" : "0\r\n\r\n")
            context.writeAndFlush(wrapOutboundOut(end), promise: promise)
        } else {
            // An empty write is done when those before it are.
            context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: promise)
        }
        if isComplete, self.exchange === exchange {
            finish(context)
        }
    }
}
