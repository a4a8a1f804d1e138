// SPDX-License-Identifier: MIT

import BenchmarkSupport
import NIOCore
import NIOHTTP1

/// Responds to every request with one JSON record; below `/cached` the response may be cached for a day.
///
/// The response to `/fill/N` is N bytes, sent as fast as the client reads.
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
    private let piece = ByteBuffer(repeating: 97, count: 256 << 10)
    private var isCacheable = false
    private var fillCount: Int?
    /// The bytes of a fill that have not been sent; `nil` if none is under way.
    private var remaining: Int?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            isCacheable = head.uri.hasPrefix("/cached")
            fillCount = head.uri.hasPrefix("/fill/") ? Int(head.uri.dropFirst(6)) : nil
        case .body:
            break
        case .end:
            if let fillCount {
                var head = plain
                head.headers.replaceOrAdd(name: "Content-Length", value: String(fillCount))
                context.write(wrapOutboundOut(.head(head)), promise: nil)
                remaining = fillCount
                fill(context)
                return
            }
            context.write(wrapOutboundOut(.head(isCacheable ? cacheable : plain)), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        fill(context)
        context.fireChannelWritabilityChanged()
    }

    /// Sends as much of a fill as the connection takes.
    private func fill(_ context: ChannelHandlerContext) {
        while let count = remaining, context.channel.isWritable {
            var piece = piece
            let part = piece.readSlice(length: min(count, piece.readableBytes)) ?? piece
            remaining = count > part.readableBytes ? count - part.readableBytes : nil
            context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(part))), promise: nil)
            if remaining == nil {
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
