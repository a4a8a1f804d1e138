// SPDX-License-Identifier: MIT

import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import RestEssentials

/// The one handler of a connection: writes requests, reads responses and resumes callers.
///
/// It belongs to its event loop. The pool knows it by its ``WireConnection``.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// How many bytes of a long body are passed to the connection at once.
    private static let pieceSize = 256 << 10
    /// How many bytes are set aside for a body because its head announces them.
    private static let reservedSize = 1 << 20

    private enum Phase {
        /// The connection is being made; what happens is noted until it is claimed.
        case opening
        /// It was claimed, and TLS is being set up.
        case securing(timeout: Scheduled<Void>)
        case open
        case closed
    }

    private let pool: ConnectionPool
    private var phase = Phase.opening
    private var context: ChannelHandlerContext?
    private var connection: WireConnection?
    private var openingError: (any Error)?
    private var isSecured = false

    // The exchange that the connection carries.
    private var exchange: WireExchange?
    private var parser: ResponseParser
    private var limit = 0
    private var head: HeadBytes?
    private var interim: [HeadBytes] = []
    private var body = Data()
    private var times = WireTimes()
    /// The bytes of the request's body that were passed on.
    private var sentCount = 0
    private var isUploading = false
    private var continueTimer: Scheduled<Void>?
    /// True if the response is complete; the exchange ends when all that came with it is read.
    private var isComplete = false
    /// True if a response was read to its end before this exchange.
    private var isReused = false
    private var hasSurplus = false
    private var isTruncated = false

    init(_ pool: ConnectionPool) {
        self.pool = pool
        parser = ResponseParser(limits: pool.configuration.limits)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        connection = nil
    }

    // MARK: - Opening

    /// Takes the connection into use: it is the one that was made first.
    func claim(isSecure: Bool, until deadline: NIODeadline) {
        guard let context else {
            return pool.connectFailed(openingError ?? WireFault.cut)
        }
        if let openingError {
            phase = .closed
            context.close(promise: nil)
            return pool.connectFailed(openingError)
        }
        guard isSecure, !isSecured else {
            return opened(context)
        }
        let timeout = context.eventLoop.assumeIsolated()
            .scheduleTask(deadline: deadline) {
                self.openingFailed(WireFault.connectTimeout)
            }
        phase = .securing(timeout: timeout)
    }

    private func opened(_ context: ChannelHandlerContext) {
        if case .securing(let timeout) = phase {
            timeout.cancel()
        }
        if let fault = pool.fault(of: context.channel) {
            phase = .closed
            context.close(promise: nil)
            return pool.connectFailed(fault)
        }
        phase = .open
        let connection = WireConnection(self, on: context.eventLoop)
        self.connection = connection
        let (next, isKept) = pool.connected(connection)
        if let next {
            start(next)
        } else if !isKept {
            phase = .closed
            context.close(promise: nil)
        }
    }

    private func openingFailed(_ error: any Error) {
        guard case .securing(let timeout) = phase else {
            openingError = openingError ?? error
            return
        }
        timeout.cancel()
        phase = .closed
        context?.close(promise: nil)
        pool.connectFailed(error)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted = event as? TLSUserEvent {
            isSecured = true
            if case .securing = phase {
                opened(context)
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    // MARK: - Requests

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
                return isKept ? () : close(context)
            }
            next = waiter
        }
    }

    private func send(_ exchange: WireExchange, _ context: ChannelHandlerContext) {
        let request = exchange.request
        self.exchange = exchange
        parser.begin(isHead: request.isHead)
        times = WireTimes(
            began: exchange.began,
            connected: isReused ? nil : connection?.birth.uptimeNanoseconds,
            headSent: WireTimes.now
        )
        sentCount = 0
        isUploading = !request.body.isEmpty
        context.write(wrapOutboundOut(request.head), promise: nil)
        if request.expectsContinue {
            context.flush()
            continueTimer = context.eventLoop.assumeIsolated()
                .scheduleTask(in: pool.configuration.continueTimeout) {
                    self.consent()
                }
        } else if isUploading {
            upload(context)
        } else {
            if request.hasBody {
                times.requestSent = times.headSent
            }
            context.flush()
            if exchange.isWatched {
                exchange.noteSent(at: times.headSent)
            }
        }
    }

    /// Takes the server's consent to a body, or the end of the wait for it.
    private func consent() {
        guard let continueTimer, let context else {
            return
        }
        continueTimer.cancel()
        self.continueTimer = nil
        upload(context)
    }

    /// Passes on as much of the body as the connection takes.
    private func upload(_ context: ChannelHandlerContext) {
        guard isUploading, continueTimer == nil, let exchange else {
            return
        }
        let body = exchange.request.body
        while context.channel.isWritable, self.exchange === exchange, sentCount < body.count {
            let start = body.startIndex + sentCount
            let piece = body[start..<min(start + Self.pieceSize, body.endIndex)]
            sentCount += piece.count
            isUploading = sentCount < body.count
            let promise = isUploading || !exchange.isWatched ? nil : context.eventLoop.makePromise(of: Void.self)
            // The server's time begins when the last byte has left this machine, not when it waits for its turn.
            promise?.futureResult.whenSuccess { exchange.noteSent() }
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: piece)), promise: promise)
        }
        if !isUploading {
            times.requestSent = WireTimes.now
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        upload(context)
        context.fireChannelWritabilityChanged()
    }

    // MARK: - Responses

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard exchange != nil, !isComplete else {
            // Nobody asked for it, and the next caller must not get it.
            hasSurplus = true
            if exchange == nil, case .open = phase {
                close(context)
            }
            return
        }
        let buffer = unwrapInboundIn(data)
        do throws(ResponseDefect) {
            try read(buffer.readableBytesUInt8Span, context)
        } catch {
            fail(WireFault.malformed(error), context)
        }
    }

    private func read(
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
                interim.append(head)
            case .head:
                times.headReceived = WireTimes.now
                if exchange.isWatched {
                    exchange.noteReceived(at: times.headReceived)
                }
                head = parser.takeHead()
                limit = parser.hasContentCoding ? exchange.limits.coded : exchange.limits.plain
                if let length = parser.bodyLength, length > limit {
                    return fail(WireFault.bodyOverLimit, context)
                }
            case .body(let range):
                guard range.count <= limit - body.count else {
                    return fail(WireFault.bodyOverLimit, context)
                }
                append(bytes, range)
                if exchange.isWatched {
                    exchange.noteReceived()
                }
            case .end:
                isComplete = true
                hasSurplus = offset < bytes.count
                return
            }
        }
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
        if isComplete {
            finish(context)
        }
        context.fireChannelReadComplete()
    }

    /// Ends the exchange with its response.
    ///
    /// The connection is given to the next one before the caller goes on.
    private func finish(_ context: ChannelHandlerContext) {
        guard let exchange, let head else {
            return
        }
        times.ended = WireTimes.now
        let response = WireResponse(
            head: head,
            body: body,
            interim: interim,
            times: times,
            hasContentCoding: parser.hasContentCoding
        )
        let isReusable = parser.keepsConnection && !hasSurplus && !isUploading && !exchange.request.closesConnection
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
        caller?.resume(returning: response)
    }

    private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
        let failed = exchange
        reset()
        close(context)
        failed?.fail(error)
    }

    private func reset() {
        exchange = nil
        head = nil
        if !interim.isEmpty {
            interim = []
        }
        body = Data()
        isComplete = false
        isUploading = false
        continueTimer?.cancel()
        continueTimer = nil
    }

    // MARK: - Closing

    /// Closes the connection if it still carries an exchange.
    func abandon(_ exchange: WireExchange) {
        guard self.exchange === exchange, let context else {
            return
        }
        reset()
        close(context)
    }

    /// Closes the connection unless it carries an exchange.
    func closeIfIdle() {
        guard exchange == nil, let context else {
            return
        }
        close(context)
    }

    private func close(_ context: ChannelHandlerContext) {
        leavePool()
        context.close(promise: nil)
    }

    private func leavePool() {
        guard case .open = phase else {
            return
        }
        phase = .closed
        if let connection {
            pool.closed(connection)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if (error as? NIOSSLError) == .uncleanShutdown {
            // The end follows, which is the time to see whether something is missing.
            isTruncated = true
            openingFailed(error)
            return
        }
        guard case .open = phase else {
            return openingFailed(error)
        }
        if isComplete {
            finish(context)
        }
        let isCut = error is IOError || error is ChannelError || error is NIOSSLError
        fail(isCut && isReused && parser.isUntouched ? WireFault.stale(underlying: error) : error, context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        switch phase {
        case .opening, .securing: openingFailed(WireFault.cut)
        case .open, .closed: break
        }
        leavePool()
        if exchange != nil {
            if isComplete || (parser.finish() && !isTruncated) {
                finish(context)
            } else {
                let isStale = isReused && parser.isUntouched
                fail(isStale ? WireFault.stale(underlying: nil) : WireFault.cut, context)
            }
        }
        context.fireChannelInactive()
    }
}
