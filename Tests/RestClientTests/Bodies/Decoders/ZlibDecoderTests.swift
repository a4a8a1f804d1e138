// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore
import Testing

@testable import RestClient

/// The contract of decoders, on those that every build has; `Samples/` has the others.
@Suite
struct ZlibDecoderTests {
    private static let text = Data(String(repeating: "again and again ", count: 4_000).utf8)

    @Test(
        arguments: [(true, CompressionFormat.gzip), (false, .zlib), (false, .raw)] as [(Bool, CompressionFormat)],
        [1, 2, 7, 1_000]
    )
    func `input may come in pieces of any size`(row: (isGzip: Bool, format: CompressionFormat), size: Int) throws {
        let bytes = try Deflater.compress(Self.text, format: row.format)
        let decoder = ZlibDecoder(isGzip: row.isGzip)
        var (input, output) = (Data(), Data())
        for start in stride(from: 0, to: bytes.count, by: size) {
            input.append(bytes[start..<min(bytes.count, start + size)])
            while case let piece = try decoder.decode(&input), !piece.isEmpty {
                output.append(piece)
            }
        }
        try decoder.finish(input)

        #expect(output == Self.text)
        #expect(try ZlibDecoder(isGzip: row.isGzip).decode(whole: bytes, limit: output.count) == output)
    }

    @Test
    func `input that ends within its header is incomplete`() throws {
        let decoder = ZlibDecoder(isGzip: false)
        var input = Data([0x78])
        #expect(try decoder.decode(&input).isEmpty)

        let error = #expect(throws: StoreError.self) { try decoder.finish(input) }
        #expect(error?.code == .truncatedInput)
    }

    @Test(arguments: [("gzip", ContentDecoding.gzip), ("X-GZIP", .gzip), ("deflate", .deflate), ("br", nil), ("", nil)])
    func `a build names the codings it can remove`(name: String, coding: ContentDecoding?) {
        #expect(ContentDecoding(name: name) == coding)
        #expect(ContentCoding.accepted == "gzip, deflate")
    }
}
