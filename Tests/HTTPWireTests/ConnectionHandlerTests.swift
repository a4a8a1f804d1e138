// SPDX-License-Identifier: MIT

import ConcurrencyTesting
import Dispatch
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOPosix
import NIOSSL
import NIOTLS
import Testing

@testable import HTTPWire

/// Connections that end or break at a moment which a server cannot choose.
@Suite(.timeLimit(.minutes(5)))
struct ConnectionHandlerTests {
    private struct Broken: Error {}

    /// Closes its connection in place of sending, as a channel does when a write fails.
    private final class ClosingHandler: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        func flush(context: ChannelHandlerContext) {
            context.close(promise: nil)
        }
    }

    /// An event loop that never does anything, so that no pool makes connections of its own.
    private static let blocked: any EventLoopGroup = {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        group.next().execute { DispatchSemaphore(value: 0).wait() }
        return group
    }()

    private static func pool(to server: OddServer, limit: Int = 2) -> ConnectionPool {
        pool(at: server.port, limit: limit)
    }

    private static func pool(at port: Int, limit: Int = 2) -> ConnectionPool {
        ConnectionPool(
            to: WireOrigin(isSecure: false, host: "127.0.0.1", port: port),
            WireScene.patient { $0.connectionsPerOrigin = limit },
            tls: nil,
            on: blocked
        )
    }

    private static func exchange(
        _ method: String = "GET",
        fields: HTTPFields = [:],
        upload: WireStream? = nil,
        over pool: ConnectionPool
    ) throws -> WireExchange {
        let request = try WireRequest(
            method: method,
            target: "/",
            host: "odd.test",
            fields: fields,
            body: nil,
            stream: upload
        )
        return WireExchange(request, over: pool, limit: .max, codedLimit: .max, streams: true)
    }

    /// Makes the connection that a pool waits for; it is used once it is claimed.
    private static func connect(_ pool: ConnectionPool, closesOnFlush: Bool = false) async throws -> any Channel {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if closesOnFlush {
                        try channel.pipeline.syncOperations.addHandler(ClosingHandler())
                    }
                    try channel.pipeline.syncOperations.addHandler(ConnectionHandler(pool))
                }
            }
            .connect(host: pool.origin.host, port: pool.origin.port).get()
    }

    /// Takes a connection into use, on its event loop.
    private static func claim(_ channel: any Channel) throws -> ConnectionHandler {
        let handler = try channel.pipeline.syncOperations.handler(type: ConnectionHandler.self)
        handler.claim(until: .distantFuture, WireSteps())
        return handler
    }

    @Test(arguments: [false, true])
    func `a connection that ends under the head of a request begins no upload`(expects: Bool) async throws {
        try await OddServer.with { _ in
            []
        } _: { server in
            let begun = Recorder<Bool>()
            let upload = WireStream(length: nil) { _ in
                begun.record(true)
                return Task {}
            }
            let pool = Self.pool(to: server)
            let fields: HTTPFields = expects ? [.expect: "100-continue"] : [:]
            let exchange = try Self.exchange("PUT", fields: fields, upload: upload, over: pool)
            let channel = try await Self.connect(pool, closesOnFlush: true)
            pool.acquire(for: exchange)

            let isAtWork = try await channel.eventLoop
                .submit {
                    let handler = try Self.claim(channel)
                    return handler.upload != nil || handler.continueTimer != nil
                }
                .get()

            #expect(exchange.progress == .ended)
            #expect(begun.elements.isEmpty)
            #expect(!isAtWork)
        }
    }

    @Test
    func `a connection that was idle before its first request, and ends under it, is stale`() async throws {
        try await OddServer.with { _ in
            []
        } _: { server in
            let pool = Self.pool(to: server)
            let (first, second) = (try Self.exchange(over: pool), try Self.exchange(over: pool))
            pool.acquire(for: first)
            first.cancel()
            let channel = try await Self.connect(pool)
            try await channel.eventLoop.submit { _ = try Self.claim(channel) }.get()
            pool.acquire(for: second)

            try await channel.close()

            let fault = await #expect(throws: WireFault.self) { try await second.nextChunk() }
            #expect(fault?.name == "stale")
        }
    }

    @Test
    func `a connection that breaks behind a response delivers it, and serves nobody else`() async throws {
        try await OddServer.with { _ in
            []
        } _: { server in
            let pool = Self.pool(to: server, limit: 1)
            let (first, second) = (try Self.exchange(over: pool), try Self.exchange("POST", over: pool))
            pool.acquire(for: first)
            pool.acquire(for: second)
            let channel = try await Self.connect(pool)

            try await channel.eventLoop
                .submit {
                    _ = try Self.claim(channel)
                    let pipeline = channel.pipeline.syncOperations
                    pipeline.fireChannelRead(NIOAny(ByteBuffer(string: WireScene.fine)))
                    pipeline.fireErrorCaught(Broken())
                    pipeline.fireChannelReadComplete()
                }
                .get()

            let chunk = try await first.nextChunk()
            #expect(chunk.map { String(buffer: $0) } == "ok")
            let end = try await first.nextChunk()
            #expect(end == nil)
            #expect(second.progress == .sending)
        }
    }

    // MARK: - Set-up

    /// Takes a connection into use on an event loop whose time the test moves: four seconds of ten are over.
    private static func embed(_ pool: ConnectionPool, isSecure: Bool) throws -> EmbeddedChannel {
        let tls =
            try isSecure
            ? NIOSSLClientHandler(context: NIOSSLContext(configuration: .clientDefault), serverHostname: nil) : nil
        let channel = EmbeddedChannel(handler: ConnectionHandler(pool, tls: tls))
        channel.embeddedEventLoop.advanceTime(by: .seconds(4))
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        let handler = try channel.pipeline.syncOperations.handler(type: ConnectionHandler.self)
        handler.claim(until: .uptimeNanoseconds(10_000_000_000), WireSteps())
        return channel
    }

    private static func secure(_ channel: EmbeddedChannel) {
        channel.pipeline.fireUserInboundEventTriggered(TLSUserEvent.handshakeCompleted(negotiatedProtocol: nil))
    }

    /// Checks that TLS which is not set up ends with the time for connecting.
    private static func expireTLS(over pool: ConnectionPool, _ exchange: WireExchange) throws {
        let channel = try embed(pool, isSecure: true)
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        channel.embeddedEventLoop.advanceTime(by: .seconds(5))
        #expect(exchange.progress == .sending)
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))

        #expect(exchange.progress == .ended)
        #expect(!channel.isActive)
        #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
    }

    @Test
    func `TLS has what is left of the time for connecting`() async throws {
        let pool = Self.pool(at: 1)
        let exchange = try Self.exchange(over: pool)
        pool.acquire(for: exchange)

        try Self.expireTLS(over: pool, exchange)

        let fault = await #expect(throws: WireFault.self) { try await exchange.nextChunk() }
        #expect(fault?.name == "connectTimeout")
    }

    @Test
    func `the response may come later than the time for connecting, once TLS is set up`() throws {
        let pool = Self.pool(at: 1)
        let exchange = try Self.exchange(over: pool)
        pool.acquire(for: exchange)
        let channel = try Self.embed(pool, isSecure: true)
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)

        Self.secure(channel)
        channel.embeddedEventLoop.advanceTime(by: .hours(1))

        #expect(exchange.progress == .sending)
        #expect(channel.isActive)
        #expect(try channel.readOutbound(as: ByteBuffer.self) != nil)
    }

    @Test
    func `without TLS the request goes out when the connection is made, and waits for its response`() throws {
        let pool = Self.pool(at: 1)
        let exchange = try Self.exchange(over: pool)
        pool.acquire(for: exchange)
        let channel = try Self.embed(pool, isSecure: false)
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }

        channel.embeddedEventLoop.advanceTime(by: .hours(1))

        #expect(exchange.progress == .sending)
        #expect(channel.isActive)
        #expect(try channel.readOutbound(as: ByteBuffer.self) != nil)
    }

    @Test
    func `an exchange that is given up while TLS is set up sends nothing, and the connection serves the next one`()
        throws
    {
        let pool = Self.pool(at: 1)
        let (first, second) = (try Self.exchange(over: pool), try Self.exchange(over: pool))
        pool.acquire(for: first)
        let channel = try Self.embed(pool, isSecure: true)
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }

        first.cancel()
        Self.secure(channel)

        #expect(channel.isActive)
        #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
        pool.acquire(for: second)
        channel.embeddedEventLoop.run()
        #expect(try channel.readOutbound(as: ByteBuffer.self) != nil)
    }
}
