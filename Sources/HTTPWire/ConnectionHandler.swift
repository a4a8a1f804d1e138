// SPDX-License-Identifier: MIT

import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import RestEssentials

/// The one handler of a connection: writes requests, reads responses and resumes callers.
///
/// It belongs to its event loop. The pool knows it by its ``WireConnection``. This part opens and closes connections,
/// `ConnectionHandler+Requests.swift` writes, and `ConnectionHandler+Responses.swift` reads and hands connections over.
final class ConnectionHandler: ChannelInboundHandler, RemovableChannelHandler, ExchangeCarrier,
    ConnectionCandidate
{
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    enum Phase {
        /// The connection is being made; what happens is noted until it is claimed.
        case opening
        /// It was claimed, and TLS is being set up.
        case securing(timeout: Scheduled<Void>)
        case open
        case closed
    }

    let pool: ConnectionPool
    /// TLS with the origin, and not with a proxy before it; `nil` without TLS.
    private let tls: NIOSSLClientHandler?
    private var steps = WireSteps()
    private(set) var phase = Phase.opening
    private(set) var context: ChannelHandlerContext?
    private(set) var connection: WireConnection?
    private var openingError: (any Error)?
    private var isSecured = false
    /// True if HTTP/2 is spoken, by the choice of the handshake or by prior knowledge: another handler takes over.
    private(set) var speaksHTTP2: Bool
    /// The bytes of HTTP/2 that came before the connection was claimed.
    var early: [ByteBuffer] = []

    // The exchange that the connection carries, for the other halves of this type: its request and its response.
    var exchange: WireExchange?
    var times = WireTimes()
    /// True if the connection was idle, or read a response to its end, before this exchange: its server may have closed
    /// it meanwhile.
    var isReused = false

    var sending = RequestStateMachine()
    var continueTimer: Scheduled<Void>?
    /// The chunks of a streamed body.
    var upload: WireUpload?
    /// True while chunks are sent, so that room that comes meanwhile is not used twice.
    var isSendingChunks = false
    /// True if a chunk was passed on, whose line end is missing.
    var isWithinChunk = false

    var parser: ResponseParser
    var limit = 0
    var head: HeadBytes?
    var interim: [HeadBytes] = []
    var body = Data()
    /// The bytes of a streamed body in the read that is being processed.
    var arrived: ByteBuffer?
    /// True if the response is complete; the exchange ends when all that came with it is read.
    var isComplete = false
    var hasSurplus = false
    /// True if the reader of the response is behind, so that the connection is not read.
    var isHeld = false
    private var isTruncated = false

    init(_ pool: ConnectionPool, tls: NIOSSLClientHandler? = nil) {
        self.pool = pool
        self.tls = tls
        // The server may speak before the connection is claimed.
        speaksHTTP2 = !pool.origin.isSecure && pool.maySpeakHTTP2
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
    func claim(until deadline: NIODeadline, _ steps: WireSteps) {
        self.steps = steps
        guard let context else {
            return pool.connectFailed(openingError ?? WireFault.cut)
        }
        if let openingError {
            phase = .closed
            context.close(promise: nil)
            return pool.connectFailed(openingError)
        }
        guard tls != nil, !isSecured else {
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
        steps.secured = tls == nil ? 0 : WireTimes.now
        let fault = pool.fault(of: tls?.peerCertificate)
        if let fault = fault ?? (pool.origin.versions == .http2 && !speaksHTTP2 ? WireFault.noHTTP2 : nil) {
            phase = .closed
            context.close(promise: nil)
            return pool.connectFailed(fault)
        }
        guard !speaksHTTP2 else {
            return handOver(context)
        }
        phase = .open
        let connection = WireConnection(self, isShared: false, on: context.eventLoop, steps)
        self.connection = connection
        let (next, isKept) = pool.connected(connection)
        if let next {
            start(next)
        } else if isKept {
            isReused = true
        } else {
            phase = .closed
            context.close(promise: nil)
        }
    }

    /// Lets the handler of HTTP/2 take the place of this one.
    private func handOver(_ context: ChannelHandlerContext) {
        phase = .closed
        let handler = HTTP2Handler(pool)
        let pipeline = context.pipeline.syncOperations
        do {
            try pipeline.addHandler(handler, position: .after(self))
        } catch {
            context.close(promise: nil)
            return pool.connectFailed(error)
        }
        pipeline.removeHandler(context: context, promise: nil)
        handler.open(early, steps)
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
        if case .handshakeCompleted(let negotiatedProtocol) = event as? TLSUserEvent {
            isSecured = true
            speaksHTTP2 = negotiatedProtocol == "h2"
            if case .securing = phase {
                opened(context)
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    // MARK: - Closing

    /// Fails the exchange, and closes the connection.
    func fail(_ error: any Error, _ context: ChannelHandlerContext) {
        let failed = exchange
        reset()
        close(context)
        failed?.fail(error)
    }

    /// Lets go of the exchange.
    func reset() {
        exchange = nil
        resetRequest()
        resetResponse()
    }

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

    func close(_ context: ChannelHandlerContext) {
        leavePool()
        context.close(promise: nil)
    }

    /// Takes the connection out of the pool, where it counts no longer.
    func leavePool() {
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
        // No other exchange may begin on a connection that is broken.
        leavePool()
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
