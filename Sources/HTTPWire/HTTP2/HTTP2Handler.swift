// SPDX-License-Identifier: MIT

import DequeModule
import NIOCore
import NIOSSL
import RestEssentials

/// The one handler of a connection of HTTP/2: a table of exchanges, without a channel for each.
///
/// It belongs to its event loop. ``HTTP2StateMachine`` knows the rules; this part opens, reads and closes,
/// `HTTP2Handler+Requests.swift` sends, and `HTTP2Handler+Life.swift` looks whether the server is still there.
final class HTTP2Handler: ChannelInboundHandler, ExchangeCarrier {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The number of interim responses of an exchange that are kept.
    private static let interimLimit = 16
    /// The maximum number of bytes set aside for a body because its head announces them.
    private static let reservedSize = 1 << 20

    let pool: ConnectionPool
    var machine: HTTP2StateMachine
    private(set) var context: ChannelHandlerContext?
    private(set) var connection: WireConnection?
    /// The exchanges by their streams.
    var transfers: [Int: HTTP2Transfer] = [:]
    /// The streams by their exchanges.
    var streams: [ObjectIdentifier: Int] = [:]
    /// The streams with bodies to send, in turn.
    var senders: Deque<Int> = []
    /// Exchanges that came when the server had just allowed fewer streams.
    private var queue: Deque<WireExchange> = []
    /// The callers to resume behind all that came at once, so that the threads on which they go on do not slow it down.
    private var ended: [(caller: CheckedContinuation<WireResponse, any Error>, response: WireResponse)] = []
    /// True while what came is taken.
    private var isReading = false
    /// True if an exchange was carried before.
    var isReused = false
    /// True if the pool gives this connection no further exchanges.
    private var isRetired = false
    private(set) var isClosed = false

    // Writing and signs of life, for `HTTP2Handler+Life.swift`.
    var isFlushing = false
    /// True if nothing came since the last look.
    var isSilent = false
    /// The instant at which something came last.
    var lastRead = NIODeadline.now()
    var pulse: Scheduled<Void>?
    /// The end of the wait for a sign of life, before exchanges that could not be repeated are risked.
    var probe: Scheduled<Void>?

    init(_ pool: ConnectionPool) {
        self.pool = pool
        machine = HTTP2StateMachine(isSecure: pool.origin.isSecure, limits: pool.configuration.limits)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        resumeCallers()
        self.context = nil
        connection = nil
    }

    /// Takes the connection into use.
    ///
    /// - Parameters:
    ///   - early: The bytes that came before.
    ///   - steps: The steps by which the connection was made.
    func open(_ early: [ByteBuffer], _ steps: WireSteps = WireSteps()) {
        guard let context else {
            return pool.connectFailed(WireFault.cut)
        }
        let connection = WireConnection(self, isShared: true, on: context.eventLoop, steps)
        self.connection = connection
        guard let first = pool.connected(connection, limit: machine.streamLimit) else {
            isClosed = true
            return context.close(promise: nil)
        }
        for exchange in first {
            start(exchange)
        }
        for bytes in early {
            read(bytes, context)
        }
        flush(context)
    }

    // MARK: - Exchanges

    func start(_ first: WireExchange) {
        guard !isClosed, !isRetired, let context, let connection else {
            // The connection ended before anything was sent: another one can carry the exchange.
            return first.pool.acquire(for: first)
        }
        if needsProbe(for: first) {
            startProbe(context)
        }
        guard machine.canStart, probe == nil || first.request.isIdempotent else {
            return queue.append(first)
        }
        carry(first, over: connection, context)
    }

    private func carry(_ exchange: WireExchange, over connection: WireConnection, _ context: ChannelHandlerContext) {
        guard exchange.attach(connection) else {
            return release()
        }
        if !begin(exchange, context) {
            release()
        }
        if machine.isGoingAway, !isRetired {
            // The numbers of streams are used up.
            retire()
        }
        flushSoon(context)
    }

    /// Gives the place of an exchange that has ended to the next one.
    private func release() {
        guard let connection, !isClosed else {
            return
        }
        guard let next = isRetired ? nil : pool.released(connection) else {
            retire()
            return
        }
        serveQueue()
        for exchange in next {
            start(exchange)
        }
    }

    /// Starts the exchanges that waited for this connection.
    func serveQueue() {
        while machine.canStart, probe == nil, let connection, let context, let exchange = queue.popFirst() {
            carry(exchange, over: connection, context)
        }
    }

    /// Takes no further exchanges; the connection is closed behind the last one.
    private func retire() {
        if !isRetired, let connection {
            isRetired = true
            pool.retired(connection)
        }
        let waiting = queue
        queue = []
        for exchange in waiting {
            exchange.pool.acquire(for: exchange)
        }
        if transfers.isEmpty, let context {
            machine.goAway(.none)
            close(context)
        }
    }

    func abandon(_ exchange: WireExchange) {
        guard let transfer = transfer(of: exchange), let context else {
            return
        }
        machine.reset(transfer.stream, .cancel)
        forget(transfer)
        release()
        flushSoon(context)
    }

    func closeIfIdle() {
        guard transfers.isEmpty, queue.isEmpty, let context else {
            return
        }
        machine.goAway(.none)
        close(context)
    }

    func resumeReading(of exchange: WireExchange) {
        guard let transfer = transfer(of: exchange), let context else {
            return
        }
        machine.returnRoom(transfer.held, on: transfer.stream)
        transfer.held = 0
        flushSoon(context)
    }

    func transfer(of exchange: WireExchange) -> HTTP2Transfer? {
        streams[ObjectIdentifier(exchange)].flatMap { transfers[$0] }
    }

    /// Lets go of an exchange.
    private func forget(_ transfer: HTTP2Transfer) {
        transfers[transfer.stream] = nil
        streams[ObjectIdentifier(transfer.exchange)] = nil
        transfer.close()
    }

    // MARK: - Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isReading = true
        read(unwrapInboundIn(data), context)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        flush(context)
        resumeCallers()
        context.fireChannelReadComplete()
    }

    private func resumeCallers() {
        isReading = false
        let ended = ended
        self.ended.removeAll(keepingCapacity: true)
        for (caller, response) in ended {
            caller.resume(returning: response)
        }
    }

    private func read(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        guard !isClosed else {
            return
        }
        isSilent = false
        lastRead = .now()
        var events: [HTTP2StateMachine.Event] = []
        var defect: HTTP2Defect?
        do throws(HTTP2Defect) {
            try machine.receive(bytes, at: lastRead, into: &events)
        } catch {
            defect = error
        }
        for event in events {
            take(event, context)
        }
        if let defect, !isClosed {
            machine.goAway(defect.code)
            flush(context)
            end(WireFault.brokenConnection(defect), context)
        }
        endProbe()
    }

    private func take(_ event: HTTP2StateMachine.Event, _ context: ChannelHandlerContext) {
        switch event {
        case .interim(let stream, let head):
            guard let transfer = transfers[stream] else {
                return
            }
            note(transfer)
            if head.status == 100 {
                consent(transfer, context)
            }
            if transfer.interim.count < Self.interimLimit {
                transfer.interim.append(head)
            }
        case .head(let stream, let fields):
            if let transfer = transfers[stream] {
                begin(transfer, fields, context)
            }
        case .body(let stream, let bytes):
            if let transfer = transfers[stream] {
                append(bytes, to: transfer, context)
            }
        case .end(let stream):
            if let transfer = transfers[stream] {
                transfer.isComplete = true
                finishIfDone(transfer, context)
            }
        case .fault(let stream, let fault):
            if let transfer = transfers[stream] {
                // A response that is complete stays one, although the server does not want the rest of the request.
                transfer.isComplete ? finish(transfer) : fail(transfer, fault)
            }
        case .room:
            sendBodies(context)
        case .streamLimit:
            if let connection, !isRetired {
                for exchange in pool.resized(connection, limit: machine.streamLimit) {
                    start(exchange)
                }
                serveQueue()
            }
        case .goAway:
            retire()
        case .http1Required:
            pool.requireHTTP1()
            retire()
        }
    }

    private func note(_ transfer: HTTP2Transfer) {
        if transfer.exchange.isWatched {
            transfer.exchange.noteReceived()
        }
    }

    private func begin(_ transfer: HTTP2Transfer, _ fields: HTTP2Fields, _ context: ChannelHandlerContext) {
        transfer.times.headReceived = WireTimes.now
        note(transfer)
        transfer.sending.respond()
        transfer.head = fields
        let limits = transfer.exchange.limits
        transfer.limit = fields.hasContentCoding ? limits.coded : limits.plain
        if transfer.exchange.body != nil {
            if let response = transfer.response {
                transfer.exchange.respond(response)
            }
        } else if let length = fields.contentLength, length > transfer.limit, !transfer.exchange.request.isHead {
            refuse(transfer, .bodyOverLimit)
        }
    }

    private func append(_ bytes: ByteBuffer, to transfer: HTTP2Transfer, _ context: ChannelHandlerContext) {
        note(transfer)
        let count = bytes.readableBytes
        guard let body = transfer.exchange.body else {
            guard count <= transfer.limit - transfer.body.count else {
                return refuse(transfer, .bodyOverLimit)
            }
            if transfer.body.isEmpty, let length = transfer.head?.contentLength, length > count {
                transfer.body.reserveCapacity(min(length, Self.reservedSize))
            }
            transfer.body.append(contentsOf: bytes.readableBytesView)
            return machine.returnRoom(count, on: transfer.stream)
        }
        transfer.held += count
        guard let connection else {
            return
        }
        let exchange = transfer.exchange
        if !body.receive(bytes, resume: { connection.resumeReading(of: exchange) }) {
            machine.returnRoom(transfer.held, on: transfer.stream)
            transfer.held = 0
        }
    }

    // MARK: - Ends

    /// Ends an exchange whose response is complete, unless the rest of its request is still to be sent.
    ///
    /// A server that responds with success may be at work with the body that still comes; any other response makes the
    /// rest of the body unnecessary.
    func finishIfDone(_ transfer: HTTP2Transfer, _ context: ChannelHandlerContext) {
        guard transfer.isComplete else {
            return
        }
        guard !transfer.sending.isSending || (transfer.head?.head?.status ?? 0) >= 300 else {
            return
        }
        finish(transfer)
    }

    private func finish(_ transfer: HTTP2Transfer) {
        transfer.times.ended = WireTimes.now
        if transfer.sending.isUnfinished {
            machine.reset(transfer.stream, .cancel)
        }
        let response = transfer.response
        let caller = transfer.exchange.detach()
        let body = transfer.exchange.body
        forget(transfer)
        isReused = true
        // The place is given to the next exchange before the caller goes on.
        release()
        if let body {
            body.finish(.complete)
        } else if let response, let caller {
            if isReading {
                ended.append((caller, response))
            } else {
                caller.resume(returning: response)
            }
        }
    }

    /// Fails an exchange because of its response, of which nothing more is wanted.
    func refuse(_ transfer: HTTP2Transfer, _ fault: WireFault) {
        machine.reset(transfer.stream, .cancel)
        fail(transfer, fault)
    }

    private func fail(_ transfer: HTTP2Transfer, _ error: any Error) {
        forget(transfer)
        release()
        transfer.exchange.fail(error)
    }

    /// Ends the connection and all its exchanges.
    func end(_ error: any Error, _ context: ChannelHandlerContext) {
        let ended = transfers.values.sorted { $0.stream < $1.stream }
        close(context)
        for transfer in ended {
            if transfer.isComplete {
                // Its response counts, although the server does not want the rest of the request.
                finish(transfer)
            } else {
                transfer.close()
                transfer.exchange.fail(transfer.head == nil && transfer.interim.isEmpty ? error : asCut(error))
            }
        }
    }

    /// The error of an exchange whose response had begun: it is not stale.
    private func asCut(_ error: any Error) -> any Error {
        if case WireFault.stale(let underlying) = error { underlying ?? WireFault.cut } else { error }
    }

    private func close(_ context: ChannelHandlerContext) {
        guard !isClosed else {
            return
        }
        isClosed = true
        transfers = [:]
        streams = [:]
        senders = []
        pulse.take()?.cancel()
        probe.take()?.cancel()
        let waiting = queue
        queue = []
        if let connection {
            pool.closed(connection)
        }
        for exchange in waiting {
            exchange.pool.acquire(for: exchange)
        }
        flush(context)
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if (error as? NIOSSLError) == .uncleanShutdown {
            // The end follows.
            return
        }
        let isCut = error is IOError || error is ChannelError || error is NIOSSLError
        end(isCut && isReused ? WireFault.stale(underlying: error) : error, context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(isReused ? WireFault.stale(underlying: nil) : WireFault.cut, context)
        context.fireChannelInactive()
    }
}
