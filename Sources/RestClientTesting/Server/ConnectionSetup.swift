// SPDX-License-Identifier: MIT

import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOSSL
import NIOTLS
import RestClient

struct ConnectionSetup: Sendable {
    let core: ServerCore
    private let tls: NIOSSLContext?
    private let allowsHTTP1: Bool

    init(core: ServerCore, mode: LoopbackServer.Mode, requiredClient: TestIdentity?) throws {
        self.core = core
        allowsHTTP1 = mode.protocols.contains("http/1.1")
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
        core.register(NIOLoopBound(connection, eventLoop: channel.eventLoop), number: number)
        guard let tls else {
            try configureHTTP1(channel, connection)
            return
        }
        let tap = TransportTap(connection)
        try pipeline.addHandlers(NIOSSLServerHandler(context: tls), tap)
        let boundTap = NIOLoopBound(tap, eventLoop: channel.eventLoop)
        try pipeline.addHandler(
            ApplicationProtocolNegotiationHandler { result, channel in
                channel.eventLoop.makeCompletedFuture {
                    try configure(channel, negotiated: result, boundTap)
                }
            }
        )
    }

    private func configure(
        _ channel: any Channel,
        negotiated: ALPNResult,
        _ tap: NIOLoopBound<TransportTap>
    ) throws {
        let connection = tap.value.connection
        if case .negotiated("h2") = negotiated {
            try configureHTTP2(channel, tap)
        } else if allowsHTTP1 {
            try configureHTTP1(channel, connection)
        } else {
            connection.noteFailure("the client does not speak HTTP/2")
            connection.close()
        }
    }

    private func configureHTTP1(_ channel: any Channel, _ connection: ConnectionHandler) throws {
        let closed = Gate()
        try channel.pipeline.syncOperations.addHandlers(
            ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)),
            HTTP1Codec(connection: connection, closed: closed)
        )
        try submit(channel, closed)
    }

    func submit(_ channel: any Channel, _ closed: Gate) throws {
        let wrapped = try NIOAsyncChannel<RequestPart, ResponsePart>(wrappingChannelSynchronously: channel)
        core.submit(ExchangeChannel(channel: wrapped, closed: closed))
    }
}

/// Converts parsed HTTP/1.1 requests to parts, and parts to the bytes of responses, valid or not.
final class HTTP1Codec: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = RequestPart
    typealias OutboundIn = ResponsePart
    typealias OutboundOut = ByteBuffer

    private let connection: ConnectionHandler
    private let closed: Gate
    private var exchanges: OpenExchanges
    private var isChunked = false

    init(connection: ConnectionHandler, closed: Gate) {
        self.connection = connection
        self.closed = closed
        exchanges = OpenExchanges(log: connection.core.log)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part: RequestPart =
            switch unwrapInboundIn(data) {
            case .head(let head): .head(request(head))
            case .body(let buffer): .body(buffer)
            case .end(let trailers): .end(trailers: trailers.map { LoopbackHeaders($0) } ?? [:])
            }
        context.fireChannelRead(wrapInboundOut(part))
    }

    func channelInactive(context: ChannelHandlerContext) {
        exchanges.abort()
        closed.open()
        context.fireChannelInactive()
    }

    /// Responds to malformed requests with 400; a connection that is reset or ends within a request is only closed.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? HTTPParserError, error != .invalidEOFState else {
            context.close(promise: nil)
            return
        }
        connection.noteFailure(String(describing: error))
        let headers: LoopbackHeaders = ["Content-Length": "0", "Connection": "close"]
        let head = ResponseHead(status: 400, reason: nil, headers: headers, isChunked: false, isWholeResponse: true)
        write(.head(head), context, nil)
        write(.finish(.close), context, nil)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        write(unwrapOutboundIn(data), context, promise)
    }

    private func write(_ part: ResponsePart, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        var output = context.channel.allocator.buffer(capacity: 0)
        switch part {
        case .informational(let informational):
            output.writeHead(status: informational.status, reason: nil, headers: informational.headers)
        case .head(let head):
            isChunked = head.isChunked
            output.writeHead(status: head.status, reason: head.reason, headers: head.headers)
        case .body(var bytes) where isChunked:
            output.writeString(String(bytes.readableBytes, radix: 16) + "\r\n")
            output.writeBuffer(&bytes)
            output.writeString("\r\n")
        case .body(let bytes), .raw(let bytes):
            output = bytes
        case .end(let trailers):
            if isChunked {
                output.writeString("0\r\n")
                output.writeHeaders(trailers)
            }
            isChunked = false
            exchanges.respond()
        case .finish(let ending):
            let sent = context.writeAndFlush(wrapOutboundOut(ByteBuffer())).assumeIsolated()
            exchanges.finish(ending)
            connection.end(ending, after: sent)
        }
        context.write(wrapOutboundOut(output), promise: promise)
    }

    private func request(_ head: HTTPRequestHead) -> LoopbackRequest {
        LoopbackRequest(
            number: exchanges.start(),
            connection: connection.number,
            version: head.version == .http1_0 ? .http10 : .http11,
            method: HTTPRequest.Method(head.method.rawValue) ?? .get,
            target: head.uri,
            authority: head.headers.first(name: "host"),
            headers: LoopbackHeaders(head.headers)
        )
    }
}

extension LoopbackHeaders {
    fileprivate init(_ headers: HTTPHeaders) {
        self.init(
            headers.map { name, value in
                let end = value.lastIndex { character in character != " " && character != "\t" }
                return Line(name, end.map { end in String(value[...end]) } ?? "")
            }
        )
    }
}

extension ByteBuffer {
    fileprivate mutating func writeHead(status: Int, reason: String?, headers: LoopbackHeaders) {
        let usualReason = status == 103 ? "Early Hints" : HTTPResponseStatus(statusCode: status).reasonPhrase
        let reason = reason ?? usualReason
        writeString("HTTP/1.1 \(status) \(reason)\r\n")
        writeHeaders(headers)
    }

    fileprivate mutating func writeHeaders(_ headers: LoopbackHeaders) {
        for line in headers.lines {
            writeString("\(line.name): ")
            writeBytes(FieldText.bytes(of: line.value))
            writeString("\r\n")
        }
        writeString("\r\n")
    }
}
