// SPDX-License-Identifier: MIT

import ConcurrencyTesting
import HTTPTypes
import NIOCore
import NIOPosix
import NIOSSL
import RestEssentials
import Testing

@testable import HTTPWire

/// The choice between HTTP/1.1 and HTTP/2, which the handshake of TLS makes on the one connection that there is.
@Suite(.timeLimit(.minutes(5)))
struct HTTP2NegotiationTests {
    private struct Scene {
        let client: WireClient
        let server: FrameServer

        func exchange(
            _ versions: WireOrigin.Versions = .any,
            takeOver: WireExchange.TakeOver? = nil
        ) throws -> WireExchange {
            let origin = WireOrigin(isSecure: true, host: "127.0.0.1", port: server.port, versions: versions)
            let request = try WireRequest(method: "GET", target: "/", host: "a.test", fields: [:], body: nil)
            let pool = try client.pool(to: origin)
            return WireExchange(request, over: pool, limit: 99, codedLimit: 99, takeOver: takeOver)
        }

        /// Sends a request, and returns its version and body, or its failure, in words.
        func text(_ versions: WireOrigin.Versions = .any) async -> String {
            do {
                let response = try await exchange(versions).response()
                return "\(response.head.isHTTP2 ? "h2" : "h1") \(String(decoding: response.body, as: UTF8.self))"
            } catch {
                return "\(error)"
            }
        }
    }

    private static func with(
        _ protocols: [String],
        settings: [(HTTP2Setting, Int)] = [],
        connections: Int = 1,
        _ respond: @escaping @Sendable (FrameServer.Request) -> [FrameServer.Step] = { _ in FrameServer.Step.fine() },
        _ body: (Scene) async throws -> Void
    ) async throws {
        var configuration = WireScene.patient()
        configuration.sharedConnectionsPerOrigin = connections
        configuration.offersHTTP2 = true
        configuration.tls.trustRoots = .certificates([try TLSPair.root()])
        let client = WireClient(configuration, on: MultiThreadedEventLoopGroup.singleton)
        try await FrameServer.with(settings: settings, tls: protocols, respond) { server in
            try await body(Scene(client: client, server: server))
        }
    }

    @Test(arguments: [
        (["h2", "http/1.1"], "h2 ok"), (["h2"], "h2 ok"), (["http/1.1", "h2"], "h1 ok"), (["http/1.1"], "h1 ok"),
        ([], "h1 ok"), (["spdy/3"], "h1 ok"),
    ])
    func `The server chooses the version on the one connection that is made`(
        protocols: [String],
        expected: String
    ) async throws {
        try await Self.with(protocols) { scene in
            for _ in 0..<3 {
                #expect(await scene.text() == expected)
            }
            #expect(scene.server.connectionCount == 1)
        }
    }

    @Test
    func `An origin for HTTP/1.1 alone, and one for HTTP/2 alone, get what they ask for or nothing`() async throws {
        try await Self.with(["h2", "http/1.1"]) { scene in
            #expect(await scene.text(.http1) == "h1 ok")
            #expect(await scene.text(.http2) == "h2 ok")
            #expect(scene.server.connectionCount == 2)
        }
        try await Self.with(["http/1.1"]) { scene in
            #expect(await scene.text(.http2) == "noHTTP2")
            #expect(scene.server.requests.isEmpty)
            #expect(await scene.text() == "h1 ok")
        }
    }

    @Test
    func `A server that chooses a protocol that was not offered gets no request`() async throws {
        // A ServerHello of TLS 1.2, with ECDHE-ECDSA-AES128-GCM-SHA256 and the protocol "odd".
        let extensions: [UInt8] = [0, 16, 0, 6, 0, 4, 3] + Array("odd".utf8)
        let hello: [UInt8] =
            [3, 3] + [UInt8](repeating: 7, count: 32) + [0, 0xC0, 0x2B, 0, 0, UInt8(extensions.count)]
        let message = [2, 0, 0, UInt8(hello.count + extensions.count)] + hello + extensions
        let record = [22, 3, 3, 0, UInt8(message.count)] + message
        try await RawServer.with(ByteBuffer(bytes: record)) { port in
            var configuration = WireScene.patient()
            configuration.offersHTTP2 = true
            let client = WireClient(configuration, on: MultiThreadedEventLoopGroup.singleton)
            let origin = WireOrigin(isSecure: true, host: "127.0.0.1", port: port)
            let request = try WireRequest(method: "GET", target: "/", host: "a.test", fields: [:], body: nil)
            let exchange = WireExchange(request, over: try client.pool(to: origin), limit: 9, codedLimit: 9)
            let error = await #expect(throws: NIOSSLError.self) { _ = try await exchange.response() }
            #expect(error.map { "\($0)".contains("INVALID_ALPN_PROTOCOL") } == true, "\(String(describing: error))")
            #expect(exchange.isUnsent)
        }
    }

    @Test
    func `Requests that wait for the first connection share it if it is one of HTTP/2`() async throws {
        let gate = Gate()
        try await Self.with(["h2"]) { _ in
            [.wait(gate)] + FrameServer.Step.fine()
        } _: { scene in
            let calls = (0..<20).map { _ in Task { await scene.text() } }
            await scene.server.wait { $0.requests == 20 }
            gate.open()
            for call in calls {
                #expect(await call.value == "h2 ok")
            }
            #expect(scene.server.connectionCount == 1)
        }
    }

    @Test
    func `Requests that wait for the first connection get their own ones if it is one of HTTP/1.1`() async throws {
        let gate = Gate()
        try await Self.with(["http/1.1"]) { _ in
            [.wait(gate)]
        } _: { scene in
            let calls = (0..<5).map { _ in Task { await scene.text() } }
            await scene.server.wait { $0.requests == 5 }
            gate.open()
            for call in calls {
                #expect(await call.value == "h1 ok")
            }
            #expect(scene.server.connectionCount == 5)
        }
    }

    @Test(arguments: [1, 2, 3])
    func `Another connection is made once all streams are used, if the configuration allows it`(
        count: Int
    ) async throws {
        let gate = Gate()
        try await Self.with(["h2"], settings: [(.maximumConcurrentStreams, 4)], connections: count) { request in
            request.number == 1 ? FrameServer.Step.fine() : [.wait(gate)] + FrameServer.Step.fine()
        } _: { scene in
            // So that the settings have come.
            #expect(await scene.text() == "h2 ok")
            let calls = (0..<12).map { _ in Task { await scene.text() } }
            await scene.server.wait { $0.requests == 1 + 4 * count }
            #expect(scene.server.connectionCount == count)
            gate.open()
            for call in calls {
                #expect(await call.value == "h2 ok")
            }
            #expect(scene.server.connectionCount == count)
        }
    }

    @Test
    func `A server that requires HTTP/1.1 gets it, and is not asked again`() async throws {
        try await Self.with(["h2", "http/1.1"]) { request in
            request.stream == 0 ? [] : [.reset(.http1Required)]
        } _: { scene in
            #expect(await scene.text() == "unprocessed")
            for _ in 0..<2 {
                #expect(await scene.text() == "h1 ok")
            }
            #expect(scene.server.requests.map(\.connection) == [1, 2, 2])
        }
    }

    @Test
    func `A connection of HTTP/2 is not given away`() async throws {
        try await Self.with(["h2"]) { scene in
            let exchange = try scene.exchange(takeOver: { _, _ in })
            await #expect(throws: WireFault.self) { _ = try await exchange.response() }
            #expect(scene.server.requests.isEmpty)
        }
    }
}

/// A server that sends some bytes once something has come.
private enum RawServer {
    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let bytes: ByteBuffer

        init(_ bytes: ByteBuffer) {
            self.bytes = bytes
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
        }
    }

    static func with(_ bytes: ByteBuffer, _ body: (_ port: Int) async throws -> Void) async throws {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(bytes))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        do {
            try await body(channel.localAddress?.port ?? 0)
            try await channel.close()
        } catch {
            try? await channel.close()
            throw error
        }
    }
}
