// SPDX-License-Identifier: MIT

import NIOCore
import NIOFoundationEssentialsCompat
import RestClient
import RestEssentials
import SharedStore
import Testing

@testable import RestClientWebSocket

/// Compressed messages (RFC 7692), against a server whose every byte is known.
@Suite(.timeLimit(.minutes(5)))
struct CompressionTests {
    private static let long = String(repeating: "the same words, ", count: 1_000)

    /// The payload of a compressed message of RFC 7692, section 7.2.3.1: "Hello".
    private static let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
    /// The same with the window of the message before it (section 7.2.3.2).
    private static let helloAgain: [UInt8] = [0xF2, 0x00, 0x11, 0x00, 0x00]

    private static func with<Result: Sendable>(
        _ parameters: String = "",
        limit: Int = 1 << 20,
        _ script: @escaping FrameServer.Script,
        _ body: @Sendable (FrameServer) async throws -> Result
    ) async throws -> Result {
        try await FrameServer.with(
            options: { options in
                options.offersCompression = true
                options.messageLimit = limit
            },
            { connection in
                try await connection.handshake { lines in
                    lines.append("Sec-WebSocket-Extensions: permessage-deflate\(parameters)")
                }
                try await script(connection)
            },
            body
        )
    }

    private static func compressed(_ payload: [UInt8], opcode: UInt8 = 1, isFinal: Bool = true) -> [UInt8] {
        FrameConnection.frame(opcode, payload, isFinal: isFinal, bits: 0x40)
    }

    @Test
    func `it is offered when asked for, and only then`() async throws {
        for isOffered in [true, false] {
            let script: FrameServer.Script = { connection in
                let head = try await connection.handshake()
                let field = FrameConnection.field("Sec-WebSocket-Extensions", in: head)
                #expect(field == (isOffered ? "permessage-deflate; client_max_window_bits" : nil))
                try await connection.write(FrameConnection.text("plain"))
                try await connection.close(1000)
            }
            let body: @Sendable (FrameServer) async throws -> Void = { server in
                let socket = try await server.node.webSocket()
                #expect(try await socket.receive() == "plain")
                #expect(try await socket.receive() == nil)
            }
            try await FrameServer.with(options: { $0.offersCompression = isOffered }, script, body)
        }
    }

    @Test
    func `the messages of the standard's examples are read`() async throws {
        try await Self.with { connection in
            try await connection.write(Self.compressed(Self.hello))
            try await connection.write(Self.compressed(Self.helloAgain))
            try await connection.write(FrameConnection.text("plain"))
            // In two fragments; the bit is in the first one only.
            try await connection.write(Self.compressed(Array(Self.helloAgain.prefix(3)), isFinal: false))
            try await connection.write(FrameConnection.frame(0, Array(Self.helloAgain.suffix(2))))
            // A block that is not compressed, one that is the last of its stream, and an empty message.
            try await connection.write(Self.compressed([0x00, 0x05, 0x00, 0xFA, 0xFF] + Array("Hello".utf8) + [0]))
            try await connection.write(Self.compressed([0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00]))
            try await connection.write(Self.compressed([0x00]))
            try await connection.close(1000)
        } _: { server in
            let socket = try await server.node.webSocket()
            var texts: [String?] = []
            for try await message in socket {
                texts.append(message.text)
            }
            #expect(texts == ["Hello", "Hello", "plain", "Hello", "Hello", "Hello", ""])
        }
    }

    @Test(arguments: ["", "; client_no_context_takeover", "; client_max_window_bits=9", "; server_no_context_takeover"])
    func `messages are sent compressed, with or without the window of earlier ones`(parameters: String) async throws {
        let forgets = parameters.contains("client_no")
        try await Self.with(parameters) { connection in
            var inflater = try Inflater(format: .messages, limit: .max)
            var sizes: [Int] = []
            for _ in 0..<2 {
                let frame = try await connection.readFrame()
                sizes.append(frame.payload.count)
                if forgets {
                    inflater = try Inflater(format: .messages, limit: .max)
                }
                let text = try inflater.message(Data(frame.payload + [0, 0, 0xFF, 0xFF]), limit: .max)
                #expect(text == Data(Self.long.utf8))
            }
            #expect(sizes[0] < 500)
            #expect(forgets ? sizes[1] == sizes[0] : sizes[1] <= sizes[0])
            let short = try await connection.readFrame()
            #expect(short.text == "short")
            try await connection.close(1000)
        } _: { server in
            let socket = try await server.node.webSocket(sending: String.self)
            try await socket.send(Self.long)
            try await socket.send(Self.long)
            try await socket.send("short")
            #expect(try await socket.receive() == nil)
        }
    }

    @Test
    func `a compressed bomb ends with an error before it is inflated`() async throws {
        let bomb = try Deflater.compress(Data(repeating: 0, count: 64 << 20), format: .raw)
        try await Self.with(limit: 1 << 20) { connection in
            try await connection.write(Self.compressed(Array(bomb), opcode: 2))
            #expect(try await connection.readFrame().code == 1009)
        } _: { server in
            let socket = try await server.node.webSocket()
            let error = await #expect(throws: RestClientError.self) { try await socket.receive() }
            #expect(error?.code == .messageTooLarge)
        }
    }

    @Test(arguments: [
        ("damaged", [compressed([0xFF, 0xFF, 0xFF])]),
        ("bit in a continuation", [compressed(hello, isFinal: false), compressed([0x00], opcode: 0)]),
        ("bit in a ping", [compressed([], opcode: 9)]),
        ("another bit", [FrameConnection.frame(1, hello, bits: 0x20)]),
    ])
    func `a server that breaks the rules is refused`(name: String, frames: [[UInt8]]) async throws {
        try await Self.with { connection in
            for frame in frames {
                try await connection.write(frame)
            }
            #expect(try await connection.readFrame().code == 1002, "\(name)")
        } _: { server in
            let socket = try await server.node.webSocket()
            let error = await #expect(throws: RestClientError.self) { try await socket.receive() }
            #expect(error?.code == .webSocketViolated, "\(name)")
        }
    }

    @Test(arguments: ["; client_max_window_bits=8", "; unknown"])
    func `an agreement that cannot be kept ends the handshake`(parameters: String) async throws {
        try await Self.with(parameters) {
            try await $0.waitForEnd()
        } _: { server in
            let error = await #expect(throws: RestClientError.self) { try await server.node.webSocket() }
            #expect(error?.code == .handshakeRefused)
        }
    }
}
