// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

/// Whole bodies and streamed ones lose their content codings by one rule.
@Suite(.timeLimit(.minutes(5)), .eachTransport)
struct CodingRuleTests {
    private static let text = "hello world"

    /// A body on the wire, the label of its codings, and what remains of it; `nil` for an error.
    struct Row: Sendable, CustomTestStringConvertible {
        let label: String
        let wire: [UInt8]
        let body: [UInt8]?

        init(_ label: String, _ wire: [UInt8], _ body: [UInt8]?) {
            (self.label, self.wire, self.body) = (label, wire, body)
        }

        var testDescription: String { "'\(label)'" }
    }

    private static func rows() throws -> [Row] {
        let plain = Array(text.utf8)
        let gzip = try LoopbackContentEncoding.gzip.encode(plain)
        let zlib = try LoopbackContentEncoding.deflate.encode(plain)
        let zeros = [UInt8](repeating: 0, count: 10)
        var rows = [
            "", "identity", "IDENTITY, identity", "utf-8", "none", "compress", "exi", "aws-chunked", ",", ";q=1",
        ]
        .map { Row($0, plain, plain) }
        rows += ["gzip", "x-gzip", "GZIP", "identity, gzip", " gzip ,, "].map { Row($0, gzip, plain) }
        rows += [
            Row("deflate", zlib, plain), Row("deflate", try LoopbackContentEncoding.rawDeflate.encode(plain), plain),
            Row("deflate, gzip", try LoopbackContentEncoding.gzip.encode(zlib), plain), Row("utf-8, gzip", gzip, plain),
            Row("gzip, utf-8", gzip, gzip), Row("gzip;q=1.0", gzip, gzip),
            Row("gzip, gzip, gzip, gzip, gzip", gzip, nil),
            Row("gzip", gzip + gzip, plain + plain), Row("gzip", gzip + zeros, plain),
            Row("deflate", zlib + zeros, plain),
            Row("gzip", gzip + gzip + zeros, plain + plain), Row("gzip", gzip + zeros + [1], nil),
            Row("gzip", gzip + [1], nil), Row("gzip", plain, nil), Row("gzip", gzip.dropLast(3), nil),
            Row("gzip", [], []),
        ]
        #if !Brotli
        rows.append(Row("br", plain, plain))
        #endif
        #if !Zstd
        rows.append(Row("zstd", plain, plain))
        #endif
        return rows
    }

    @Test
    func `each coding is treated alike, however the body is read`() async throws {
        // HTTP/2 allows no blanks around values.
        for row in try Self.rows() where TransportKind.chosen == .http1 || row.label.first != " " {
            try await LoopbackClient.with { client in
                client.server.onAny { _ in .bytes(row.wire, headers: ["Content-Encoding": row.label]) }
                let node = client.request(.get, "/")
                let folder = try TemporaryDirectory()

                let whole = try? await node.send()
                let watched = try? await node.onProgress { _ in }.send()
                let streamed = try? await Self.bytes(node)
                let file = folder.path("file")
                _ = try? await node.download(to: file.path)

                let expected = row.body.map { Data($0) }
                #expect(whole == expected, "send: \(row)")
                #expect(watched == expected, "progress: \(row)")
                #expect(streamed == expected, "stream: \(row)")
                let loaded = try? Data(contentsOf: file)
                #expect(loaded == expected, "download: \(row)")
            }
        }
    }

    @Test
    func `the body of a dummy is what is left without its codings`() async throws {
        try await LoopbackClient.with { client in
            client.manager.dummies.mode = .strict
            client.manager.dummies.register(.get, "/") { _ in
                .bytes(Self.text.utf8, headers: [.contentEncoding: "gzip"])
            }
            let node = client.request(.get, "/")

            let bodies = [
                try await node.send(), try await node.onProgress { _ in }.send(), try await Self.bytes(node),
            ]

            #expect(bodies.allSatisfy { $0 == Data(Self.text.utf8) })
        }
    }

    private static func bytes(_ node: RequestNode<Data>) async throws -> Data {
        var bytes = Data()
        for try await chunk in try await node.stream().bytes {
            bytes += chunk
        }
        return bytes
    }
}
