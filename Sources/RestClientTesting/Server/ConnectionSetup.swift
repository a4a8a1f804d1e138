// SPDX-License-Identifier: MIT

import NIOCore
import NIOHTTP1
import NIOSSL
import NIOTLS

struct ConnectionSetup: Sendable {
    let core: ServerCore
    private let tls: NIOSSLContext?
    private let allowsHTTP1: Bool
    let maximumConcurrentStreams: Int

    init(
        core: ServerCore,
        mode: LoopbackServer.Mode,
        maximumConcurrentStreams: Int,
        requiredClient: TestIdentity?
    ) throws {
        self.core = core
        allowsHTTP1 = mode.protocols.contains("http/1.1")
        if mode.protocols.contains("h2") {
            try Self.requireHTTP2()
        }
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

    func submit(_ channel: any Channel, _ closed: Gate) throws {
        let wrapped = try NIOAsyncChannel<RequestPart, ResponsePart>(wrappingChannelSynchronously: channel)
        core.submit(ExchangeChannel(channel: wrapped, closed: closed))
    }
}
