// SPDX-License-Identifier: MIT

import HTTPTypes
import HTTPWireSamples
import NIOCore
import NIOHPACK
import NIOPosix
import SeededRandom
import Testing

@testable import HTTPWire

/// Frames made from seeds: whatever comes, a client neither traps nor waits for ever, and keeps little of it.
@Suite(.timeLimit(.minutes(5)))
struct HTTP2FuzzTests {
    /// Makes frames: most of them could be right, and some are not.
    private struct Source {
        var random: SeededGenerator
        var encoder = HPACKEncoder(allocator: ByteBufferAllocator())

        mutating func pick<Value>(_ values: [Value]) -> Value? { values.randomElement(using: &random) }

        mutating func stream() -> Int {
            pick([
                1, 1, 1, 3, 3, 5, 5, 7, 7,
                Int.random(in: 0..<20, using: &random) > 0 ? 1 : pick([0, 2, 9, 1 << 31 - 1]) ?? 0,
            ]) ?? 0
        }

        mutating func bytes(_ limit: Int) -> [UInt8] {
            (0..<Int.random(in: 0...limit, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        }

        mutating func block() -> [UInt8] {
            guard Int.random(in: 0..<20, using: &random) > 0 else {
                return bytes(40)
            }
            var fields: [(String, String)] = []
            if Bool.random(using: &random) {
                fields.append((":status", pick(["200", "204", "103", "100", "404", "101", "", "20", "\u{301}"]) ?? ""))
            }
            for _ in 0..<Int.random(in: 0..<4, using: &random) {
                let name = pick(["content-length", "x", "content-encoding", "connection", ":path", "é", "A"]) ?? ""
                fields.append((name, pick(["", "0", "5", "x", " y", "\r\n", "\u{301}\u{301}", "-1"]) ?? ""))
            }
            var block = ByteBuffer()
            try? encoder.encode(headers: HPACKHeaders(fields), to: &block)
            return Array(block.readableBytesView)
        }

        mutating func payload(_ kind: UInt8) -> [UInt8] {
            switch kind {
            case 0: return bytes(Int.random(in: 0..<20, using: &random) == 0 ? 16_384 : 20)
            case 1, 9: return block()
            case 2: return [0, 0, 0, 0, 1]
            case 3, 8: return [0, 0, 0, UInt8.random(in: 0...9, using: &random)]
            case 4:
                return (0..<Int.random(in: 0..<4, using: &random))
                    .flatMap { _ in
                        [0, UInt8.random(in: 0...8, using: &random), 0]
                            + (pick([[0, 0, 0], [0, 0, 1], [1, 0, 0]]) ?? [])
                    }
            case 6: return [0, 0, 0, 0, 0, 0, 0, 1]
            case 7: return [0, 0, 0, 3, 0, 0, 0, 0]
            default: return bytes(10)
            }
        }

        mutating func frame() -> ByteBuffer {
            let kinds: [UInt8] = [0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 3, 4, 6, 7, 8, 8, 99]
            let kind =
                Int.random(in: 0..<40, using: &random) > 0 ? pick(kinds) ?? 0 : UInt8.random(in: 0..<12, using: &random)
            let payload = Int.random(in: 0..<40, using: &random) == 0 ? bytes(30) : payload(kind)
            let isBare = [4, 6, 7].contains(kind) && Int.random(in: 0..<40, using: &random) > 0
            let isUsual = Int.random(in: 0..<20, using: &random) > 0
            let usual: [UInt8] = [1, 9].contains(kind) ? [4, 4, 5] : kind == 0 ? [0, 0, 1] : [0]
            let flags = isUsual ? pick(usual) ?? 0 : UInt8.random(in: 0...255, using: &random)
            var bytes = ByteBuffer()
            let stream = isBare ? 0 : stream()
            bytes.writeMultipleIntegers(UInt8(0), UInt16(payload.count), kind, flags, UInt32(stream))
            bytes.writeBytes(payload)
            if Int.random(in: 0..<40, using: &random) == 0 {
                bytes.setInteger(
                    UInt8.random(in: 0...255, using: &random),
                    at: Int.random(in: 0..<bytes.readableBytes, using: &random)
                )
            }
            return bytes
        }
    }

    @Test(arguments: 0..<8)
    func `Any frames lead to at most one end of each stream, and to little memory`(part: UInt64) throws {
        var (brokenCount, endCount) = (0, 0)
        for seed in 0..<500 as Range<UInt64> {
            var source = Source(random: SeededGenerator(seed: part << 32 | seed))
            var peer = HTTP2Peer()
            for hasBody in [false, true, false, true] {
                _ = try peer.start(hasBody ? "PUT" : "GET", hasBody: hasBody)
            }
            var (ended, whole): (Set<String>, Set<String>) = ([], [])
            for _ in 0..<80 where peer.defect == nil {
                for event in peer.receive(source.frame()) {
                    let words = event.split(separator: " ").map(String.init)
                    guard let stream = words.first, Int(stream) != nil else {
                        continue
                    }
                    // A server may still refuse the rest of a request behind its response.
                    let isRefusal = !["interim", "head", "body", "end"].contains(words[1])
                    let isEnd = isRefusal || words[1] == "end"
                    let isLate = ended.contains(stream) || (whole.contains(stream) && !isRefusal)
                    #expect(!isLate, "seed \(seed) of \(part): \(event) after the end")
                    if isEnd {
                        _ = isRefusal || stream == "1" || stream == "5" ? ended.insert(stream) : whole.insert(stream)
                    }
                }
                let room = peer.machine.room(of: 3)
                if room > 0 {
                    peer.machine.send(ByteBuffer(repeating: 1, count: min(room, 10)), on: 3, isLast: false)
                }
                #expect(peer.machine.streamCount <= 4 && peer.machine.receiveWindow > 0)
                #expect(peer.machine.takeOutput()?.readableBytes ?? 0 < 1_000)
            }
            endCount += ended.union(whole).count
            brokenCount += peer.defect == nil ? 0 : 1
        }
        // Most seeds reach what they are for.
        #expect(brokenCount > 50 && endCount > 500, "\(brokenCount) \(endCount)")
    }

    @Test(arguments: 0..<8)
    func `Frames are read as they were made, and changed ones the same however they are cut`(part: UInt64) {
        var comparison = FrameComparison()
        for seed in 0..<500 as Range<UInt64> {
            comparison.compare(seed: part << 32 | seed)
        }
        #expect(comparison.differences == [])
        #expect(comparison.toleratedCount > 50 && comparison.brokenCount > 50)
    }

    @Test
    func `Any frames end a call, and the next one works`() async throws {
        var configuration = WireScene.patient()
        configuration.assumesHTTP2 = true
        configuration.pingInterval = .hours(1)
        let client = WireClient(configuration, on: MultiThreadedEventLoopGroup.singleton)
        try await FrameServer.with { request in
            guard request[":path"] == "/odd" else {
                return FrameServer.Step.fine()
            }
            var source = Source(random: SeededGenerator(seed: UInt64(request.number)))
            return (0..<40).map { _ in .raw(source.frame()) } + [.close]
        } _: { server in
            let pool = try client.pool(to: WireOrigin(isSecure: false, host: "127.0.0.1", port: server.port))
            func status(of target: String) async throws -> Int? {
                let request = try WireRequest(method: "GET", target: target, host: "a", fields: [:], body: nil)
                let exchange = WireExchange(request, over: pool, limit: 1 << 20, codedLimit: 1 << 20)
                return try? await exchange.response().head.status
            }
            for _ in 0..<100 {
                _ = try await status(of: "/odd")
                // The connection may still carry odd frames, until it ends.
                var isFine = false
                for _ in 0..<5 where !isFine {
                    isFine = try await status(of: "/") == 200
                }
                #expect(isFine)
            }
        }
    }
}
