// SPDX-License-Identifier: MIT

import HTTPTypes
import NIOCore
import NIOHPACK
import NIOHTTP2
import RestClient

/// Converts the frames of an HTTP/2 stream to the parts of a request, and parts to the frames of a response.
final class HTTP2StreamCodec: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = RequestPart
    typealias OutboundIn = ResponsePart
    typealias OutboundOut = HTTP2Frame.FramePayload

    private let tap: TransportTap
    private let closed: Gate
    private var exchanges: OpenExchanges
    private var hasHead = false
    private var hasEnded = false
    private var lastWrite: EventLoopFuture<Void>?

    init(tap: TransportTap, closed: Gate) {
        self.tap = tap
        self.closed = closed
        exchanges = OpenExchanges(log: tap.connection.core.log)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let frame) where !hasHead:
            hasHead = true
            context.fireChannelRead(wrapInboundOut(.head(request(frame.headers))))
            if frame.endStream {
                context.fireChannelRead(wrapInboundOut(.end(trailers: [:])))
            }
        case .headers(let frame):
            context.fireChannelRead(wrapInboundOut(.end(trailers: LoopbackHeaders(frame.headers))))
        case .data(let frame):
            if case .byteBuffer(let bytes) = frame.data, bytes.readableBytes > 0 {
                context.fireChannelRead(wrapInboundOut(.body(bytes)))
            }
            if frame.endStream {
                context.fireChannelRead(wrapInboundOut(.end(trailers: [:])))
            }
        default:
            break
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        exchanges.abort()
        closed.open()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .informational(let informational):
            let headers = HPACKHeaders(status: informational.status, informational.headers)
            send(.headers(.init(headers: headers)), context, promise)
        case .head(let head):
            let headers = HPACKHeaders(status: head.status, head.headers)
            hasEnded = head.isWholeResponse
            if hasEnded {
                exchanges.respond()
            }
            send(.headers(.init(headers: headers, endStream: hasEnded)), context, promise)
        case .body(let bytes):
            send(.data(.init(data: .byteBuffer(bytes))), context, promise)
        case .end(let trailers):
            end(trailers: trailers, context, promise)
        case .raw(let bytes):
            let written = context.eventLoop.makePromise(of: Void.self)
            written.futureResult.cascade(to: promise)
            lastWrite = written.futureResult
            tap.write(bytes, promise: written)
        case .finish(let ending):
            finish(ending, context, promise)
        }
    }

    private func end(trailers: LoopbackHeaders, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        guard !hasEnded else {
            promise?.succeed()
            return
        }
        hasEnded = true
        exchanges.respond()
        if trailers.lines.isEmpty {
            send(.data(.init(data: .byteBuffer(ByteBuffer()), endStream: true)), context, promise)
        } else {
            send(.headers(.init(headers: HPACKHeaders(trailers), endStream: true)), context, promise)
        }
    }

    private func finish(
        _ ending: LoopbackResponse.Ending,
        _ context: ChannelHandlerContext,
        _ promise: EventLoopPromise<Void>?
    ) {
        let sent = (lastWrite ?? context.eventLoop.makeSucceededVoidFuture()).assumeIsolated()
        exchanges.finish(ending)
        if case .resetStream(let code) = ending {
            let reset = wrapOutboundOut(.rstStream(HTTP2ErrorCode(networkCode: code)))
            sent.whenComplete { _ in context.writeAndFlush(reset, promise: nil) }
        } else {
            tap.connection.end(ending, after: sent)
        }
        context.flush()
        promise?.succeed()
    }

    private func send(
        _ frame: HTTP2Frame.FramePayload,
        _ context: ChannelHandlerContext,
        _ promise: EventLoopPromise<Void>?
    ) {
        let written = promise ?? context.eventLoop.makePromise(of: Void.self)
        lastWrite = written.futureResult
        context.write(wrapOutboundOut(frame), promise: written)
    }

    private func request(_ headers: HPACKHeaders) -> LoopbackRequest {
        LoopbackRequest(
            number: exchanges.start(),
            connection: tap.connection.number,
            version: .http2,
            method: HTTPRequest.Method(headers.first(name: ":method") ?? "") ?? .get,
            target: headers.first(name: ":path") ?? "",
            authority: headers.first(name: ":authority"),
            headers: LoopbackHeaders(headers)
        )
    }
}

extension LoopbackHeaders {
    fileprivate init(_ headers: HPACKHeaders) {
        self.init(
            headers.compactMap { name, value, _ in
                name.hasPrefix(":") ? nil : Line(name, value)
            }
        )
    }
}

extension HPACKHeaders {
    fileprivate init(status: Int, _ headers: LoopbackHeaders) {
        self.init([(":status", String(status))])
        add(headers)
    }

    fileprivate init(_ headers: LoopbackHeaders) {
        self.init()
        add(headers)
    }

    private mutating func add(_ headers: LoopbackHeaders) {
        for line in headers.lines {
            add(name: line.name.lowercased(), value: line.value)
        }
    }
}

/// Closes an HTTP/2 connection that failed, and logs the failure.
final class HTTP2FailureHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    private let connection: ConnectionHandler

    init(connection: ConnectionHandler) {
        self.connection = connection
    }

    /// Closes the connection; an error in one stream does not affect the others.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !(error is NIOHTTP2Errors.StreamError) else {
            return
        }
        connection.noteFailure(String(describing: error))
        context.close(promise: nil)
    }
}
