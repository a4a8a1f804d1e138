// SPDX-License-Identifier: MIT

import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOSSL
import NIOTLS

/// Sets up the pipelines of accepted connections.
struct ConnectionSetup: Sendable {
    /// The largest number of resets, errors or control frames in thirty seconds on an HTTP/2 connection.
    private static let permittedEvents = 10_000

    private let core: ServerCore
    private let tls: NIOSSLContext?
    private let allowsHTTP1: Bool
    private let maximumConcurrentStreams: Int

    init(
        core: ServerCore,
        mode: LoopbackServer.Mode,
        maximumConcurrentStreams: Int,
        requiredClient: TestIdentity?
    ) throws {
        self.core = core
        allowsHTTP1 = mode.protocols.contains("http/1.1")
        self.maximumConcurrentStreams = maximumConcurrentStreams
        tls = try mode.identity.map { identity in
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: [.certificate(identity.certificate)],
                privateKey: .privateKey(identity.privateKey)
            )
            configuration.applicationProtocols = mode.protocols
            if let requiredClient {
                configuration.certificateVerification = .noHostnameVerification
                configuration.trustRoots = .certificates([requiredClient.certificate])
            }
            return try NIOSSLContext(configuration: configuration)
        }
    }

    /// Sets up an accepted connection, on its event loop.
    func configure(_ channel: any Channel) throws {
        guard let number = core.log.update({ log in log.admitConnection() }) else {
            throw ChannelError.ioOnClosedChannel
        }
        let pipeline = channel.pipeline.syncOperations
        let connection = ConnectionHandler(number: number, core: core)
        try pipeline.addHandler(connection)
        core.register(ConnectionHandle(connection, eventLoop: channel.eventLoop), number: number)
        guard let tls else {
            try configureHTTP1(channel, connection)
            return
        }
        let tap = TransportTap(connection: number, log: core.log)
        try pipeline.addHandlers(NIOSSLServerHandler(context: tls), tap)
        let handlers = NIOLoopBound((connection, tap), eventLoop: channel.eventLoop)
        try pipeline.addHandler(
            ApplicationProtocolNegotiationHandler { result, channel in
                channel.eventLoop.makeCompletedFuture {
                    try configure(channel, negotiated: result, handlers)
                }
            }
        )
    }

    private func configure(
        _ channel: any Channel,
        negotiated: ALPNResult,
        _ handlers: NIOLoopBound<(ConnectionHandler, TransportTap)>
    ) throws {
        let connection = handlers.value.0
        if case .negotiated("h2") = negotiated {
            try configureHTTP2(channel, handlers)
        } else if allowsHTTP1 {
            try configureHTTP1(channel, connection)
        } else {
            let reason = "the client does not speak HTTP/2"
            let event = LoopbackEvent.connectionFailed(connection: connection.number, reason: reason)
            core.log.note(event)
            connection.close()
        }
    }

    private func configureHTTP1(_ channel: any Channel, _ connection: ConnectionHandler) throws {
        let closed = Gate()
        try channel.pipeline.syncOperations.addHandlers(
            ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)),
            HTTP1Codec(connection: connection, log: core.log, closed: closed)
        )
        try submit(channel, closed)
    }

    private func configureHTTP2(
        _ channel: any Channel,
        _ handlers: NIOLoopBound<(ConnectionHandler, TransportTap)>
    ) throws {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: maximumConcurrentStreams),
            HTTP2Setting(parameter: .maxHeaderListSize, value: 1 << 16),
        ]
        // The test decides what is sent, and its responses may be invalid on purpose.
        connection.contentLengthValidation = .disabled
        connection.headerBlockValidation = .disabled
        var stream = NIOHTTP2Handler.StreamConfiguration()
        // Tests quickly cancel many streams. NIO reserves memory for each permitted event, so a limit is necessary.
        stream.streamResetFrameRateLimit.maximumCount = Self.permittedEvents
        stream.streamErrorRateLimit.maximumCount = Self.permittedEvents
        connection.controlFrameRateLimit.maximumCount = Self.permittedEvents
        connection.maximumConnectionGlitches = Self.permittedEvents
        _ = try channel.pipeline.syncOperations.configureHTTP2Pipeline(
            mode: .server,
            connectionConfiguration: connection,
            streamConfiguration: stream
        ) { channel in
            channel.eventLoop.makeCompletedFuture {
                let (connection, tap) = handlers.value
                let closed = Gate()
                try channel.pipeline.syncOperations.addHandler(
                    HTTP2StreamCodec(connection: connection, tap: tap, log: core.log, closed: closed)
                )
                try submit(channel, closed)
            }
        }
        try channel.pipeline.syncOperations.addHandler(
            HTTP2FailureHandler(connection: handlers.value.0.number, log: core.log)
        )
    }

    private func submit(_ channel: any Channel, _ closed: Gate) throws {
        let wrapped = try NIOAsyncChannel<RequestPart, ResponsePart>(wrappingChannelSynchronously: channel)
        core.submit(ExchangeChannel(channel: wrapped, closed: closed))
    }
}
