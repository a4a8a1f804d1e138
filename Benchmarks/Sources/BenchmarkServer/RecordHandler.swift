// SPDX-License-Identifier: MIT

import NIOCore
import NIOHTTP1

/// Answers every request with one JSON record.
final class RecordHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let body = ByteBuffer(string: Record.json)
    private let head = HTTPResponseHead(
        version: .http1_1,
        status: .ok,
        headers: [
            "Content-Type": "application/json", "Content-Length": String(Record.json.utf8.count),
            "Server": "benchmark", "ETag": "\"1\"",
        ]
    )

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .end = unwrapInboundIn(data) else {
            return
        }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
