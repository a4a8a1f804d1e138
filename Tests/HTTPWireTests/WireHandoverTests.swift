// SPDX-License-Identifier: MIT

import ConcurrencyTesting
import HTTPTypes
import NIOCore
import RestEssentials
import Testing

@testable import HTTPWire

/// Connections that another protocol takes over.
@Suite(.timeLimit(.minutes(5)))
struct WireHandoverTests {
    private struct Refusal: Error {}

    /// The new owner of a connection.
    private final class Owner: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer

        let bytes = Recorder<UInt8>()
        let channels = Recorder<any Channel>()
        let ended = Gate()

        /// Adds the owner to a connection.
        func take(_ head: HeadBytes, _ channel: any Channel) throws {
            try channel.pipeline.syncOperations.addHandler(self)
            channels.record(channel)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            for byte in unwrapInboundIn(data).readableBytesView {
                bytes.record(byte)
            }
        }

        func channelInactive(context: ChannelHandlerContext) {
            ended.open()
            context.fireChannelInactive()
        }

        /// Waits for a number of bytes.
        func text(_ count: Int) async throws -> String {
            String(decoding: try await bytes.waitForCount(count), as: UTF8.self)
        }

        func write(_ text: String) async throws {
            try await channels.waitForCount(1)[0].writeAndFlush(ByteBuffer(string: text)).get()
        }

        func close() async throws {
            try await channels.waitForCount(1)[0].close().get()
        }

        /// Returns true unless a handler of HTTP is in the connection's pipeline.
        func isAlone() async throws -> Bool {
            let channel = try await channels.waitForCount(1)[0]
            return try await channel.eventLoop
                .submit { (try? channel.pipeline.syncOperations.handler(type: ConnectionHandler.self)) == nil }
                .get()
        }
    }

    private static let agreed = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: odd\r\n\r\n"

    private static func upgrade(_ scene: WireScene, _ owner: Owner) throws -> WireExchange {
        try scene.exchange(fields: [.connection: "Upgrade", .upgrade: "odd"]) { try owner.take($0, $1) }
    }

    // MARK: - Responses

    @Test(arguments: [false, true])
    func `the bytes behind the response are the new owner's, and the connection counts no longer`(
        isTrickled: Bool
    ) async throws {
        let first = "HTTP/1.1 103 Early Hints\r\n\r\n" + Self.agreed + "first"
        try await WireScene.with(WireScene.patient { $0.connectionsPerOrigin = 1 }) { number in
            switch number {
            case 0: [isTrickled ? .trickle(first) : .send(first)]
            case 1: [.send("second")]
            default: [.send(WireScene.fine)]
            }
        } _: { scene in
            let owner = Owner()
            let exchange = try Self.upgrade(scene, owner)

            let response = try await exchange.response()

            #expect(response.head.status == 101)
            #expect(response.head.fields[.upgrade] == "odd")
            #expect(response.interim.map(\.status) == [103])
            #expect(try await owner.text(5) == "first")
            try await owner.write("more\r\n\r\n")
            #expect(try await owner.text(11) == "firstsecond")
            #expect(scene.server.requests.last == "more\r\n\r\n")
            #expect(try await owner.isAlone())
            // Nothing that happens to the exchange or the client concerns the connection any more.
            exchange.cancel()
            exchange.expire()
            try await scene.passTime()
            #expect(scene.server.connectionCount == 2)
            scene.client.close()
            await scene.server.waitForOpenConnections(1)
            #expect(!owner.ended.isOpen)
            try await owner.close()
        }
    }

    @Test
    func `a request may ask over a kept connection, which waits for nobody behind it`() async throws {
        try await WireScene.with { number in
            [.send(number == 0 ? WireScene.fine : Self.agreed)]
        } _: { scene in
            let owner = Owner()
            try await scene.expect("200")

            let response = try await Self.upgrade(scene, owner).response()

            #expect(response.times.connected == nil)
            #expect(scene.server.connectionCount == 1)
            let pool = try scene.client.pool(
                to: WireOrigin(isSecure: false, host: "127.0.0.1", port: scene.server.port)
            )
            #expect(pool.isEmpty)
            try await owner.close()
        }
    }

    @Test
    func `another response is an ordinary one, and its connection serves other requests`() async throws {
        try await WireScene.with { number in
            [.send(number < 2 ? WireScene.fine : Self.agreed)]
        } _: { scene in
            let owner = Owner()

            let response = try await Self.upgrade(scene, owner).response()

            #expect(response.head.status == 200)
            #expect(response.body == Data("ok".utf8))
            try await scene.expect("200")
            // This time nobody has asked for it.
            try await scene.expect("malformed")
            #expect(scene.server.connectionCount == 1)
            #expect(owner.channels.count == 0)
        }
    }

    @Test(arguments: [
        "HTTP/1.0 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: odd\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade : odd\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\nUpgrade: odd\n\n",
    ])
    func `a response that breaks a rule changes no protocol`(text: String) async throws {
        try await WireScene.with { _ in
            [.send(text)]
        } _: { scene in
            let owner = Owner()
            let fault = await #expect(throws: WireFault.self) {
                try await Self.upgrade(scene, owner).response()
            }
            #expect(fault?.name == "malformed")
            #expect(owner.channels.count == 0)
            await scene.server.waitForOpenConnections(0)
        }
    }

    @Test
    func `a protocol does not change before the request has ended`() async throws {
        try await WireScene.with { _ in
            [.send(Self.agreed)]
        } _: { scene in
            let owner = Owner()
            let exchange = try scene.exchange(
                "PUT",
                fields: [.upgrade: "odd", .expect: "100-continue"],
                body: Data("four".utf8)
            ) { try owner.take($0, $1) }
            let fault = await #expect(throws: WireFault.self) { try await exchange.response() }
            #expect(fault?.name == "malformed")
            #expect(owner.channels.count == 0)
        }
    }

    @Test
    func `a tunnel begins behind a success, whatever length that claims`() async throws {
        let refusal = "HTTP/1.1 407 Who\r\nContent-Length: 2\r\n\r\nno"
        let consent = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\ntunnel"
        try await WireScene.with { number in
            [.send(number == 0 ? refusal : consent)]
        } _: { scene in
            let owner = Owner()
            let ask = { @Sendable in
                try await scene.exchange("CONNECT", target: "a.test:443") { try owner.take($0, $1) }.response()
            }

            let first = try await ask()
            #expect(first.head.status == 407)
            #expect(first.body == Data("no".utf8))
            #expect(owner.channels.count == 0)
            let second = try await ask()

            #expect(second.head.status == 200)
            #expect(try await owner.text(6) == "tunnel")
            #expect(scene.server.connectionCount == 1)
            #expect(scene.server.requests.first == "CONNECT a.test:443 HTTP/1.1\r\nHost: odd.test\r\n\r\n")
            try await owner.close()
        }
    }

    // MARK: - Ends

    @Test
    func `a new owner that does not want the connection ends it, and its error is that of the exchange`() async throws {
        try await WireScene.with { _ in
            [.send(Self.agreed)]
        } _: { scene in
            let exchange = try scene.exchange { _, _ in throw Refusal() }
            await #expect(throws: Refusal.self) { try await exchange.response() }
            await scene.server.waitForOpenConnections(0)
        }
    }

    @Test
    func `an end right behind the response is the new owner's`() async throws {
        try await WireScene.with { _ in
            [.send(Self.agreed + "bye"), .close]
        } _: { scene in
            let owner = Owner()
            let response = try await Self.upgrade(scene, owner).response()
            #expect(response.head.status == 101)
            #expect(try await owner.text(3) == "bye")
            try await owner.ended.wait()
        }
    }

    @Test(arguments: ["", "HTTP/1.1 101 Swi", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: odd\r\n"], [false, true])
    func `an exchange that is given up before the server has agreed closes its connection`(
        text: String,
        expires: Bool
    ) async throws {
        try await WireScene.with { _ in
            [.send(text)]
        } _: { scene in
            let owner = Owner()
            let exchange = try Self.upgrade(scene, owner)
            let task = Task { try await exchange.response() }
            await scene.server.waitForRequests(1)

            if expires {
                exchange.expire()
                let fault = await #expect(throws: WireFault.self) { try await task.value }
                #expect(fault?.name == "deadlineExceeded")
            } else {
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            }

            await scene.server.waitForOpenConnections(0)
            #expect(owner.channels.count == 0)
        }
    }

    @Test
    func `an exchange that is given up at any moment has the connection or leaves none`() async throws {
        try await WireScene.with { _ in
            [.send(Self.agreed)]
        } _: { scene in
            for round in 0..<200 {
                let owner = Owner()
                let exchange = try Self.upgrade(scene, owner)
                let task = Task { try await exchange.response() }
                for _ in 0..<round {
                    await Task.yield()
                }
                exchange.cancel()
                do {
                    _ = try await task.value
                    #expect(owner.channels.count == 1)
                    try await owner.close()
                } catch {
                    #expect(error is CancellationError)
                    #expect(owner.channels.count == 0)
                }
            }
            // Those that were never used wait for other requests.
            scene.client.close()
            await scene.server.waitForOpenConnections(0)
        }
    }
}
