// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

@testable import RestClientWebSocket

/// How connections end: by either side, by hostile frames, by silence and by cancellation.
@Suite(.timeLimit(.minutes(5)))
struct WebSocketEndTests {
    private func error(_ socket: WebSocket<WebSocketMessage, WebSocketMessage>) async -> RestClientError? {
        await #expect(throws: RestClientError.self) {
            while try await socket.receive() != nil {}
        }
    }

    /// Bytes of a server, and how the connection ends.
    struct Hostility: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let code: RestClientError.Code
        /// The code of the client's close.
        let close: Int
    }

    static let hostilities: [Hostility] =
        [
            ("a reserved bit", FrameConnection.frame(1, [65], bits: 0x40), 1002),
            ("another reserved bit", FrameConnection.frame(9, bits: 0x10), 1002),
            ("a masked frame", [0x81, 0x81, 1, 2, 3, 4, 64], 1002),
            ("an unknown data opcode", FrameConnection.frame(3), 1002),
            ("an unknown control opcode", FrameConnection.frame(11), 1002),
            ("a continuation of nothing", FrameConnection.frame(0, [65]), 1002),
            ("a text within a text", FrameConnection.text("a", isFinal: false) + FrameConnection.text("b"), 1002),
            ("a fragmented ping", FrameConnection.frame(9, isFinal: false), 1002),
            ("a long ping", FrameConnection.frame(9, [UInt8](repeating: 0, count: 126)), 1002),
            ("a long close", FrameConnection.frame(8, [UInt8](repeating: 3, count: 200)), 1002),
            ("half a close code", FrameConnection.frame(8, [3]), 1002),
            ("the close code 1005", FrameConnection.close(1005), 1002),
            ("the close code 999", FrameConnection.close(999), 1002),
            ("the close code 2999", FrameConnection.close(2999), 1002),
            ("a text that is none", FrameConnection.frame(1, [0xC3, 0x28]), 1007),
            ("a reason that is no text", FrameConnection.frame(8, [3, 232, 0xFF]), 1007),
        ]
        .map { Hostility(testDescription: $0, bytes: $1, code: .webSocketViolated, close: $2) }
        + [
            ("a long message", FrameConnection.frame(2, [UInt8](repeating: 0, count: 1_001)), 1009),
            ("the promise of a huge message", [0x82, 127, 0, 0, 1, 0, 0, 0, 0, 0], 1009),
            ("the promise of an impossible message", [0x82, 127, 255, 255, 255, 255, 255, 255, 255, 255], 1009),
            (
                "long fragments",
                FrameConnection.frame(2, [UInt8](repeating: 0, count: 600), isFinal: false)
                    + FrameConnection.frame(0, [UInt8](repeating: 0, count: 600)), 1009
            ),
            (
                "endless fragments",
                FrameConnection.frame(2, isFinal: false)
                    + Array(repeatElement(FrameConnection.frame(0, isFinal: false), count: 10).joined()), 1009
            ),
        ]
        .map { Hostility(testDescription: $0, bytes: $1, code: .messageTooLarge, close: $2) }

    @Test(arguments: hostilities)
    func `hostile frames close the connection with their code`(hostility: Hostility) async throws {
        let close = Recorder<FrameConnection.Frame>()
        try await FrameServer.with {
            $0.messageLimit = 1_000
            $0.fragmentLimit = 8
        } _: { connection in
            try await connection.handshake()
            try await connection.write(FrameConnection.text("before") + hostility.bytes)
            close.record(try await connection.readFrame())
            try await connection.waitForEnd()
        } _: { server in
            let socket = try await server.node.webSocket()

            #expect(try await socket.receive() == "before")
            #expect(await error(socket)?.code == hostility.code)
            let frame = try await close.waitForCount(1)[0]
            #expect(frame.opcode == 8)
            #expect(frame.code == hostility.close)
            #expect(socket.closure?.isByServer == false)
        }
    }

    @Test
    func `the response limit of a level holds for each message`() async throws {
        try await FrameServer.with { connection in
            try await connection.handshake()
            try await connection.write(FrameConnection.text(String(repeating: "a", count: 1_000)))
            try await connection.write(FrameConnection.text(String(repeating: "a", count: 1_001)))
            try await connection.waitForEnd()
        } _: { server in
            server.manager.options = server.manager.options.limits(body: 1_000)
            let socket = try await server.node.webSocket()

            #expect(try await socket.receive()?.text?.count == 1_000)
            #expect(await error(socket)?.code == .messageTooLarge)
        }
    }

    @Test(arguments: [(1000, ""), (1001, "bye"), (1011, "broken"), (3999, "für dich")])
    func `the server's close is its code and its reason`(code: Int, reason: String) async throws {
        let reply = Recorder<FrameConnection.Frame>()
        try await FrameServer.with { connection in
            try await connection.handshake()
            try await connection.write(FrameConnection.text("last") + FrameConnection.close(code, reason))
            reply.record(try await connection.readFrame())
        } _: { server in
            let socket = try await server.node.webSocket()
            let closure = WebSocketClosure(
                WebSocketCloseCode(rawValue: UInt16(code)),
                reason: reason,
                isByServer: true
            )

            #expect(try await socket.receive() == "last")
            if code <= 1001 {
                #expect(try await socket.receive() == nil)
            } else {
                let error = await error(socket)
                #expect(error?.code == .webSocketClosed)
                #expect(error?.underlying as? WebSocketClosure == closure)
            }

            #expect(socket.closure == closure)
            #expect(try await reply.waitForCount(1)[0].code == code)
            let late = await #expect(throws: RestClientError.self) { try await socket.send("late") }
            #expect(late?.code == .connectionClosed)
        }
    }

    @Test
    func `a close without a code is regular, and returned as it came`() async throws {
        let reply = Recorder<FrameConnection.Frame>()
        try await FrameServer.with { connection in
            try await connection.handshake()
            try await connection.write(FrameConnection.frame(8))
            reply.record(try await connection.readFrame())
        } _: { server in
            let socket = try await server.node.webSocket()

            #expect(try await socket.receive() == nil)
            #expect(socket.closure?.code == .noStatus)
            #expect(try await reply.waitForCount(1)[0].payload == [])
        }
    }

    @Test
    func `an own close says code and reason, and waits for the server's`() async throws {
        let close = Recorder<FrameConnection.Frame>()
        try await FrameServer.with { connection in
            try await connection.handshake()
            let frame = try await connection.readFrame()
            close.record(frame)
            // What was under way is dropped.
            try await connection.write(FrameConnection.text("late") + FrameConnection.frame(8, frame.payload))
            try await connection.waitForEnd()
        } _: { server in
            let socket = try await server.node.webSocket()

            await socket.close(4001, reason: "enough")
            await socket.close()

            #expect(close.elements.map(\.code) == [4001])
            #expect(close.elements.map { String(decoding: $0.payload.dropFirst(2), as: UTF8.self) } == ["enough"])
            #expect(try await socket.receive() == nil)
        }
    }

    @Test
    func `a server that does not respond to a close is cut off after a time`() async throws {
        let clock = ManualClock()
        try await FrameServer.with(clock: clock) {
            $0.closeTimeout = .seconds(5)
        } _: { connection in
            try await connection.handshake()
            #expect(try await connection.readFrame().opcode == 8)
            try await connection.waitForEnd()
        } _: { server in
            let socket = try await server.node.webSocket()
            async let closed: Void = socket.close()

            try await clock.waitForSleeper(for: .seconds(5))
            clock.advance(by: .seconds(5))

            await closed
            #expect(socket.closure != nil)
        }
    }

    @Test
    func `a cut is an error, behind the messages before it`() async throws {
        try await FrameServer.with { connection in
            try await connection.handshake()
            try await connection.write(FrameConnection.text("one") + [0x81, 100, 65])
        } _: { server in
            let socket = try await server.node.webSocket()

            #expect(try await socket.receive() == "one")
            #expect(await error(socket)?.code == .connectionClosed)
            #expect(socket.closure == WebSocketClosure(.abnormal, isByServer: true))
        }
    }

    @Test
    func `a server that is silent after a ping is given up`() async throws {
        let clock = ManualClock()
        let pings = Recorder<UInt8>()
        try await FrameServer.with(clock: clock) {
            $0.pingInterval = .seconds(10)
            $0.pongTimeout = .seconds(3)
        } _: { connection in
            try await connection.handshake()
            let first = try await connection.readFrame()
            try await connection.write(FrameConnection.frame(10, first.payload) + FrameConnection.text("pong"))
            pings.record(first.opcode)
            pings.record(try await connection.readFrame().opcode)
            try await connection.waitForEnd()
        } _: { server in
            let socket = try await server.node.webSocket()
            try await clock.waitForSleeper(for: .seconds(10))
            clock.advance(by: .seconds(10))
            #expect(try await socket.receive() == "pong")
            try await clock.waitForSleeper(for: .seconds(3))
            clock.advance(by: .seconds(3))
            try await clock.waitForSleeper(for: .seconds(10))
            clock.advance(by: .seconds(10))
            #expect(try await pings.waitForCount(2) == [9, 9])
            try await clock.waitForSleeper(for: .seconds(3))
            clock.advance(by: .seconds(3))

            #expect(await error(socket)?.code == .timeout)
            #expect(socket.closure?.code == .abnormal)
        }
    }

    @Test
    func `a ping of the program does not hide that the server has responded to the one before`() async throws {
        let clock = ManualClock()
        let pings = Recorder<UInt8>()
        let mayRespond = Gate()
        try await FrameServer.with(clock: clock) {
            $0.pingInterval = .seconds(10)
            $0.pongTimeout = .seconds(3)
        } _: { connection in
            try await connection.handshake()
            let first = try await connection.readFrame()
            try await connection.write(FrameConnection.frame(10, first.payload) + FrameConnection.text("pong"))
            let second = try await connection.readFrame()
            pings.record(second.opcode)
            try await mayRespond.wait()
            try await connection.write(FrameConnection.frame(10, second.payload))
            try await connection.waitForEnd()
        } _: { server in
            let socket = try await server.node.webSocket()
            try await clock.waitForSleeper(for: .seconds(10))
            clock.advance(by: .seconds(10))
            #expect(try await socket.receive() == "pong")
            try await clock.waitForSleeper(for: .seconds(3))
            let ping = Task { try await socket.ping() }
            #expect(try await pings.waitForCount(1) == [9])
            clock.advance(by: .seconds(3))
            // Then the keep-alive has looked for a sign of life.
            try await clock.waitForSleeper(for: .seconds(10))
            mayRespond.open()

            #expect(try await ping.value == .seconds(3))
            #expect(socket.closure == nil)
        }
    }

    @Test
    func `cancelling a task that waits for a message closes the connection`() async throws {
        let close = Recorder<FrameConnection.Frame>()
        try await FrameServer.with { connection in
            try await connection.handshake()
            close.record(try await connection.readFrame())
            try await connection.waitForEnd()
        } _: { server in
            let events = EventRecorder(server.manager)
            let socket = try await server.node.webSocket()
            let task = Task { try await socket.receive() }
            task.cancel()

            await #expect(throws: CancellationError.self) { try await task.value }

            #expect(try await close.waitForCount(1)[0].code == 1001)
            try await events.waitForCalls(count: 1)
            #expect(events.names.last == .callCancelled)
        }
    }

    @Test
    func `releasing the connection closes it, and ends its call`() async throws {
        let close = Recorder<FrameConnection.Frame>()
        try await FrameServer.with { connection in
            try await connection.handshake()
            close.record(try await connection.readFrame())
            try await connection.waitForEnd()
        } _: { server in
            let events = EventRecorder(server.manager)
            _ = try await server.node.webSocket()

            #expect(try await close.waitForCount(1)[0].code == 1001)
            try await events.waitForCalls(count: 1)
            #expect(server.manager.calls.running().isEmpty)
        }
    }

    @Test
    func `a connection is a call under way, which its table can cancel`() async throws {
        try await FrameServer.with { connection in
            try await connection.handshake()
            try await connection.waitForEnd()
        } _: { server in
            let socket = try await server.node.tags("live").webSocket()
            #expect(server.manager.calls.running().map(\.id) == [socket.callID])

            server.manager.calls.cancel(.tag("live"))

            await #expect(throws: CancellationError.self) { try await socket.receive() }
            #expect(server.manager.calls.running().isEmpty)
        }
    }
}
