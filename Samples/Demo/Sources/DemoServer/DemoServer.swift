// SPDX-License-Identifier: MIT

import NIOCore
import NIOHTTP1
import NIOPosix

/// A shop's REST API on a real socket of this machine, for as long as a closure runs.
///
/// It stands on SwiftNIO, which the client needs anyway, so that the demo compiles no web framework.
public enum DemoServer {
    /// Starts the server on a free port, runs the closure with its address, and closes the port.
    ///
    /// - Parameter body: The work; it receives an address like `http://127.0.0.1:41231`.
    /// - Throws: The error of the closure, or the error that prevented the server from starting.
    public static func run(_ body: (String) async throws -> Void) async throws {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline()
                    try pipeline.addHandler(ShopConnection())
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        defer { listener.close(promise: nil) }
        try await body("http://127.0.0.1:\(listener.localAddress?.port ?? 0)")
    }
}

/// Collects the requests of a connection, and sends the shop's responses.
private final class ShopConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private static let bodyLimit = 1 << 16

    private var head: HTTPRequestHead?
    private var body = ByteBuffer()

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body.clear()
        case .body(var part):
            body.writeBuffer(&part)
            if body.readableBytes > Self.bodyLimit {
                context.close(promise: nil)
            }
        case .end:
            guard let head = head.take() else {
                return
            }
            let channel = context.channel
            let response = Shop.response(to: ShopRequest(head, body: body))
            channel.eventLoop.scheduleTask(in: response.delay) {
                Self.send(response, to: channel, request: head)
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private static func send(_ response: ShopResponse, to channel: any Channel, request: HTTPRequestHead) {
        var headers = response.headers
        if !request.isKeepAlive {
            headers.add(name: "Connection", value: "close")
        }
        let head = HTTPResponseHead(version: .http1_1, status: response.status, headers: headers)
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        if request.method != .HEAD {
            channel.write(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: response.body))), promise: nil)
        }
        let sent = channel.writeAndFlush(HTTPServerResponsePart.end(nil))
        if !request.isKeepAlive {
            sent.whenComplete { _ in channel.close(promise: nil) }
        }
    }
}
