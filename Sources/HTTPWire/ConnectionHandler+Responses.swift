// SPDX-License-Identifier: MIT

import NIOCore
import RestEssentials

/// The responses of a connection.
extension ConnectionHandler {
    /// The maximum number of bytes set aside for a body because its head announces them.
    private static let reservedSize = 1 << 20
    /// The number of interim responses that are kept; those behind them are read and dropped.
    private static let interimLimit = 16

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard exchange != nil, !isComplete else {
            if speaksHTTP2 {
                return early.append(unwrapInboundIn(data))
            }
            // Nobody asked for it, and the next caller must not get it.
            hasSurplus = true
            if exchange == nil, case .open = phase {
                close(context)
            }
            return
        }
        let buffer = unwrapInboundIn(data)
        do throws(ResponseDefect) {
            try read(buffer, buffer.readableBytesUInt8Span, context)
            deliver(context)
        } catch {
            deliver(context)
            fail(WireFault.malformed(error), context)
        }
    }

    private func read(
        _ buffer: ByteBuffer,
        _ bytes: borrowing Span<UInt8>,
        _ context: ChannelHandlerContext
    ) throws(ResponseDefect) {
        var offset = 0
        while let exchange {
            switch try parser.next(bytes, &offset) {
            case .needsMore:
                return
            case .interim:
                guard let head = parser.takeHead() else {
                    continue
                }
                if head.status == 100 {
                    consent()
                }
                if interim.count < Self.interimLimit {
                    interim.append(head)
                }
            case .head:
                guard begin(exchange, context) else {
                    return
                }
            case .body(let range):
                if exchange.body != nil {
                    collect(range, of: buffer)
                } else {
                    guard range.count <= limit - body.count else {
                        return fail(WireFault.bodyOverLimit, context)
                    }
                    append(bytes, range)
                }
                if exchange.isWatched {
                    exchange.noteReceived()
                }
            case .end:
                isComplete = true
                hasSurplus = offset < bytes.count
                return
            case .handover:
                let rest = buffer.getSlice(at: buffer.readerIndex + offset, length: bytes.count - offset)
                return handOver(exchange, rest, context)
            }
        }
    }

    /// Gives the connection away: whoever asked for another protocol reads and writes it from now on.
    ///
    /// All of it happens in one turn of the event loop, so that the new owner's handlers are there before the next
    /// byte is read, and nobody can cancel in between.
    private func handOver(_ exchange: WireExchange, _ rest: ByteBuffer?, _ context: ChannelHandlerContext) {
        times.headReceived = WireTimes.now
        times.ended = times.headReceived
        head = parser.takeHead()
        guard let response = response(), let takeOver = exchange.takeOver, !sending.isUnfinished else {
            return fail(WireFault.malformed(.unexpectedUpgrade), context)
        }
        guard let caller = exchange.detach() else {
            // The exchange was cancelled, or its time is up, and this connection is about to hear of it.
            reset()
            return close(context)
        }
        reset()
        leavePool()
        do {
            try takeOver(response.head, context.channel)
        } catch {
            context.close(promise: nil)
            return caller.resume(throwing: error)
        }
        if let rest, rest.readableBytes > 0 {
            context.fireChannelRead(wrapInboundOut(rest))
        }
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
        caller.resume(returning: response)
    }

    /// Takes the head of the final response.
    ///
    /// - Returns: False if the exchange has ended with it.
    private func begin(_ exchange: WireExchange, _ context: ChannelHandlerContext) -> Bool {
        times.headReceived = WireTimes.now
        if exchange.isWatched {
            exchange.noteReceived(at: times.headReceived)
        }
        sending.respond()
        head = parser.takeHead()
        limit = parser.hasContentCoding ? exchange.limits.coded : exchange.limits.plain
        if exchange.body != nil {
            if let response = response() {
                exchange.respond(response)
            }
        } else if let length = parser.bodyLength, length > limit {
            fail(WireFault.bodyOverLimit, context)
            return false
        }
        return true
    }

    private func append(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) {
        if body.isEmpty, let length = parser.bodyLength, length > range.count {
            body.reserveCapacity(min(length, Self.reservedSize))
        }
        let part = bytes.extracting(range)
        unsafe part.withUnsafeBufferPointer { bytes in
            if body.isEmpty, parser.bodyLength == range.count {
                body = unsafe Data(buffer: bytes)
            } else {
                unsafe body.append(bytes)
            }
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if isComplete, !awaitsRequest {
            finish(context)
        }
        context.fireChannelReadComplete()
    }

    /// The response so far.
    private func response() -> WireResponse? {
        head.map { head in
            WireResponse(
                head: head,
                body: body,
                interim: interim,
                times: times,
                hasContentCoding: parser.hasContentCoding,
                hasSurplus: hasSurplus
            )
        }
    }

    /// A Boolean value that is true if the rest of the request is sent although the response is complete.
    ///
    /// A server that responds with success may be at work with the body that still comes; any other response makes the
    /// rest of the body unnecessary.
    private var awaitsRequest: Bool {
        sending.isSending && (head?.status ?? 0) < 300
    }

    /// Ends the exchange with its response.
    ///
    /// The connection is given to the next one before the caller goes on.
    func finish(_ context: ChannelHandlerContext) {
        times.ended = WireTimes.now
        guard let exchange, let response = response() else {
            return
        }
        let isReusable =
            parser.keepsConnection && !hasSurplus && !sending.isUnfinished && !exchange.request.closesConnection
        let caller = exchange.detach()
        reset()
        isReused = true
        if isReusable, case .open = phase, let connection {
            let (next, isKept) = pool.release(connection)
            if let next {
                start(next)
            } else if !isKept {
                close(context)
            }
        } else {
            close(context)
        }
        if let body = exchange.body {
            if response.hasSurplus {
                body.noteSurplus()
            }
            body.finish(.complete)
        } else {
            caller?.resume(returning: response)
        }
    }

    /// Forgets the response.
    func resetResponse() {
        head = nil
        if !interim.isEmpty {
            interim = []
        }
        body = Data()
        arrived = nil
        isComplete = false
        if isHeld {
            setReading(true)
        }
    }

    // MARK: - Streamed bodies

    /// Adds a part of a streamed body to what came in the same read, so that its reader is woken once.
    private func collect(_ range: Range<Int>, of buffer: ByteBuffer) {
        guard var part = buffer.getSlice(at: buffer.readerIndex + range.lowerBound, length: range.count) else {
            return
        }
        if arrived == nil {
            arrived = part
        } else {
            arrived?.writeBuffer(&part)
        }
    }

    /// Hands over what came, and stops reading if the reader is behind.
    private func deliver(_ context: ChannelHandlerContext) {
        guard let arrived = arrived.take(), let exchange, let connection, let body = exchange.body else {
            return
        }
        let isFull = body.receive(arrived) { connection.resumeReading(of: exchange) }
        if isFull {
            setReading(false)
        }
    }

    /// Reads on, once the reader has caught up.
    func resumeReading(of exchange: WireExchange) {
        if self.exchange === exchange, isHeld {
            setReading(true)
        }
    }

    private func setReading(_ isReading: Bool) {
        isHeld = !isReading
        // It fails only once the channel has ended.
        try? context?.channel.syncOptions?.setOption(.autoRead, value: isReading)
    }
}
