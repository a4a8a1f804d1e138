// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LoopbackContentEncodingTests {
    /// Two literals, then their repetition: `aa`, eight more one byte back, end of block.
    private let tenLetters: [UInt8] = [0x4B, 0x4C, 0x84, 0x01, 0x00]

    @Test
    func `a raw stream is deflate and nothing else`() throws {
        #expect(try LoopbackContentEncoding.rawDeflate.encode([]) == [0x03, 0x00])
        #expect(try LoopbackContentEncoding.rawDeflate.encode(Array("aaaaaaaaaa".utf8)) == tenLetters)
    }

    @Test
    func `a zlib stream has its header and Adler-32, highest byte first`() throws {
        #expect(
            try LoopbackContentEncoding.deflate.encode(Array("aaaaaaaaaa".utf8))
                == [0x78, 0x9C] + tenLetters + [0x14, 0xE1, 0x03, 0xCB]
        )
    }

    @Test
    func `a gzip member has its header, CRC-32 and length, lowest byte first`() throws {
        let encoded = try LoopbackContentEncoding.gzip.encode(Array("123456789".utf8))
        #expect(encoded.prefix(9) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0])
        #expect(encoded.suffix(8) == [0x26, 0x39, 0xF4, 0xCB, 9, 0, 0, 0])
    }

    @Test
    func `repetitions are compressed`() throws {
        let bytes = [UInt8](repeating: 0, count: 1 << 20)
        #expect(try LoopbackContentEncoding.gzip.encode(bytes).count < bytes.count / 150)
    }

    @Test
    func `an encoded response is labelled and announced with its encoded length`() async throws {
        try await LoopbackServer.with { server in
            server.onAny { _ in .text("aaaaaaaaaa").encoded(.rawDeflate) }
            let answer = try await RawHTTP.exchange(with: server, RawHTTP.get("/"))
            #expect(answer.contains("\r\nContent-Encoding: deflate\r\nContent-Length: 5\r\n"))
        }
    }

    @Test
    func `each encoded chunk is sent and can be decoded immediately`() async throws {
        let gate = Gate()
        try await LoopbackServer.with { server in
            server.onAny { _ in .chunks(["a", .wait(gate), "b"]).encoded(.rawDeflate) }
            let connection = try await LoopbackConnection.open(to: server)
            try await connection.send("GET / HTTP/1.1\r\n\r\n")
            _ = try await connection.receive(through: "\r\n\r\n")
            // A block that is not the last, and an empty stored one that aligns it to a byte.
            let first: [UInt8] = [0x4A, 0x04, 0x00, 0x00, 0x00, 0xFF, 0xFF]
            #expect(try await connection.receive(through: "7\r\n") == "7\r\n")
            #expect(try await connection.receive(count: 7) == first)
            gate.open()
            _ = try await connection.receive(through: "0\r\n\r\n")
        }
    }
}
