// SPDX-License-Identifier: MIT

import BenchmarkSupport
import NIOCore
import NIOHTTP1

/// Responds to every request with one JSON record; below `/cached` the response may be cached for a day.
final class RecordHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let body = ByteBuffer(string: Record.json)
    private let plain = HTTPResponseHead(
        version: .http1_1,
        status: .ok,
        headers: [
            "Content-Type": "application/json", "Content-Length": String(Record.json.utf8.count),
            "Server": "benchmark", "ETag": "\"1\"",
        ]
    )
    private let cacheable = HTTPResponseHead(
        version: .http1_1,
        status: .ok,
        headers: [
            "Content-Type": "application/json", "Content-Length": String(Record.json.utf8.count),
            "Server": "benchmark", "ETag": "\"1\"", "Cache-Control": "private, max-age=86400",
            "Last-Modified": "Fri, 20 Nov 2026 12:34:56 GMT",
        ]
    )
    private var isCacheable = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            isCacheable = head.uri.hasPrefix("/cached")
        case .body:
            break
        case .end:
            context.write(wrapOutboundOut(.head(isCacheable ? cacheable : plain)), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
