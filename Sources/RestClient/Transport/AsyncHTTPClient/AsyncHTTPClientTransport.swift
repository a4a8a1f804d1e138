// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

import AsyncHTTPClient
import HTTPTypes
import HTTPWire
import NIOCore
import NIOHTTP1
import NIOSSL
import RestEssentials
import Synchronization

/// HTTP/1.1 and HTTP/2 over AsyncHTTPClient.
///
/// ``DirectTransport``, the default, leaves to it what it does not do itself. It exists with the package's trait
/// `AsyncHTTPClient`, which is on by default.
///
/// TLS verification is always enabled, except on loopback if
/// ``DirectTransport/Configuration/trustsAnyLoopbackCertificate`` disables it there. Connections are kept and reused; a
/// connection that cannot be established is reported at once. A request on a kept connection that its server has just
/// closed is sent again on another one, see ``send(_:)``. The transport closes its connections when it is released.
///
/// The transport guards its connections against responses that AsyncHTTPClient does not withstand, at positions that
/// only the versions of AsyncHTTPClient that this library is tested with are sure to have. If a connection of HTTP/2
/// cannot be guarded, nothing is sent over it, and the transport speaks HTTP/1.1 from then on. If one of HTTP/1.1
/// cannot be guarded, its requests fail with ``RestClientError/Code-swift.struct/transportFailed``;
/// ``DirectTransport`` sends them.
public final class AsyncHTTPClientTransport: CancellingTransport, UpgradingTransport {
    /// Time limits, connections and trust: the same as for the direct transport.
    public typealias Configuration = DirectTransport.Configuration

    /// True: no request is sent to a server whose key is none of the pinned ones.
    public var checksPinnedKeys: Bool { true }

    private let connections: Configuration
    private let upgrading: LazyTransport
    private let client: HTTPClient
    private let makeClient: @Sendable (Terms) -> HTTPClient
    private let otherClients = Mutex<[Terms: HTTPClient]>([:])
    private let unguarded: UnguardedVersions
    private let asksForCompression: Bool
    private let identity: ClientIdentity?
    private let tls: TLSConfiguration
    /// The TLS configuration for this machine, if it is less strict than elsewhere.
    private let loopbackTLS: TLSConfiguration?
    private let deadlines: DeadlineWatch
    private let parsed = ParsedURLs()

    private struct Terms: Hashable {
        var pins: Set<String> = []
        var isHTTP1Only = false
    }

    /// A transport with the default configuration, for managers to share.
    public static let shared = AsyncHTTPClientTransport()

    /// The event loops of all transports; on Apple platforms those of Network.framework.
    static let eventLoops: any EventLoopGroup = {
        #if canImport(Network)
        HTTPClient.defaultEventLoopGroup
        #else
        DirectTransport.eventLoops
        #endif
    }()

    /// Creates a transport with the default configuration.
    public convenience init() {
        self.init(configuration: Configuration(), tls: Configuration.defaultTLS)
    }

    /// Creates a transport.
    ///
    /// - Parameter configuration: Time limits, connections and trust.
    /// - Throws: ``RestClientError`` with the code ``RestClientError/Code-swift.struct/tlsFailed`` if a certificate or
    ///   a key cannot be read.
    public convenience init(configuration: Configuration) throws(RestClientError) {
        self.init(
            configuration: configuration,
            tls: try configuration.tlsConfiguration(),
            identity: try configuration.clientIdentity()
        )
    }

    convenience init(configuration: Configuration, hooks: ConnectionHooks) throws(RestClientError) {
        self.init(configuration: configuration, tls: try configuration.tlsConfiguration(), hooks: hooks)
    }

    init(
        configuration: Configuration,
        tls: TLSConfiguration,
        identity: ClientIdentity? = nil,
        hooks: ConnectionHooks = ConnectionHooks()
    ) {
        self.tls = tls
        self.identity = identity
        var settings = HTTPClient.Configuration(tlsConfiguration: tls)
        settings.redirectConfiguration = .disallow
        settings.timeout.connect = TimeAmount(configuration.connectTimeout)
        settings.connectionPool.idleTimeout = TimeAmount(configuration.idleTimeout)
        settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(1, configuration.connectionsPerHost)
        // This library reports and retries failed connections; hidden retries would use up the time.
        settings.connectionPool.retryConnectionEstablishment = false
        settings.httpVersion = configuration.usesHTTP2 ? .automatic : .http1Only
        // The tracer is a no-op that still costs a fifth of the throughput.
        settings.tracing.tracer = nil
        var hooks = hooks
        hooks.interimLimit = configuration.interimResponseLimit
        hooks.trustsAnyLoopbackCertificate = configuration.trustsAnyLoopbackCertificate
        let makeClient: @Sendable (Terms) -> HTTPClient = { [hooks, settings] terms in
            var (hooks, settings) = (hooks, settings)
            hooks.pinnedKeys = terms.pins
            if terms.isHTTP1Only {
                settings.httpVersion = .http1Only
            }
            hooks.install(in: &settings, requiresHTTP2: configuration.requiresHTTP2)
            return HTTPClient(eventLoopGroup: Self.eventLoops, configuration: settings)
        }
        client = makeClient(Terms())
        self.makeClient = makeClient
        unguarded = hooks.unguarded
        connections = configuration
        upgrading = LazyTransport(configuration)
        asksForCompression = configuration.asksForCompression
        var loopbackTLS = tls
        loopbackTLS.certificateVerification = .none
        self.loopbackTLS = configuration.trustsAnyLoopbackCertificate ? loopbackTLS : nil
        deadlines = DeadlineWatch(eventLoop: Self.eventLoops.next())
    }

    package var upgrades: DirectTransport { get throws(RestClientError) { try upgrading.transport } }

    deinit {
        client.shutdown { _ in }
        for client in otherClients.withLock({ $0.values.map(\.self) }) {
            client.shutdown { _ in }
        }
    }

    private func client(for pins: Set<String>) -> HTTPClient {
        let terms = Terms(pins: pins, isHTTP1Only: unguarded.contains(.http2) && !connections.requiresHTTP2)
        guard !terms.pins.isEmpty || terms.isHTTP1Only else {
            return client
        }
        return otherClients.withLock { clients in
            if let client = clients[terms] {
                return client
            }
            let client = makeClient(terms)
            clients[terms] = client
            return client
        }
    }

    /// Sends a request and waits for the complete response.
    ///
    /// A request on a connection that its server had just closed is sent again on another one, if no part of it was
    /// sent or its method is idempotent.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response, with any status.
    /// - Throws: ``RestClientError``, or `CancellationError` if the task is cancelled.
    public func send(_ request: TransportRequest) async throws -> RawResponse {
        try await perform(request, ResponseCollector(request)) { client, message, collector, end in
            try await exchange(message, collector, over: client, until: end)
            return try collector.response()
        }
    }

    /// Sends a request and waits for the head of its response.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response, with any status and with its body as a stream.
    /// - Throws: ``RestClientError``, or `CancellationError` if the task is cancelled.
    public func open(_ request: TransportRequest) async throws -> RawResponse {
        try await perform(request, ResponseStreamer(request, deadlines, of: self)) { client, message, streamer, end in
            try Self.response(try await head(message, streamer, over: client, until: end), streamer, to: request)
        }
    }

    /// Performs the exchange of a request, and repeats it if the server had just closed its connection and the request
    /// can be sent again.
    private func perform<Exchange: SendingExchange>(
        _ request: TransportRequest,
        _ makeExchange: @autoclosure () -> Exchange,
        _ perform: (HTTPClient, HTTPClient.Request, Exchange, NIODeadline?) async throws -> RawResponse
    ) async throws -> RawResponse {
        if request.isCancelled {
            throw CancellationError()
        }
        var latest: Exchange?
        do {
            try request.checkPins()
            try request.checkWayIsDirect(over: "AsyncHTTPClientTransport")
            var (message, streamed) = try message(for: request)
            let end = request.timeout.map { NIODeadline.now() + TimeAmount($0) }
            var client = client(for: request.pinnedKeys)
            var repetitions = 0
            var mayLeaveHTTP2 = !connections.requiresHTTP2
            while true {
                let exchange = makeExchange()
                latest = exchange
                if let streamed {
                    message.body = BodyUpload(content: streamed)
                        .body(on: Self.eventLoops.next(), of: exchange, unless: unguarded)
                }
                do {
                    request.cancellation?.waits(for: exchange)
                    defer { request.cancellation?.stopsWaiting() }
                    var response = try await perform(client, message, exchange, end)
                    if repetitions > 0 {
                        response.staleCount = UInt8(clamping: repetitions)
                    }
                    return response
                } catch
                    where repetitions < DirectTransport.repetitionLimit && !request.isCancelled && !Task.isCancelled
                    && StaleConnection.occasion(after: error, isSent: exchange.isSent)
                        .map(request.repetition.allows) ?? false
                {
                    repetitions += 1
                } catch let error as UnguardedConnection
                    where error.version == .http2 && mayLeaveHTTP2 && !request.isCancelled && !Task.isCancelled
                    && request.repetition.allows(.notProcessed)
                {
                    // Nothing was sent, and the next client does not offer HTTP/2.
                    mayLeaveHTTP2 = false
                    client = self.client(for: request.pinnedKeys)
                }
            }
        } catch {
            if request.isCancelled {
                throw CancellationError()
            }
            if let error = error as? BodySourceError {
                throw error.underlying
            }
            var failure = TransportFailure.error(for: error, url: request.url)
            if latest?.isSent == true {
                failure.isUnsent = false
            } else if error is IOError {
                failure.isUnsent = true
            }
            throw failure
        }
    }

    private func head(
        _ message: HTTPClient.Request,
        _ streamer: ResponseStreamer,
        over client: HTTPClient,
        until end: NIODeadline?
    ) async throws -> HTTPResponseHead {
        let ticket = end.map { deadlines.add(streamer, until: $0) }
        defer {
            if let ticket {
                deadlines.remove(ticket)
            }
        }
        let pace = watch(streamer, streamer.pace)
        defer { pace?.stop() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                streamer.begin(continuation)
                let task = client.execute(
                    request: message,
                    delegate: streamer,
                    eventLoop: .indifferent,
                    deadline: nil,
                    logger: nil
                )
                streamer.began(task)
            }
        } onCancel: {
            streamer.cancel()
        }
    }

    private func watch(_ exchange: any PacedExchange, _ pace: PaceRule) -> PaceWatch? {
        guard !pace.isEmpty else {
            return nil
        }
        let watch = PaceWatch(pace, of: exchange, deadlines)
        watch.expire()
        return watch
    }

    private static func response(
        _ head: HTTPResponseHead,
        _ streamer: ResponseStreamer,
        to request: TransportRequest
    ) throws(RestClientError) -> RawResponse {
        var response = try RawResponse(head, body: Data(), streamer.clock)
        guard head.status != .switchingProtocols || request.headers.contains(.upgrade) else {
            streamer.cancel()
            throw TransportFailure.unaskedUpgrade
        }
        try response.stream(from: streamer, to: request)
        return response
    }

    private func exchange(
        _ message: HTTPClient.Request,
        _ collector: ResponseCollector,
        over client: HTTPClient,
        until end: NIODeadline?
    ) async throws {
        let ticket = end.map { deadlines.add(collector, until: $0) }
        defer {
            if let ticket {
                deadlines.remove(ticket)
            }
        }
        let pace = watch(collector, collector.pace)
        defer { pace?.stop() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                collector.begin(continuation)
                let task = client.execute(
                    request: message,
                    delegate: collector,
                    eventLoop: .indifferent,
                    deadline: nil,
                    logger: nil
                )
                collector.began(task)
            }
        } onCancel: {
            collector.cancel()
        }
    }

    /// Returns the message for a request, and its body if it must be streamed.
    private func message(
        for request: TransportRequest
    ) throws -> (message: HTTPClient.Request, streamed: RequestBody?) {
        let url = WrittenTarget(of: request.url)
        var message = try parsed.message(to: url.encoded, method: HTTPMethod(rawValue: request.method.rawValue))
        var headers = HTTPHeaders()
        headers.reserveCapacity(request.headers.count + 3)
        for field in request.headers where field.name.canonicalName != WrittenTarget.field {
            headers.add(name: field.name.rawName, value: field.value)
        }
        if let written = url.written {
            headers.add(name: WrittenTarget.field, value: written)
        }
        if asksForCompression, !request.headers.contains(.acceptEncoding) {
            headers.add(name: "Accept-Encoding", value: ContentCoding.accepted)
        }
        message.headers = headers
        if let loopbackTLS, HTTPURL.isLoopback(message.host) {
            message.tlsConfiguration = loopbackTLS
        }
        // The client below keeps connections with equal configurations together.
        if request.withholdsCertificate(by: connections) {
            var tls = message.tlsConfiguration ?? tls
            tls.certificateChain = []
            tls.privateKey = nil
            message.tlsConfiguration = tls
        } else if let identity {
            var tls = message.tlsConfiguration ?? tls
            identity.apply(to: &tls)
            message.tlsConfiguration = tls
        }
        guard let body = request.body else {
            return (message, nil)
        }
        guard let bytes = body.bytes else {
            return (message, body)
        }
        let coded = body.codings.isEmpty ? bytes : try body.codings.coded(bytes)
        message.body = .byteBuffer(ByteBuffer(bytes: coded))
        return (message, nil)
    }
}

/// Caches the parsed URLs of recent requests: a client often uses the same URLs, and AsyncHTTPClient parses the URL of
/// each request twice.
///
/// A URL with a query is not cached, because it may contain a secret and is seldom used again.
final class ParsedURLs: Sendable {
    private static let limit = 128

    private let messages = Mutex<[String: HTTPClient.Request]>([:])

    func message(to url: String, method: HTTPMethod) throws -> HTTPClient.Request {
        if let message = messages.withLock({ $0[url] }), message.method == method {
            return message
        }
        let message = try HTTPClient.Request(url: url, method: method)
        if !url.utf8.contains(UInt8(ascii: "?")) {
            messages.withLock { messages in
                if messages.count >= Self.limit {
                    messages.removeAll(keepingCapacity: true)
                }
                messages[url] = message
            }
        }
        return message
    }
}

#endif
