// SPDX-License-Identifier: MIT

import HTTPTypes
import HTTPWire
package import NIOCore
import NIOFoundationEssentialsCompat
import NIOPosix
import NIOSSL
import RestEssentials
import Synchronization

/// HTTP/1.1 and HTTP/2 over SwiftNIO, with connections of its own: the default transport on all platforms.
///
/// It refuses each response that two readers could read in two ways. Requests and responses may be streamed: a
/// connection is read and written only as fast as the other side takes the bytes.
///
/// A server of `https` chooses the version in the TLS handshake of the one connection that is made. With HTTP/2, all
/// requests to it share that connection; with HTTP/1.1, each has one of its own. Without ``Configuration/usesHTTP2``
/// nothing but HTTP/1.1 is offered. Servers of `http` get HTTP/1.1.
///
/// A request with an `Upgrade` field of its own is sent over HTTP/1.1; a server that agrees to it (101) is an error, as
/// only WebSockets take a connection over. `CONNECT`, which opens a tunnel, is refused before anything is sent.
///
/// TLS verification is on, except on loopback if ``Configuration/trustsAnyLoopbackCertificate`` turns it off there. A
/// connection that cannot be made is reported at once. A request with an idempotent method on a kept connection that
/// its server has just closed is sent again on another one. The transport closes its connections when it is released.
public final class DirectTransport: CancellingTransport {
    /// The transport that managers share unless they have one of their own.
    public static let shared = DirectTransport(Configuration(), Configuration.defaultTLS, nil)

    /// The maximum number of repetitions of one request, because the next connection may have ended at the same moment.
    static let repetitionLimit = 3

    /// One event loop per two processors: on two processors, a second loop costs more in thread switches than it gains.
    package static let eventLoops: any EventLoopGroup = MultiThreadedEventLoopGroup(
        numberOfThreads: max(1, System.coreCount / 2)
    )

    /// True: no request is sent to a server whose key is none of the pinned ones.
    public var checksPinnedKeys: Bool { true }

    /// True: requests go through the proxies, and to the places, that their options say.
    public var followsRoutes: Bool { true }

    private let connections: Configuration
    private let targets: WireTargets
    private let deadlines: DeadlineWatch
    private let acceptEncoding: String?

    /// Creates a transport with the default configuration.
    public convenience init() {
        self.init(Configuration(), Configuration.defaultTLS, nil)
    }

    /// Creates a transport.
    ///
    /// - Parameter configuration: Time limits, connections and trust.
    /// - Throws: ``RestClientError`` with the code ``RestClientError/Code-swift.struct/tlsFailed`` if a certificate or
    ///   a key cannot be read.
    public convenience init(configuration: Configuration) throws(RestClientError) {
        self.init(configuration, try configuration.tlsConfiguration(), try configuration.clientIdentity())
    }

    private init(_ configuration: Configuration, _ tls: TLSConfiguration, _ identity: ClientIdentity?) {
        connections = configuration
        acceptEncoding = configuration.asksForCompression ? ContentCoding.accepted : nil
        var wire = WireConfiguration()
        wire.connectTimeout = TimeAmount(configuration.connectTimeout)
        wire.idleTimeout = TimeAmount(configuration.idleTimeout)
        wire.maximumAge = configuration.maximumConnectionAge.map { TimeAmount($0) }
        // Without any connection, each call would wait for ever.
        wire.connectionsPerOrigin = max(1, configuration.connectionsPerHost)
        wire.offersHTTP2 = configuration.usesHTTP2
        wire.limits.interimCount = configuration.interimResponseLimit
        wire.tls = tls
        if let identity {
            wire.currentIdentity = { identity.current() }
        }
        if configuration.trustsAnyLoopbackCertificate {
            var unchecked = tls
            unchecked.certificateVerification = .none
            wire.uncheckedTLS = unchecked
        }
        targets = WireTargets(
            WireClient(wire, on: DirectTransport.eventLoops),
            trustsLoopback: configuration.trustsAnyLoopbackCertificate,
            versions: configuration.requiresHTTP2 ? .http2 : .any
        )
        deadlines = DeadlineWatch(eventLoop: DirectTransport.eventLoops.next())
    }

    /// Sends a request and waits for the complete response.
    public func send(_ request: TransportRequest) async throws -> RawResponse {
        try await perform(request, streams: false)
    }

    /// Sends a request and waits for the head of its response.
    public func open(_ request: TransportRequest) async throws -> RawResponse {
        try await perform(request, streams: true)
    }

    /// Sends a request to change the protocol of its connection, which is of HTTP/1.1.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - takeOver: Makes a connection whose server responds with 101 that of another protocol, on its event loop, or
    ///     throws if the fields do not allow it.
    /// - Returns: The response: with the new owner of the connection as its stream, or any other one with its body.
    /// - Throws: ``RestClientError``, the error of the closure, or `CancellationError` if the task is cancelled.
    package func upgrade(
        _ request: TransportRequest,
        by takeOver: @escaping @Sendable (_ response: HTTPFields, _ connection: any Channel) throws -> any ByteSource
    ) async throws -> RawResponse {
        try request.checkPins()
        let end = request.timeout.map { NIODeadline.now() + TimeAmount($0) }
        let choice = try request.way?.choice(for: request.url, isHandedOver: true)
        let target = try target(of: request, choice, isUpgrade: true)
        let owner = Mutex<(any ByteSource)?>(nil)
        var response = try await perform(request, at: target, choice, until: end, streams: false) { head, channel in
            let source = try takeOver(head.fields, channel)
            owner.withLock { $0 = source }
        }
        response.stream = owner.withLock { $0.take() }.map { ByteStream($0) }
        return response
    }

    private func perform(_ request: TransportRequest, streams: Bool) async throws -> RawResponse {
        try request.checkPins()
        let end = request.timeout.map { NIODeadline.now() + TimeAmount($0) }
        let isUpgrade = request.headers.contains(.upgrade)
        let choice = try request.way?.choice(for: request.url, isHandedOver: isUpgrade)
        guard request.method != .connect else {
            throw refusal(of: request, "CONNECT opens a tunnel, of which a call could make no use")
        }
        guard !isUpgrade || !connections.requiresHTTP2 else {
            throw refusal(of: request, "HTTP/2, which the transport requires, has no Upgrade field")
        }
        let target = try target(of: request, choice, isUpgrade: isUpgrade)
        return try await perform(request, at: target, choice, until: end, streams: streams)
    }

    private func perform(
        _ request: TransportRequest,
        at target: WireTarget,
        _ choice: RequestWay.Choice?,
        until end: NIODeadline?,
        streams: Bool,
        takeOver: WireExchange.TakeOver? = nil
    ) async throws -> RawResponse {
        if request.isCancelled {
            throw CancellationError()
        }
        do {
            return try await respond(to: request, at: target, choice, until: end, streams: streams, takeOver)
        } catch {
            if request.isCancelled {
                throw CancellationError()
            }
            if case WireFault.bodyOverLimit = error {
                throw TransportFailure.bodyOverLimit(request.responseLimit)
            }
            if let error = error as? BodySourceError {
                throw error.underlying
            }
            throw TransportFailure.error(for: error, url: request.url)
        }
    }

    private func target(
        of request: TransportRequest,
        _ choice: RequestWay.Choice?,
        isUpgrade: Bool
    ) throws(RestClientError) -> WireTarget {
        let terms = terms(of: request, choice)
        let target =
            try isUpgrade ? targets.upgradeTarget(of: request.url, terms) : targets.target(of: request.url, terms)
        guard let target else {
            throw RestClientError(.invalidURL, "'\(Redaction.url(request.url))' is not a valid request URL")
        }
        return target
    }

    private func refusal(of request: TransportRequest, _ reason: String) -> RestClientError {
        TransportFailure.error(for: WireFault.invalidRequest(reason), url: request.url)
    }

    private func terms(of request: TransportRequest, _ choice: RequestWay.Choice?) -> WireTargets.Terms {
        WireTargets.Terms(
            pins: request.pinnedKeys,
            isAnonymous: request.withholdsCertificate(by: connections),
            way: choice?.way ?? .direct
        )
    }

    /// Performs the exchange of a request, and repeats it if the server had just closed its connection and the request
    /// can be sent again.
    private func respond(
        to request: TransportRequest,
        at target: WireTarget,
        _ choice: RequestWay.Choice?,
        until end: NIODeadline?,
        streams: Bool,
        _ takeOver: WireExchange.TakeOver?
    ) async throws -> RawResponse {
        var message = try message(for: request, at: target)
        let limit = streams ? .max : max(0, request.responseLimit)
        let pace = PaceRule(firstByte: request.firstByteTimeout, nextByte: streams ? nil : request.idleTimeout)
        var repetitions = 0
        while true {
            let exchange = WireExchange(
                message,
                over: target.pool,
                limit: limit,
                codedLimit: ContentCoding.wireLimit(limit),
                isWatched: !pace.isEmpty,
                streams: streams,
                takeOver: takeOver
            )
            do {
                let response = try await response(of: exchange, to: request, until: end, at: pace)
                if message.expectsContinue, response.head.status == 417, request.repetition.allows(.notProcessed) {
                    // The server understands no expectation, which says nothing about the request itself.
                    exchange.cancel()
                    message = try self.message(for: request, at: target, expects: false)
                    continue
                }
                if response.head.status == 407, target.isForwarded, let proxy = target.proxy {
                    // The answer of the proxy is not one of the server, and neither is its body.
                    exchange.cancel()
                    throw ProxyFault(proxy, .unauthorized)
                }
                var result =
                    try streams
                    ? RawResponse(response)
                    : RawResponse(response, limit: limit, decompressionLimit: request.decompressionLimit)
                result.way = choice?.sentence(response.times.steps)
                if repetitions > 0 {
                    result.staleCount = UInt8(clamping: repetitions)
                }
                if streams {
                    try result.stream(from: WireSource(exchange, of: request, deadlines), to: request)
                }
                return result
            } catch WireFault.stale
                where repetitions < Self.repetitionLimit && !request.isCancelled
                && request.repetition.allows(.staleConnection)
            {
                repetitions += 1
            } catch WireFault.unprocessed
                where repetitions < Self.repetitionLimit && !request.isCancelled
                && request.repetition.allows(.notProcessed)
            {
                repetitions += 1
            } catch {
                if error is CancellationError || error is BodySourceError {
                    throw error
                }
                if case WireFault.bodyOverLimit = error {
                    throw error
                }
                // Also an error of the library from the source of the body is one of this exchange.
                var failure =
                    takeOver == nil && request.headers.contains(.upgrade)
                    ? TransportFailure.errorOfUpgrade(error, url: request.url, by: choice)
                    : TransportFailure.error(for: error, url: request.url, by: choice)
                failure.isUnsent = exchange.isUnsent || error is ProxyFault
                if case WireFault.unprocessed = error {
                    failure.isUnsent = true
                }
                throw failure
            }
        }
    }

    private func message(
        for request: TransportRequest,
        at target: WireTarget,
        expects: Bool = true
    ) throws -> WireRequest {
        let body = try request.body.flatMap { body in try body.bytes.map { try body.codings.coded($0) } }
        var fields = request.headers
        if let proxy = target.proxy {
            // What is for a proxy goes through no tunnel.
            fields[.proxyAuthorization] = target.isForwarded ? proxy.authorization ?? fields[.proxyAuthorization] : nil
        }
        if !expects {
            fields[.expect] = nil
        } else if request.continueTimeout != nil, let body = request.body, body.length != 0 {
            fields[.expect] = "100-continue"
        }
        return try WireRequest(
            method: request.method.rawValue,
            target: target.pathAndQuery,
            host: target.host,
            fields: fields,
            acceptEncoding: request.headers.contains(.acceptEncoding) ? nil : acceptEncoding,
            body: body,
            stream: body == nil ? request.body.map { BodyUpload(content: $0).stream } : nil,
            continueTimeout: request.continueTimeout.map { TimeAmount($0) }
        )
    }

    private func response(
        of exchange: WireExchange,
        to request: TransportRequest,
        until end: NIODeadline?,
        at pace: PaceRule
    ) async throws -> WireResponse {
        let ticket = end.map { deadlines.add(exchange, until: $0) }
        let watch = pace.isEmpty ? nil : PaceWatch(pace, of: exchange, deadlines)
        watch?.expire()
        request.cancellation?.waits(for: exchange)
        defer {
            request.cancellation?.stopsWaiting()
            watch?.stop()
            if let ticket {
                deadlines.remove(ticket)
            }
        }
        return try await exchange.response()
    }
}

extension WireExchange: CancellableWork {}

extension WireExchange: PacedExchange {
    func expire(because delay: PaceRule.Delay) {
        end(early: delay.error)
    }
}

final class WireSource: ByteSource {
    private let exchange: WireExchange
    private let url: String
    private let idleTimeout: Duration?
    private let surplusHandler: (@Sendable () -> Void)?
    private let deadlines: DeadlineWatch

    init(_ exchange: WireExchange, of request: TransportRequest, _ deadlines: DeadlineWatch) {
        self.exchange = exchange
        url = request.url
        idleTimeout = request.idleTimeout
        surplusHandler = request.surplusHandler
        self.deadlines = deadlines
    }

    func next() async throws -> Data? {
        let ticket = idleTimeout.map { deadlines.add(exchange, until: NIODeadline.now() + TimeAmount($0)) }
        defer {
            if let ticket {
                deadlines.remove(ticket)
            }
        }
        do {
            guard let chunk = try await exchange.nextChunk() else {
                if let surplusHandler, exchange.hasSurplus {
                    surplusHandler()
                }
                return nil
            }
            return Data(buffer: chunk)
        } catch let error as BodySourceError {
            throw error.underlying
        } catch {
            throw error is CancellationError ? error : TransportFailure.errorAfterHead(error, url: url)
        }
    }

    func cancel() {
        exchange.cancel()
    }
}
