// SPDX-License-Identifier: MIT

import HTTPTypes
import NIOCore
import NIOFoundationEssentialsCompat
import NIOHTTP1
import NIOTLS
import NIOWebSocket
import RestClient
import RestEssentials

/// Sends the request of the opening handshake, and makes a connection of the channel if the response agrees.
final class HandshakeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    /// The outcome of a handshake.
    enum Outcome: Sendable {
        case upgraded(HTTPFields, ChannelLink)
        case response(RawResponse)
    }

    private let request: HandshakeRequest
    private let options: WebSocketOptions
    /// The terms of the server, which are checked before anything is sent to it; `nil` without TLS.
    private let terms: ServerTerms?
    /// The end of the time for connecting, of which TLS is a part.
    private let connectDeadline: NIODeadline
    private let pause: ChannelLink.Pause
    private let promise: EventLoopPromise<Outcome>
    private let handover: HandoverHandler
    private let encoder: HTTPRequestEncoder
    private let decoder: ByteToMessageHandler<HTTPResponseDecoder>
    private var deadline: Scheduled<Void>?
    /// Runs when TLS was not set up in time; `nil` while the connection is being made, whose limit is the bootstrap's.
    private var securing: Scheduled<Void>?
    private var head: HTTPResponseHead?
    private var body = ByteBuffer()
    private var isSent = false

    init(
        _ request: HandshakeRequest,
        _ options: WebSocketOptions,
        terms: ServerTerms?,
        connectDeadline: NIODeadline,
        handover: HandoverHandler,
        encoder: HTTPRequestEncoder,
        decoder: ByteToMessageHandler<HTTPResponseDecoder>,
        pause: @escaping ChannelLink.Pause,
        promise: EventLoopPromise<Outcome>
    ) {
        self.request = request
        self.options = options
        self.terms = terms
        self.connectDeadline = connectDeadline
        self.handover = handover
        self.encoder = encoder
        self.decoder = decoder
        self.pause = pause
        self.promise = promise
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if let timeout = request.timeout {
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            deadline = context.eventLoop.scheduleTask(in: timeout) {
                let (handler, context) = bound.value
                let host = handler.request.authority
                handler.fail(RestClientError(.timeout, "\(host) did not respond in time"), context)
            }
        }
        if context.channel.isActive {
            begin(context)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        securing?.cancel()
        // Does nothing if the handshake has ended.
        promise.fail(ChannelError.ioOnClosedChannel)
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    /// Sends the request, or waits for TLS as long as connecting may take.
    private func begin(_ context: ChannelHandlerContext) {
        guard terms != nil else {
            send(context)
            return
        }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        securing = context.eventLoop.scheduleTask(deadline: connectDeadline) {
            let (handler, context) = bound.value
            let host = handler.request.authority
            handler.fail(TransportFailure.notConnectedInTime(host), context)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let terms, case .handshakeCompleted = event as? TLSUserEvent {
            securing?.cancel()
            if let fault = terms.fault(of: context.channel) {
                fail(TransportFailure.error(for: fault, url: request.url), context)
            } else {
                send(context)
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    private func send(_ context: ChannelHandlerContext) {
        guard !isSent else {
            return
        }
        isSent = true
        context.write(wrapOutboundOut(.head(request.head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
        case .body(var part):
            guard part.readableBytes <= request.responseLimit - body.readableBytes else {
                fail(TransportFailure.bodyOverLimit(request.responseLimit), context)
                return
            }
            body.writeBuffer(&part)
        case .end:
            finish(context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(TransportFailure.error(for: error, url: request.url), context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(
            RestClientError(.connectionClosed, "\(request.authority) cut the connection before it responded"),
            context
        )
        context.fireChannelInactive()
    }

    private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
        promise.fail(error)
        context.close(promise: nil)
    }

    // MARK: - The response

    private func finish(_ context: ChannelHandlerContext) {
        guard let head, (100..<1_000).contains(head.status.code) else {
            fail(RestClientError(.malformedResponse, "the response has no valid status"), context)
            return
        }
        guard !head.headers.contains(where: { MarkRun.isExcessive($0.value) }) else {
            let reason = "the value of a field has too many combining marks in a row"
            fail(RestClientError(.malformedResponse, reason), context)
            return
        }
        var fields: HTTPFields = [:]
        for (name, value) in head.headers {
            if let name = HTTPField.Name(name) {
                fields.append(HTTPField(name: name, value: value))
            }
        }
        guard head.status == .switchingProtocols else {
            let status = HTTPResponse.Status(code: Int(head.status.code), reasonPhrase: head.status.reasonPhrase)
            promise.succeed(.response(RawResponse(status: status, headers: fields, body: Data(buffer: body))))
            context.close(promise: nil)
            return
        }
        do {
            let terms = try HandshakeRules.check(
                fields,
                key: request.key,
                offered: options.subprotocols,
                offersCompression: options.offersCompression
            )
            try upgrade(fields, terms, context)
        } catch {
            fail(error, context)
        }
    }

    /// Replaces the handlers of HTTP by those of frames.
    private func upgrade(
        _ fields: HTTPFields,
        _ compression: CompressionTerms?,
        _ context: ChannelHandlerContext
    ) throws {
        deadline?.cancel()
        try context.channel.syncOptions?.setOption(.autoRead, value: false)
        let pipeline = context.pipeline.syncOperations
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        // The decoder goes later; what comes meanwhile is held in front of it.
        pipeline.removeHandler(encoder).and(pipeline.removeHandler(decoder))
            .whenComplete { result in
                let (handler, context) = bound.value
                do {
                    _ = try result.get()
                    try handler.connect(fields, compression, context)
                } catch {
                    handler.fail(error, context)
                }
            }
    }

    private func connect(
        _ fields: HTTPFields,
        _ compression: CompressionTerms?,
        _ context: ChannelHandlerContext
    ) throws {
        let pipeline = context.pipeline.syncOperations
        let link = ChannelLink(context.channel, options, host: request.authority, pause: pause)
        let url = request.url
        let frameLimit = min(max(125, options.messageLimit), Int(UInt32.max))
        try pipeline.addHandlers([
            WebSocketFrameEncoder(),
            ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: frameLimit)),
            link.makeHandler(codec: try compression.map { try MessageCodec($0) }) {
                TransportFailure.error(for: $0, url: url)
            },
        ])
        promise.succeed(.upgraded(fields, link))
        link.keepAlive()
        pipeline.removeHandler(context: context, promise: nil)
        handover.release(try pipeline.context(handler: handover))
    }
}
