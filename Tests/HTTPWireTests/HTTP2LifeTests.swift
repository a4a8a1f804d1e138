// SPDX-License-Identifier: MIT

import ConcurrencyTesting
import Dispatch
import HTTPTypes
import NIOCore
import NIOPosix
import RestEssentials
import Synchronization
import Testing

@testable import HTTPWire

/// The life of connections of HTTP/2: when they are made, written to, probed and closed.
@Suite(.timeLimit(.minutes(5)))
struct HTTP2LifeTests {
    private struct Scene {
        let client: WireClient
        let server: FrameServer

        func exchange(_ method: String = "GET", fields: HTTPFields = [:], body: Data? = nil) throws -> WireExchange {
            let pool = try client.pool(to: WireOrigin(isSecure: false, host: "127.0.0.1", port: server.port))
            let request = try WireRequest(method: method, target: "/", host: "a.test", fields: fields, body: body)
            return WireExchange(request, over: pool, limit: 1 << 20, codedLimit: 1 << 20)
        }

        /// Sends a request, and returns its status and body, or its failure, in words.
        func text(_ method: String = "GET", body: Data? = nil) async -> String {
            do {
                let response = try await exchange(method, body: body).response()
                return "\(response.head.status) \(String(decoding: response.body, as: UTF8.self))"
            } catch {
                return "\(error)"
            }
        }
    }

    private static func with(
        on trigger: FrameServer.Trigger = .end,
        habits: Set<FrameServer.Habit> = [],
        _ base: WireConfiguration = WireScene.patient(),
        _ respond: @escaping @Sendable (FrameServer.Request) -> [FrameServer.Step],
        _ body: (Scene) async throws -> Void
    ) async throws {
        var configuration = base
        configuration.assumesHTTP2 = true
        let client = WireClient(configuration, on: MultiThreadedEventLoopGroup.singleton)
        try await FrameServer.with(on: trigger, habits: habits, respond) { server in
            try await body(Scene(client: client, server: server))
        }
    }

    private static let body = Data("x".utf8)

    // MARK: - Connections

    @Test
    func `The first requests to a server share the one connection that is made`() async throws {
        try await Self.with { _ in
            FrameServer.Step.fine()
        } _: { scene in
            let calls = (0..<150).map { _ in Task { await scene.text() } }
            for call in calls {
                #expect(await call.value == "200 ok")
            }
            #expect(scene.server.connectionCount == 1)
        }
    }

    @Test
    func `Requests behind GOAWAY share one new connection`() async throws {
        let gate = Gate()
        try await Self.with { request in
            switch request.number {
            case 1: [.goAway(last: 1)] + FrameServer.Step.fine()
            default: request.connection == 2 ? [.wait(gate)] + FrameServer.Step.fine() : FrameServer.Step.fine()
            }
        } _: { scene in
            #expect(await scene.text() == "200 ok")
            let calls = (0..<20).map { _ in Task { await scene.text("POST", body: Self.body) } }
            await scene.server.wait { $0.requests == 21 }
            gate.open()
            for call in calls {
                #expect(await call.value == "200 ok")
            }
            #expect(scene.server.connectionCount == 2)
        }
    }

    @Test
    func `A connection that is not used for long is closed, and says so`() async throws {
        try await Self.with(WireScene.patient { $0.idleTimeout = .milliseconds(1) }) { _ in
            FrameServer.Step.fine()
        } _: { scene in
            #expect(await scene.text() == "200 ok")
            await scene.server.wait { $0.goAways == 1 }
            #expect(scene.server.goAways == [.none])
            #expect(await scene.text() == "200 ok")
            #expect(scene.server.requests.map(\.connection) == [1, 2])
        }
    }

    @Test
    func `A connection that is too old carries no further exchange`() async throws {
        try await Self.with(WireScene.patient { $0.maximumAge = .nanoseconds(0) }) { _ in
            FrameServer.Step.fine()
        } _: { scene in
            #expect(await scene.text() == "200 ok")
            #expect(await scene.text() == "200 ok")
            await scene.server.wait { $0.goAways >= 1 }
            #expect(scene.server.requests.map(\.connection) == [1, 2])
        }
    }

    // MARK: - Signs of life

    @Test
    func `A server that was silent for long shows that it is there before a request that must not be repeated`()
        async throws
    {
        try await Self.with(habits: [.repliesToPings], WireScene.patient { $0.probeAge = .nanoseconds(0) }) { request in
            FrameServer.Step.fine(request[":method"] ?? "")
        } _: { scene in
            #expect(await scene.text("POST", body: Self.body) == "200 POST")
            #expect(await scene.text() == "200 GET")
            #expect(scene.server.pingCount == 0)
            #expect(await scene.text("POST", body: Self.body) == "200 POST")
            #expect(scene.server.pingCount == 1 && scene.server.connectionCount == 1)
        }
    }

    @Test
    func `A request that must not be repeated takes another connection if the one that was silent is dead`()
        async throws
    {
        try await Self.with(habits: [.closesOnPing], WireScene.patient { $0.probeAge = .nanoseconds(0) }) { _ in
            FrameServer.Step.fine()
        } _: { scene in
            #expect(await scene.text() == "200 ok")
            #expect(await scene.text("POST", body: Self.body) == "200 ok")
            #expect(scene.server.requests.map(\.connection) == [1, 2])
        }
    }

    @Test
    func `A server that is slow and replies to pings is waited for`() async throws {
        let gate = Gate()
        try await Self.with(habits: [.repliesToPings], WireScene.patient { $0.pingInterval = .seconds(2) }) {
            _ in
            [.wait(gate)] + FrameServer.Step.fine()
        } _: { scene in
            let call = Task { await scene.text() }
            await scene.server.wait { $0.pings >= 1 }
            gate.open()
            #expect(await call.value == "200 ok")
        }
    }

    // MARK: - Requests

    @Test
    func `A long body goes out whole while the server gives room`() async throws {
        let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        try await Self.with(habits: [.returnsRoom]) { request in
            FrameServer.Step.fine("\(request.body == body)")
        } _: { scene in
            let calls = (0..<3).map { _ in Task { await scene.text("PUT", body: body) } }
            for call in calls {
                #expect(await call.value == "200 true")
            }
            #expect(scene.server.connectionCount == 1)
        }
    }

    @Test
    func `A body waits for consent, and stays behind without it`() async throws {
        try await Self.with(on: .head) { request in
            request.number == 1
                ? [.head([(":status", "100")])] + FrameServer.Step.fine()
                : [.head([(":status", "417")], ends: true)]
        } _: { scene in
            let first = try await scene.exchange("PUT", fields: [.expect: "100-continue"], body: Self.body).response()
            #expect(first.head.status == 200 && first.interim.map(\.status) == [100])
            let second = try await scene.exchange("PUT", fields: [.expect: "100-continue"], body: Self.body).response()
            #expect(second.head.status == 417)
            await scene.server.wait { $0.resets == 1 }
            #expect(scene.server.resets == [.cancel] && scene.server.requests.map(\.connection) == [1, 1])
        }
    }

    @Test(arguments: [false, true])
    func `A response that is complete counts although the rest of its request is not wanted`(
        closes: Bool
    )
        async throws
    {
        try await Self.with(on: .head) { _ in
            FrameServer.Step.fine() + [closes ? .close : .reset(.none)]
        } _: { scene in
            #expect(await scene.text("PUT", body: Data(repeating: 1, count: 500_000)) == "200 ok")
        }
    }

    // MARK: - Writes

    /// Keeps what is written, write by write.
    private final class WriteRecorder: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        private(set) var writes: [ByteBuffer] = []

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            writes.append(unwrapOutboundIn(data))
            context.write(data, promise: promise)
        }
    }

    /// An event loop that never does anything, so that no pool makes connections of its own.
    private static let blocked: any EventLoopGroup = {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        group.next().execute { DispatchSemaphore(value: 0).wait() }
        return group
    }()

    @Test
    func `What several streams write in one turn goes out at once`() async throws {
        try await Self.with { _ in
            FrameServer.Step.fine()
        } _: { scene in
            var configuration = WireScene.patient()
            configuration.assumesHTTP2 = true
            let origin = WireOrigin(isSecure: false, host: "127.0.0.1", port: scene.server.port)
            let pool = ConnectionPool(to: origin, configuration, tls: nil, on: Self.blocked)
            let exchanges = try (0..<6)
                .map { number in
                    let request = try WireRequest(
                        method: number < 3 ? "GET" : "PUT",
                        target: "/",
                        host: "a",
                        fields: [:],
                        body: number < 3 ? nil : Self.body
                    )
                    return WireExchange(request, over: pool, limit: 9, codedLimit: 9)
                }
            pool.acquire(for: exchanges[0])
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandlers([WriteRecorder(), HTTP2Handler(pool)])
                    }
                }
                .connect(host: origin.host, port: origin.port).get()
            try await channel.eventLoop
                .submit {
                    try channel.pipeline.syncOperations.handler(type: HTTP2Handler.self).open([])
                    for exchange in exchanges.dropFirst() {
                        pool.acquire(for: exchange)
                    }
                }
                .get()
            await scene.server.wait { $0.requests == 6 }
            let counts = try await channel.eventLoop
                .submit {
                    try channel.pipeline.syncOperations.handler(type: WriteRecorder.self).writes.map(Self.headCount)
                }
                .get()
            #expect(counts.filter { $0 > 0 } == [1, 5])
            try await channel.close()
        }
    }

    private static func headCount(_ bytes: ByteBuffer) -> Int {
        var rest = bytes
        if rest.getString(at: rest.readerIndex, length: 3) == "PRI" {
            rest.moveReaderIndex(forwardBy: ByteBuffer.http2Preface.readableBytes)
        }
        var reader = HTTP2FrameReader()
        reader.append(rest)
        var count = 0
        while let frame = try? reader.next() {
            if case .headers = frame {
                count += 1
            }
        }
        return count
    }
}
