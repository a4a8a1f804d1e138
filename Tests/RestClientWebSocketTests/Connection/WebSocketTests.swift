// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient
import RestEssentials
import TestSupport
import Testing

@testable import RestClientWebSocket

/// Messages in both directions, over a socket.
@Suite(.timeLimit(.minutes(5)))
struct WebSocketTests {
    struct Command: Codable, Sendable, Equatable { var name: String }
    struct Event: Codable, Sendable, Equatable { var id: Int }

    @Test
    func `texts and bytes of all lengths come back as they were sent`() async throws {
        try await FrameServer.with { connection in
            try await connection.handshake()
            try await connection.echo()
        } _: { server in
            let socket = try await server.node.webSocket()
            let messages: [WebSocketMessage] = [
                "", "hällo", .binary(Data()), .binary(Data([0, 255, 128])),
                .text(String(repeating: "a", count: 125)), .text(String(repeating: "b", count: 126)),
                .binary(Data(repeating: 1, count: 65_535)), .binary(Data(repeating: 2, count: 65_536)),
            ]

            for message in messages {
                try await socket.send(message)
                #expect(try await socket.receive() == message)
            }
            await socket.close()

            #expect(socket.closure == WebSocketClosure(.normal, isByServer: false))
            #expect(try await socket.receive() == nil)
        }
    }

    @Test
    func `a large message comes whole`() async throws {
        let bytes = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0) })
        try await FrameServer.with { connection in
            try await connection.handshake()
            try await connection.write(FrameConnection.frame(2, Array(bytes)))
            try await connection.close(1000)
        } _: { server in
            let socket = try await server.node.webSocket()

            #expect(try await socket.receive() == .binary(bytes))
            #expect(try await socket.receive() == nil)
        }
    }

    @Test
    func `models are coded by the dogma, and sent as text`() async throws {
        try await FrameServer.with { connection in
            try await connection.handshake()
            let frame = try await connection.readFrame()
            #expect(frame == .init(opcode: 1, payload: Array(#"{"name":"go"}"#.utf8)))
            try await connection.write(
                FrameConnection.text(#"{"id": 7}"#) + FrameConnection.frame(2, Array(#"{"id":8}"#.utf8))
            )
            try await connection.close(1001)
        } _: { server in
            let socket = try await server.manager.request(Event.self).endpoint("/live").webSocket(sending: Command.self)
            try await socket.send(Command(name: "go"))

            var events: [Event] = []
            for try await event in socket {
                events.append(event)
            }

            #expect(events == [Event(id: 7), Event(id: 8)])
            #expect(socket.closure == WebSocketClosure(.goingAway, isByServer: true))
        }
    }

    @Test
    func `a message that does not decode keeps its bytes, and the connection`() async throws {
        try await FrameServer.with { connection in
            try await connection.handshake()
            try await connection.write(FrameConnection.text("no JSON") + FrameConnection.text(#"{"id": 1}"#))
            try await connection.close(1000)
        } _: { server in
            let socket = try await server.manager.request(Event.self).endpoint("/live").webSocket()

            let error = await #expect(throws: RestClientError.self) { try await socket.receive() }

            #expect(error?.code == .decodingFailed)
            #expect(error?.response?.body == Data("no JSON".utf8))
            #expect(try await socket.receive() == Event(id: 1))
        }
    }

    @Test(arguments: [WebSocketOptions.Format.automatic, .text, .binary])
    func `the options say whether models are text or bytes`(format: WebSocketOptions.Format) async throws {
        try await FrameServer.with {
            $0.format = format
        } _: { connection in
            try await connection.handshake()
            try await connection.echo()
        } _: { server in
            let node = server.manager.request(WebSocketMessage.self).endpoint("/live")
            let socket = try await node.webSocket(sending: Command.self)

            try await socket.send(Command(name: "a"))

            let json = #"{"name":"a"}"#
            #expect(try await socket.receive() == (format == .binary ? .binary(Data(json.utf8)) : .text(json)))
        }
    }

    @Test
    func `fragments with pings in between are one message, and pings get pongs`() async throws {
        try await FrameServer.with { connection in
            try await connection.handshake()
            try await connection.write(
                FrameConnection.text("one ", isFinal: false) + FrameConnection.frame(9, [1])
                    + FrameConnection.frame(0, Array("two ".utf8), isFinal: false)
            )
            #expect(try await connection.readFrame() == .init(opcode: 10, payload: [1]))
            try await connection.write(FrameConnection.frame(9, [2]))
            #expect(try await connection.readFrame() == .init(opcode: 10, payload: [2]))
            try await connection.write(FrameConnection.frame(0, Array("three".utf8)))
            try await connection.close(1000)
        } _: { server in
            let socket = try await server.node.webSocket()

            #expect(try await socket.receive() == "one two three")
            #expect(try await socket.receive() == nil)
        }
    }

    @Test(arguments: [false, true])
    func `frames that come with the handshake are not lost`(isSecure: Bool) async throws {
        try await FrameServer.with(identity: isSecure ? TestIdentity() : nil) { connection in
            try await connection.handshake(early: FrameConnection.text("first") + FrameConnection.close(1000))
            #expect(try await connection.readFrame().code == 1000)
        } _: { server in
            let socket = try await server.node.webSocket()

            #expect(try await socket.receive() == "first")
            #expect(try await socket.receive() == nil)
        }
    }

    @Test(arguments: 0..<20)
    func `frames and a cut that come with the handshake are messages and an error`(number: Int) async throws {
        try await FrameServer.with { connection in
            try await connection.handshake(early: FrameConnection.text("first"))
        } _: { server in
            let socket = try await server.node.webSocket()

            #expect(try await socket.receive() == "first")
            let error = await #expect(throws: RestClientError.self) { try await socket.receive() }
            #expect(error?.code == .connectionClosed)
        }
    }

    @Test
    func `interim responses are passed over`() async throws {
        try await FrameServer.with { connection in
            let head = try await connection.readHead()
            let key = FrameConnection.field("Sec-WebSocket-Key", in: head) ?? ""
            try await connection.write(
                "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 101 Switching Protocols\r\n"
                    + "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Accept: \(HandshakeRules.accept(for: key))\r\n\r\n"
            )
            try await connection.close(1000)
        } _: { server in
            let message = try await server.node.webSocket().receive()
            #expect(message == nil)
        }
    }

    @Test
    func `frames that come byte by byte are messages`() async throws {
        try await FrameServer.with { connection in
            try await connection.handshake()
            for byte in FrameConnection.frame(2, [UInt8](repeating: 9, count: 300)) {
                try await connection.write([byte])
            }
            try await connection.close(1000)
        } _: { server in
            let socket = try await server.node.webSocket()

            #expect(try await socket.receive() == .binary(Data(repeating: 9, count: 300)))
        }
    }

    @Test
    func `own messages are masked, each with another key, and cut into fragments`() async throws {
        let masks = Recorder<[UInt8]>()
        try await FrameServer.with {
            $0.fragmentSize = 2
        } _: { connection in
            try await connection.handshake()
            for (opcode, text) in [(UInt8(0x01), "ab"), (0x00, "cd"), (0x80, "e")] {
                let head = try await connection.read(2)
                #expect(head == [opcode, 0x80 | UInt8(text.utf8.count)])
                let mask = try await connection.read(4)
                masks.record(mask)
                let payload = try await connection.read(text.utf8.count)
                #expect(payload.enumerated().map { $1 ^ mask[$0 % 4] } == Array(text.utf8))
            }
            try await connection.close(1000)
        } _: { server in
            let socket = try await server.node.webSocket()
            try await socket.send("abcde")

            #expect(try await socket.receive() == nil)
            #expect(Set(masks.elements).count == 3)
        }
    }

    @Test
    func `a ping measures the time until its pong`() async throws {
        try await FrameServer.with { connection in
            try await connection.handshake()
            let ping = try await connection.readFrame()
            #expect(ping.opcode == 9)
            // Pongs that nobody asked for mean nothing.
            try await connection.write(FrameConnection.frame(10) + FrameConnection.frame(10, [1, 2, 3]))
            try await connection.write(FrameConnection.frame(10, ping.payload))
            try await connection.waitForEnd()
        } _: { server in
            let socket = try await server.node.webSocket()

            #expect(try await socket.ping() > .zero)
        }
    }

    @Test
    func `messages of many tasks do not mix`() async throws {
        try await FrameServer.with {
            $0.fragmentSize = 7
        } _: { connection in
            try await connection.handshake()
            try await connection.echo()
        } _: { server in
            let socket = try await server.node.webSocket()
            let texts = (0..<40).map { String(repeating: "\($0 % 10)", count: $0 + 1) }

            try await withThrowingTaskGroup(of: Void.self) { group in
                for text in texts {
                    group.addTask { try await socket.send(.text(text)) }
                }
                try await group.waitForAll()
            }

            var received: Set<String> = []
            for _ in texts {
                received.insert(try await socket.receive()?.text ?? "")
            }
            #expect(received == Set(texts))
        }
    }

    @Test
    func `the settings of the direct transport serve as well`() async throws {
        try await FrameServer.with { connection in
            try await connection.handshake()
            try await connection.close(1000)
        } _: { server in
            var configuration = RestClientManager.Configuration()
            configuration.transport = DirectTransport()
            let manager = RestClientManager(configuration: configuration)
            let node = manager.request(WebSocketMessage.self).url("ws://127.0.0.1:\(server.port)/live")

            let message = try await node.webSocket().receive()

            #expect(message == nil)
        }
    }

    @Test(arguments: [false, true])
    func `it leads through a tunnel, also without TLS`(isSecure: Bool) async throws {
        try await FrameServer.with(identity: isSecure ? TestIdentity() : nil) { connection in
            try await connection.handshake()
            try await connection.echo()
        } _: { server in
            try await LoopbackProxy.with { proxy in
                let socket = try await server.node.proxy(.server(proxy.url)).webSocket()
                try await socket.send("through")

                #expect(try await socket.receive() == "through")
                #expect(proxy.requests == ["CONNECT 127.0.0.1:\(server.port)"])
            }
        }
    }

    @Test
    func `it works over TLS, with the trust of the manager's transport`() async throws {
        let identity = try TestIdentity()
        try await FrameServer.with(identity: identity) { connection in
            try await connection.handshake()
            try await connection.echo()
        } _: { server in
            let socket = try await server.node.webSocket()
            try await socket.send("secret")

            #expect(try await socket.receive() == "secret")

            var options = WebSocketOptions()
            options.connections = DirectTransport.Configuration()
            let error = await #expect(throws: RestClientError.self) {
                _ = try await server.node.webSocketOptions(options).webSocket()
            }
            #expect(error?.code == .tlsFailed)
        }
    }

    @Test
    func `it is opened to a server with a pinned key only`() async throws {
        let (identity, strange) = (try TestIdentity(), try TestIdentity().publicKeyPin)
        try await FrameServer.with(identity: identity) { connection in
            try await connection.handshake()
            try await connection.echo()
        } _: { server in
            let socket = try await server.node.pinnedKeys([strange, identity.publicKeyPin]).webSocket()
            try await socket.send("secret")
            #expect(try await socket.receive() == "secret")

            let error = await #expect(throws: RestClientError.self) {
                _ = try await server.node.pinnedKeys([strange]).webSocket()
            }
            #expect(error?.code == .tlsFailed)
            #expect(error?.message.contains(identity.publicKeyPin) == true)
        }
    }
}
