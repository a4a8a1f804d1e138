// SPDX-License-Identifier: MIT

import DequeModule
import NIOCore
import RestEssentials

/// The requests of a connection of HTTP/2.
extension HTTP2Handler {
    /// The number of bytes of one body that are passed on before another one has its turn.
    private static let turnSize = 64 << 10

    /// Sends the head of a request, and begins with its body.
    ///
    /// - Returns: False if it cannot be sent, so that its exchange has failed.
    func begin(_ exchange: WireExchange, _ context: ChannelHandlerContext) -> Bool {
        let request = exchange.request
        var times = WireTimes(
            began: exchange.began,
            connected: isReused ? nil : connection?.birth.uptimeNanoseconds,
            headSent: WireTimes.now
        )
        times.made = isReused ? nil : connection
        guard exchange.takeOver == nil else {
            exchange.fail(WireFault.invalidRequest("it asks for a connection of its own, which HTTP/2 does not give"))
            return false
        }
        let hasContent = !request.parts.body.isEmpty || request.stream != nil
        let stream: Int
        do throws(WireFault) {
            stream = try machine.start(request, hasBody: hasContent)
        } catch {
            exchange.fail(error)
            return false
        }
        let transfer = HTTP2Transfer(exchange, on: stream, times)
        if transfers.isEmpty {
            // The silence before counts for nothing.
            isSilent = false
        }
        transfers[stream] = transfer
        streams[ObjectIdentifier(exchange)] = stream
        startPulse(context)
        perform(transfer.sending.begin(request, bodyCount: request.parts.body.count), transfer, context)
        return true
    }

    private func perform(
        _ step: RequestStateMachine.Step,
        _ transfer: HTTP2Transfer,
        _ context: ChannelHandlerContext
    ) {
        let exchange = transfer.exchange
        switch step {
        case .end:
            if exchange.request.hasBody {
                transfer.times.requestSent = transfer.times.headSent
            }
            noteSent(transfer)
        case .awaitConsent:
            let timeout = exchange.request.continueTimeout ?? pool.configuration.continueTimeout
            transfer.continueTimer = context.eventLoop.assumeIsolated()
                .scheduleTask(in: timeout) {
                    if self.transfers[transfer.stream] === transfer, let context = self.context {
                        self.consent(transfer, context)
                        self.flush(context)
                    }
                }
        case .sendPieces:
            senders.append(transfer.stream)
            sendBodies(context)
        case .startStream:
            if let stream = exchange.request.stream, let connection {
                let upload = WireUpload(exchange, over: connection)
                transfer.upload = upload
                exchange.start(stream, upload)
            }
        }
    }

    private func noteSent(_ transfer: HTTP2Transfer) {
        if transfer.exchange.isWatched {
            transfer.exchange.noteSent()
        }
    }

    /// Takes the server's consent to a body, or the end of the wait for it.
    func consent(_ transfer: HTTP2Transfer, _ context: ChannelHandlerContext) {
        transfer.continueTimer?.cancel()
        transfer.continueTimer = nil
        if let step = transfer.sending.consent() {
            perform(step, transfer, context)
        }
    }

    func sendChunks(of exchange: WireExchange) {
        guard let transfer = transfer(of: exchange), let context else {
            return
        }
        if !senders.contains(transfer.stream) {
            senders.append(transfer.stream)
        }
        sendBodies(context)
        flushSoon(context)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        sendBodies(context)
        flush(context)
        context.fireChannelWritabilityChanged()
    }

    // MARK: - Bodies

    /// Passes on what the connection and the windows take of all bodies, each in its turn.
    func sendBodies(_ context: ChannelHandlerContext) {
        var waiting = 0
        while waiting < senders.count, context.channel.isWritable, let stream = senders.popFirst() {
            guard let transfer = transfers[stream] else {
                continue
            }
            switch sendTurn(transfer, context) {
            case .more:
                senders.append(stream)
                waiting = 0
                // What is written makes the channel unwritable once it is too much.
                flush(context)
            case .noRoom:
                senders.append(stream)
                waiting += 1
            case .nothing:
                break
            }
        }
    }

    private enum Turn {
        /// There is more, and room for it.
        case more
        /// There is more, and no room.
        case noRoom
        /// All is sent that has come.
        case nothing
    }

    private func sendTurn(_ transfer: HTTP2Transfer, _ context: ChannelHandlerContext) -> Turn {
        var total = 0
        while transfers[transfer.stream] === transfer {
            guard total < Self.turnSize else {
                return .more
            }
            let room = machine.room(of: transfer.stream)
            guard let upload = transfer.upload else {
                guard transfer.sending.isSending else {
                    return .nothing
                }
                guard room > 0, let range = transfer.sending.nextPiece(limit: room) else {
                    return .noRoom
                }
                let body = transfer.exchange.request.parts.body
                let start = body.startIndex
                let piece = ByteBuffer(bytes: body[start + range.lowerBound..<start + range.upperBound])
                total += piece.readableBytes
                send(piece, transfer, isLast: range.upperBound == body.count, context)
                continue
            }
            if transfer.chunk.readableBytes == 0 {
                switch upload.next() {
                case .chunk(let chunk):
                    do throws(WireFault) {
                        try transfer.sending.write(chunk.readableBytes)
                    } catch {
                        refuse(transfer, error)
                        return .nothing
                    }
                    transfer.chunk = chunk
                case .wait:
                    return .nothing
                case .end:
                    endBody(transfer, context)
                    return .nothing
                }
            }
            guard room > 0, let piece = transfer.chunk.readSlice(length: min(room, transfer.chunk.readableBytes)) else {
                return .noRoom
            }
            total += piece.readableBytes
            send(piece, transfer, isLast: false, context)
        }
        return .nothing
    }

    private func endBody(_ transfer: HTTP2Transfer, _ context: ChannelHandlerContext) {
        do throws(WireFault) {
            try transfer.sending.end()
        } catch {
            return refuse(transfer, error)
        }
        transfer.upload = nil
        send(ByteBuffer(), transfer, isLast: true, context)
    }

    private func send(
        _ bytes: ByteBuffer,
        _ transfer: HTTP2Transfer,
        isLast: Bool,
        _ context: ChannelHandlerContext
    ) {
        machine.send(bytes, on: transfer.stream, isLast: isLast)
        if isLast {
            transfer.times.requestSent = WireTimes.now
            noteSent(transfer)
            finishIfDone(transfer, context)
        }
    }
}
