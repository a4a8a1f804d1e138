// SPDX-License-Identifier: MIT

import AsyncHTTPClient
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
import RestEssentials

/// HTTP/1.1 and HTTP/2 over AsyncHTTPClient: the default transport everywhere.
///
/// TLS verification is always on. Connections are kept and reused; a connection that cannot be made is reported at once.
/// A request that meets a kept connection which its server has just given up goes out on another one, see ``send(_:)``. The
/// transport closes its connections when it is released.
public final class AsyncHTTPClientTransport: Transport {
    private let client: HTTPClient
    private let asksForCompression: Bool
    /// What is trusted on this machine, when that is more than elsewhere.
    private let loopbackTLS: TLSConfiguration?
    private let deadlines: DeadlineWatch
    private let parsed = ParsedURLs()

    /// The transport that managers share unless they are given another one.
    public static let shared = AsyncHTTPClientTransport()

    /// One event loop for each two processors: a second loop on two processors costs more in hand-overs than it brings.
    private static let eventLoops: any EventLoopGroup = {
        #if canImport(Network)
        HTTPClient.defaultEventLoopGroup
        #else
        MultiThreadedEventLoopGroup(numberOfThreads: max(1, System.coreCount / 2))
        #endif
    }()

    /// Creates a transport with the default configuration.
    public convenience init() {
        self.init(configuration: Configuration(), tls: .makeClientConfiguration())
    }

    /// Creates a transport.
    ///
    /// - Parameter configuration: Time limits, connections and trust.
    /// - Throws: ``RestClientError`` with the code ``RestClientError/Code-swift.struct/tlsFailed`` when a certificate or a
    ///   key cannot be read.
    public convenience init(configuration: Configuration) throws(RestClientError) {
        self.init(configuration: configuration, tls: try configuration.tlsConfiguration())
    }

    private init(configuration: Configuration, tls: TLSConfiguration) {
        var settings = HTTPClient.Configuration(tlsConfiguration: tls)
        settings.redirectConfiguration = .disallow
        settings.timeout.connect = TimeAmount(configuration.connectTimeout)
        settings.connectionPool.idleTimeout = TimeAmount(configuration.idleTimeout)
        settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = configuration.connectionsPerHost
        // A failed connection is this library's to report and to retry, not to be hidden until the time is up.
        settings.connectionPool.retryConnectionEstablishment = false
        settings.httpVersion = configuration.usesHTTP2 ? .automatic : .http1Only
        // The tracer is a no-op that still costs a fifth of the throughput.
        settings.tracing.tracer = nil
        let requiresHTTP2 = configuration.requiresHTTP2
        settings.http1_1ConnectionDebugInitializer = { channel in
            if requiresHTTP2 {
                channel.eventLoop.makeCompletedFuture {
                    try HTTP1Refusal.install(behind: ByteToMessageHandler<HTTPResponseDecoder>.self, on: channel)
                }
            } else {
                Self.guarded(channel, behind: ByteToMessageHandler<HTTPResponseDecoder>.self) { .now() }
            }
        }
        settings.http2StreamChannelDebugInitializer = { channel in
            Self.guarded(channel, behind: HTTP2FramePayloadToHTTP1ClientCodec.self) {
                ConnectionBirth.instant(ofConnectionWith: channel)
            }
        }
        settings.http2ConnectionDebugInitializer = { channel in
            channel.eventLoop.makeCompletedFuture { try ConnectionBirth.note(on: channel) }
        }
        client = HTTPClient(eventLoopGroup: Self.eventLoops, configuration: settings)
        asksForCompression = configuration.asksForCompression
        var loopbackTLS = tls
        loopbackTLS.certificateVerification = .none
        self.loopbackTLS = configuration.trustsAnyLoopbackCertificate ? loopbackTLS : nil
        deadlines = DeadlineWatch(eventLoop: Self.eventLoops.next())
    }

    deinit {
        client.shutdown { _ in }
    }

    /// Sends a request and waits for the whole response.
    ///
    /// A request that met a connection which its server had just given up is sent again on another one, if nothing of it was
    /// sent yet or its method is idempotent.
    ///
    /// - Parameter request: What to put on the wire.
    /// - Returns: The response, whatever its status.
    /// - Throws: ``RestClientError``, or `CancellationError` when the task is cancelled.
    public func send(_ request: TransportRequest) async throws -> RawResponse {
        try Task.checkCancellation()
        do {
            let message = try message(for: request)
            let end = request.timeout.map { NIODeadline.now() + TimeAmount($0) }
            var repetitions = 0
            while true {
                let collector = ResponseCollector(request)
                do {
                    try await exchange(message, collector, until: end)
                    return try collector.response()
                } catch
                    where repetitions < StaleConnection.repetitionLimit && !Task.isCancelled
                    && StaleConnection.allowsRepetition(
                        after: error,
                        isSent: collector.isSent,
                        isIdempotent: request.method.isIdempotent
                    )
                {
                    repetitions += 1
                }
            }
        } catch {
            if Task.isCancelled {
                throw CancellationError()
            }
            throw TransportFailure.error(for: error, url: request.url)
        }
    }

    /// Puts a request on the wire and waits for the end of its response.
    private func exchange(
        _ message: HTTPClient.Request,
        _ collector: ResponseCollector,
        until end: NIODeadline?
    ) async throws {
        let ticket = end.map { deadlines.add(collector, until: $0) }
        defer {
            if let ticket {
                deadlines.remove(ticket)
            }
        }
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

    /// Guards a new connection, or stream, against what its server may answer.
    private static func guarded<Decoder: ChannelHandler>(
        _ channel: any Channel,
        behind decoder: Decoder.Type,
        birth: () -> NIODeadline?
    ) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            try StatusGuard.install(behind: decoder, on: channel, birth: birth())
        }
    }

    private func message(for request: TransportRequest) throws -> HTTPClient.Request {
        var message = try parsed.message(to: request.url, method: HTTPMethod(rawValue: request.method.rawValue))
        var headers = HTTPHeaders()
        headers.reserveCapacity(request.headers.count + 3)
        for field in request.headers {
            headers.add(name: field.name.rawName, value: field.value)
        }
        if asksForCompression, !request.headers.contains(.acceptEncoding) {
            headers.add(name: "Accept-Encoding", value: ContentCoding.accepted)
        }
        message.headers = headers
        message.body = request.body.map { .byteBuffer(ByteBuffer(bytes: $0)) }
        if let loopbackTLS, HTTPURL.isLoopback(message.host) {
            message.tlsConfiguration = loopbackTLS
        }
        return message
    }
}

extension TimeAmount {
    /// The same length of time; one beyond what the type can hold becomes the longest one.
    fileprivate init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let (nanoseconds, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        // A century, which leaves room for adding the present.
        let longest: Int64 = 3_155_760_000_000_000_000
        self = .nanoseconds(
            overflows ? (seconds < 0 ? 0 : longest) : min(longest, nanoseconds + attoseconds / 1_000_000_000)
        )
    }
}
