// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import Synchronization
import TestSupport
import Testing

@testable import RestClientWebSocket

/// Neither side takes more than it can pass on.
@Suite(.timeLimit(.minutes(5)))
struct BackPressureTests {
    @Test
    func `a slow consumer stops reading, so that the server has to wait, and loses nothing`() async throws {
        let sent = Mutex(0)
        let total = 1_000
        // 100 MB; the buffers of both sockets may grow to 38 MB.
        let payload = [UInt8](repeating: 7, count: 100_000)
        let isDone = Gate()
        try await FrameServer.with {
            $0.aheadLimit = 200_000
        } _: { connection in
            try await connection.handshake()
            for _ in 0..<total {
                try await connection.write(FrameConnection.frame(2, payload))
                sent.withLock { $0 += 1 }
            }
            isDone.open()
            try await connection.close(1000)
        } _: { server in
            let socket = try await server.node.webSocket()
            #expect(try await socket.receive()?.count == payload.count)
            // The server can be ahead by what sockets hold, and never done.
            #expect(!isDone.isOpen)

            var count = 1
            while let message = try await socket.receive() {
                #expect(message.count == payload.count)
                count += 1
                #expect(sent.withLock { $0 } <= total)
            }

            #expect(count == total)
        }
    }

    @Test
    func `messages wait for a server that reads later`() async throws {
        let mayRead = Gate()
        try await FrameServer.with { connection in
            try await connection.handshake()
            try await mayRead.wait()
            for _ in 0..<6 {
                #expect(try await connection.readFrame().payload.count == 500_000)
            }
            try await connection.close(1000)
        } _: { server in
            let socket = try await server.node.webSocket()
            async let sending: Void = {
                for _ in 0..<6 {
                    try await socket.send(.binary(Data(repeating: 1, count: 500_000)))
                }
            }()
            mayRead.open()
            try await sending

            #expect(try await socket.receive() == nil)
        }
    }

    @Test
    func `a sender waits for a server that does not read, until it is cancelled`() async throws {
        try await FrameServer.with { connection in
            try await connection.handshake()
            connection.stopReading()
            try await connection.waitForEnd()
        } _: { server in
            let sent = Recorder<Int>()
            let socket = try await server.node.webSocket()
            let task = Task {
                // More than the buffers of all sockets hold.
                for number in 0..<256 {
                    try await socket.send(.binary(Data(repeating: 1, count: 1_000_000)))
                    sent.record(number)
                }
            }
            _ = try await sent.waitForCount(1)

            task.cancel()

            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(sent.count < 256)
        }
    }

    @Test
    func `silence does not count while the consumer is behind`() async throws {
        let clock = ManualClock()
        let isHeld = Gate()
        try await FrameServer.with(clock: clock) {
            $0.aheadLimit = 1
            $0.pingInterval = .seconds(10)
            $0.pongTimeout = .seconds(3)
        } _: { connection in
            try await connection.handshake()
            // The pong says that the text before the ping was taken, and that the connection is held.
            try await connection.write(FrameConnection.text("one") + FrameConnection.frame(9))
            #expect(try await connection.readFrame().opcode == 10)
            isHeld.open()
            #expect(try await connection.readFrame().opcode == 9)
            try await connection.write(FrameConnection.text("two") + FrameConnection.close(1000))
            try await connection.waitForEnd()
        } _: { server in
            let socket = try await server.node.webSocket()
            try await isHeld.wait()
            for pause in [10, 3, 10, 3] {
                try await clock.waitForSleeper(for: .seconds(pause))
                clock.advance(by: .seconds(pause))
            }
            try await clock.waitForSleeper(for: .seconds(10))

            #expect(try await socket.receive() == "one")
            #expect(try await socket.receive() == "two")
            #expect(try await socket.receive() == nil)
        }
    }

    @Test
    func `a consumer that has just caught up does not make the server look silent`() async throws {
        let clock = ManualClock()
        let isHeld = Gate()
        let mayGoOn = Gate()
        try await FrameServer.with(clock: clock) {
            $0.aheadLimit = 1
            $0.pingInterval = .seconds(10)
            $0.pongTimeout = .seconds(3)
        } _: { connection in
            try await connection.handshake()
            // The pong says that the text before the ping was taken, and that the connection is held.
            try await connection.write(FrameConnection.text("one") + FrameConnection.frame(9))
            #expect(try await connection.readFrame().opcode == 10)
            isHeld.open()
            #expect(try await connection.readFrame().opcode == 9)
            try await mayGoOn.wait()
            try await connection.write(FrameConnection.text("two") + FrameConnection.close(1000))
            try await connection.waitForEnd()
        } _: { server in
            let socket = try await server.node.webSocket()
            try await isHeld.wait()
            try await clock.waitForSleeper(for: .seconds(10))
            clock.advance(by: .seconds(10))
            try await clock.waitForSleeper(for: .seconds(3))

            #expect(try await socket.receive() == "one")
            clock.advance(by: .seconds(3))
            // Then the keep-alive has looked for a sign of life.
            try await clock.waitForSleeper(for: .seconds(10))
            mayGoOn.open()

            #expect(try await socket.receive() == "two")
            #expect(try await socket.receive() == nil)
        }
    }
}
