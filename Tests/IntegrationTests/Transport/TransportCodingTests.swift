// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

/// Content codings and the limit of the body.
@Suite(.timeLimit(.minutes(5)))
struct TransportCodingTests {
    private static let text = String(repeating: "the same words again and again. ", count: 200)

    /// Codings that servers use, in the order in which they were applied.
    static let codings: [[LoopbackContentEncoding]] = [
        [.gzip], [.deflate], [.rawDeflate], [.gzip, .gzip], [.deflate, .gzip], [.gzip, .deflate],
    ]

    /// A response whose text went through these codings.
    private static func response(_ text: String, _ codings: [LoopbackContentEncoding]) throws -> LoopbackResponse {
        let bytes = try codings.reduce(Array(text.utf8)) { bytes, coding in try coding.encode(bytes) }
        let labels = codings.map(\.label).joined(separator: ", ")
        return .bytes(bytes, contentType: "text/plain", headers: ["Content-Encoding": labels])
    }

    @Test(arguments: TransportKind.allCases, [LoopbackContentEncoding.gzip, .deflate])
    func `a compressed body is unfolded`(kind: TransportKind, coding: LoopbackContentEncoding) async throws {
        try await LoopbackServer.with(kind.mode) { server in
            server.onAny { _ in .text(Self.text).encoded(coding) }
            let response = try await kind.make().send(TransportRequest(.get, server, "/"))
            #expect(response.text == Self.text)
        }
    }

    @Test(arguments: TransportKind.having(.contentCodings), codings)
    func `codings are undone, the last one first`(
        kind: TransportKind,
        codings: [LoopbackContentEncoding]
    ) async throws {
        try await LoopbackServer.with(kind.mode) { server in
            server.onAny { _ in try Self.response(Self.text, codings) }
            let response = try await kind.make().send(TransportRequest(.get, server, "/"))
            #expect(response.text == Self.text)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `a compressed body in chunks is unfolded`(kind: TransportKind) async throws {
        try await LoopbackServer.with(kind.mode) { server in
            server.onAny { _ in
                LoopbackResponse.stream { writer in
                    for piece in 0..<50 {
                        try await writer.write("piece \(piece);")
                    }
                }
                .encoded(.gzip)
            }
            let response = try await kind.make().send(TransportRequest(.get, server, "/"))
            #expect(response.text == (0..<50).map { "piece \($0);" }.joined())
        }
    }

    @Test(arguments: TransportKind.having(.contentCodings))
    func `a coding that is not known leaves the body as it is`(kind: TransportKind) async throws {
        try await LoopbackServer.with(kind.mode) { server in
            server.onAny { _ in .text("as it is", headers: ["Content-Encoding": "exi"]) }
            let response = try await kind.make().send(TransportRequest(.get, server, "/"))
            #expect(response.text == "as it is")
            #expect(response.headers[.contentEncoding] == "exi")
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `an empty body may bear any label`(kind: TransportKind) async throws {
        try await LoopbackServer.with(kind.mode) { server in
            server.on(.get, "/none") { _ in .status(204, headers: ["Content-Encoding": "gzip"]) }
            server.on(.head, "/head") { _ in .status(200, headers: ["Content-Encoding": "gzip"]) }
            let transport = try kind.make()
            let none = try await transport.send(TransportRequest(.get, server, "/none"))
            let head = try await transport.send(TransportRequest(.head, server, "/head"))
            #expect(none.body.isEmpty)
            #expect(head.body.isEmpty)
        }
    }

    /// How a compressed body can be wrong.
    enum Damage: String, CaseIterable, CustomStringConvertible {
        case noGzip = "is none"
        case cutHeader = "is cut in its header"
        case cut = "is cut in the middle"
        case cutChecksum = "is cut in its checksum"
        case flipped = "has a flipped bit"
        case wrongChecksum = "has a wrong checksum"

        var description: String { rawValue }

        func applied(to bytes: [UInt8]) -> [UInt8] {
            var bytes = bytes
            switch self {
            case .noGzip: return Array("plain text".utf8)
            case .cutHeader: return Array(bytes.prefix(5))
            case .cut: return Array(bytes.prefix(bytes.count / 2))
            case .cutChecksum: return Array(bytes.dropLast(6))
            case .flipped: bytes[bytes.count / 2] ^= 0x10
            case .wrongChecksum: bytes[bytes.count - 6] ^= 0xFF
            }
            return bytes
        }
    }

    @Test(arguments: TransportKind.having(.contentCodings), Damage.allCases)
    func `a gzip body that is damaged is an error, never a short body`(
        kind: TransportKind,
        damage: Damage
    ) async throws {
        let bytes = damage.applied(to: try LoopbackContentEncoding.gzip.encode(Array(Self.text.utf8)))
        try await LoopbackServer.with(kind.mode) { server in
            server.onAny { _ in .bytes(bytes, headers: ["Content-Encoding": "gzip"]) }
            let code = try await failureCode { try await kind.make().send(TransportRequest(.get, server, "/")) }
            #expect(code == .malformedResponse)
        }
    }
}

// MARK: - Limits

extension TransportCodingTests {
    /// A body of 1000 bytes and how it is sent.
    static let bodies: [String: LoopbackResponse] = [
        "with its length": .bytes([UInt8](repeating: 0x61, count: 1_000)),
        "in chunks": .chunks((0..<10).map { _ in .bytes([UInt8](repeating: 0x61, count: 100)) }),
        "until the end": .raw("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + String(repeating: "a", count: 1_000)),
        "with gzip": .bytes([UInt8](repeating: 0x61, count: 1_000)).encoded(.gzip),
        "with deflate": .bytes([UInt8](repeating: 0x61, count: 1_000)).encoded(.deflate),
    ]

    /// All of them, but for one that HTTP/2 does not have.
    static let bodyCases = TransportKind.allCases.flatMap { kind in
        bodies.keys.sorted().filter { kind != .http2 || $0 != "until the end" }.map { (kind, $0) }
    }

    @Test(arguments: bodyCases)
    func `a body of exactly the limit passes, and one byte more does not`(
        kind: TransportKind,
        body: String
    ) async throws {
        let answer = try #require(Self.bodies[body])
        try await LoopbackServer.with(kind.mode) { server in
            server.onAny { _ in answer }
            let transport = try kind.make()
            let response = try await transport.send(TransportRequest(.get, server, "/").limited(to: 1_000))
            #expect(response.body.count == 1_000)
            let code = try await failureCode {
                try await transport.send(TransportRequest(.get, server, "/").limited(to: 999))
            }
            #expect(code == .responseTooLarge)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `a limit of zero takes an empty body`(kind: TransportKind) async throws {
        try await LoopbackServer.with(kind.mode) { server in
            server.onAny { _ in .status(200) }
            let response = try await kind.make().send(TransportRequest(.get, server, "/").limited(to: 0))
            #expect(response.body.isEmpty)
        }
    }

    @Test(arguments: TransportKind.having(.contentCodings))
    func `the limit counts unfolded bytes, even where compressing makes more of them`(
        kind: TransportKind
    ) async throws {
        try await LoopbackServer.with(kind.mode) { server in
            server.onAny { _ in .text("hello").encoded(.gzip) }
            let response = try await kind.make().send(TransportRequest(.get, server, "/").limited(to: 5))
            #expect(response.text == "hello")
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `a body that unfolds to a thousand times its size is refused`(kind: TransportKind) async throws {
        let bomb = try LoopbackContentEncoding.gzip.encode([UInt8](repeating: 0, count: 8 << 20))
        try #require(bomb.count < 100_000)
        try await LoopbackServer.with(kind.mode) { server in
            server.onAny { _ in .bytes(bomb, headers: ["Content-Encoding": "gzip"]) }
            let code = try await failureCode {
                try await kind.make().send(TransportRequest(.get, server, "/").limited(to: 1 << 20))
            }
            #expect(code == .responseTooLarge)
        }
    }

    @Test(arguments: TransportKind.ours, [false, true])
    func `a streamed body meets the limit in what it unfolds to, and on the wire where that is nothing`(
        kind: TransportKind,
        isPadded: Bool
    ) async throws {
        let limit = 10_000
        let zeros = [UInt8](repeating: 0, count: 8 << 20)
        // Zeros behind the end are padding, which unfolds to nothing.
        let body = try LoopbackContentEncoding.gzip.encode(isPadded ? [1, 2, 3] : zeros) + (isPadded ? zeros : [])
        try await LoopbackServer.with(kind.mode) { server in
            server.onAny { _ in .bytes(body, headers: ["Content-Encoding": "gzip"]) }
            let counter = Recorder<Int>()
            let code = try await failureCode {
                let response = try await kind.make().open(TransportRequest(.get, server, "/").limited(to: limit))
                for try await chunk in try #require(response.stream) {
                    counter.record(chunk.count)
                }
                return response
            }
            #expect(code == .responseTooLarge)
            #expect(counter.elements.reduce(0, +) <= limit)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `a body over the limit is not read to its end`(kind: TransportKind) async throws {
        let gate = Gate()
        try await LoopbackServer.with(kind.mode) { server in
            server.onAny { _ in .chunks([.bytes([UInt8](repeating: 1, count: 5_000)), .wait(gate), "never sent"]) }
            let code = try await failureCode {
                try await kind.make().send(TransportRequest(.get, server, "/").limited(to: 1_000))
            }
            #expect(code == .responseTooLarge)
            try await server.waitForAbortedRequests()
        }
    }
}
