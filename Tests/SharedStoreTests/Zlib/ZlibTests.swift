// SPDX-License-Identifier: MIT

import Foundation
import SharedStore
import Testing

@Suite struct ZlibTests {
    static let formats: [CompressionFormat] = [.gzip, .zlib, .raw]

    private func sample(_ size: Int) -> Data {
        Data((0..<size).map { UInt8(truncatingIfNeeded: $0 / 7 &* 13 &+ ($0 >> 9)) })
    }

    @Test(arguments: formats, [0, 1, 1000, 100_000, 3_000_000])
    func `what was compressed is decompressed`(_ format: CompressionFormat, _ size: Int) throws {
        let data = sample(size)
        for level in [1, 6, 9, 0] {
            let compressed = try Deflater.compress(data, format: format, level: level)

            #expect(try Inflater.decompress(compressed, format: format, limit: size) == data)
            #expect(size < 1000 || level == 0 || compressed.count < size / 2)
        }
    }

    @Test(arguments: formats, [1, 7, 1000, 65_536])
    func `pieces of any size make the same stream`(_ format: CompressionFormat, _ size: Int) throws {
        let data = sample(size == 1 ? 3000 : 200_000)
        var deflater = try Deflater(format: format)
        var compressed = Data()
        for start in stride(from: 0, to: data.count, by: size) {
            compressed += try deflater.update(data[start..<min(start + size, data.count)])
        }
        compressed += try deflater.finish()

        var inflater = try Inflater(format: format, limit: data.count)
        var output = Data()
        for start in stride(from: 0, to: compressed.count, by: size) {
            output += try inflater.update(compressed[start..<min(start + size, compressed.count)])
        }
        try inflater.finish()
        let isAtEnd = inflater.isAtEnd

        #expect(output == data)
        #expect(isAtEnd)
        #expect(try Inflater.decompress(compressed, format: format, limit: .max) == data)
    }

    @Test(arguments: formats)
    func `what was flushed can be read before the stream ends`(_ format: CompressionFormat) throws {
        var deflater = try Deflater(format: format)
        var inflater = try Inflater(format: format, limit: .max)
        var read: [String] = []
        for word in ["one", "two", "three"] {
            let piece = try deflater.update(Data(word.utf8)) + deflater.flush()
            read.append(String(decoding: try inflater.update(piece), as: UTF8.self))
        }
        let rest = try inflater.update(try deflater.finish())
        try inflater.finish()
        #expect(read == ["one", "two", "three"])
        #expect(rest.isEmpty)
        #expect(throws: StoreError.self) { try deflater.flush() }
    }

    @Test
    func `known streams are read`() throws {
        // Made by gzip, with a file name in the header, and by Python's zlib.
        let gzip = "1f8b0808d202496700036100cb48cdc9c9070086a6103605000000"
        let zlib = "789ccb48cdc9c907000 62c0215".replacing(" ", with: "")
        let raw = "cb48cdc9c90700"

        #expect(try Inflater.decompress(Data(hex: gzip), format: .gzip, limit: 5) == Data("hello".utf8))
        #expect(try Inflater.decompress(Data(hex: gzip), limit: 5) == Data("hello".utf8))
        #expect(try Inflater.decompress(Data(hex: zlib), format: .zlib, limit: 5) == Data("hello".utf8))
        #expect(try Inflater.decompress(Data(hex: zlib), limit: 5) == Data("hello".utf8))
        #expect(try Inflater.decompress(Data(hex: raw), format: .raw, limit: 5) == Data("hello".utf8))
    }

    @Test
    func `several gzip members are one stream`() throws {
        let parts = try ["hello, ", "", "world"].map { try Deflater.compress(Data($0.utf8)) }

        #expect(
            try Inflater.decompress(parts.reduce(Data(), +), format: .gzip, limit: 100) == Data("hello, world".utf8)
        )
    }

    @Test(arguments: formats)
    func `output ends at the limit and not beyond it`(_ format: CompressionFormat) throws {
        let data = Data(count: 100_000)
        let compressed = try Deflater.compress(data, format: format)

        #expect(try Inflater.decompress(compressed, format: format, limit: 100_000) == data)
        for limit in [0, 1, 99_999] {
            let error = #expect(throws: StoreError.self) {
                try Inflater.decompress(compressed, format: format, limit: limit)
            }
            #expect(error?.code == .limitExceeded)
        }
    }

    @Test
    func `a bomb is stopped, whole or in pieces`() throws {
        let bomb = try Deflater.compress(Data(count: 200_000_000), level: 9)
        #expect(bomb.count < 250_000)

        let whole = #expect(throws: StoreError.self) { try Inflater.decompress(bomb, limit: 1_000_000) }
        var inflater = try Inflater(limit: 1_000_000)
        var produced = 0
        var failure: StoreError?
        for start in stride(from: 0, to: bomb.count, by: 100) where failure == nil {
            do throws(StoreError) {
                produced += try inflater.update(bomb[start..<min(start + 100, bomb.count)]).count
            } catch {
                failure = error
            }
        }

        #expect(whole?.code == .limitExceeded)
        #expect(failure?.code == .limitExceeded)
        #expect(produced <= 1_000_000)
    }

    @Test(arguments: formats)
    func `a stream that ends too early is an error`(_ format: CompressionFormat) throws {
        let compressed = try Deflater.compress(sample(1000), format: format)

        for count in 0..<compressed.count {
            let error = #expect(throws: StoreError.self) {
                try Inflater.decompress(compressed.prefix(count), format: format, limit: 1000)
            }
            #expect(error?.code == .truncatedInput)
        }
    }

    @Test(arguments: [CompressionFormat.zlib, .raw])
    func `bytes behind the end are an error`(_ format: CompressionFormat) throws {
        let compressed = try Deflater.compress(sample(1000), format: format)

        let error = #expect(throws: StoreError.self) {
            try Inflater.decompress(compressed + Data([0]), format: format, limit: 1000)
        }
        #expect(error?.code == .invalidInput)
    }

    @Test
    func `bytes that are not a stream are an error`() {
        for format in [CompressionFormat.gzip, .zlib, .automatic] {
            let error = #expect(throws: StoreError.self) {
                try Inflater.decompress(Data("not compressed at all".utf8), format: format, limit: 1000)
            }
            #expect(error?.code == .invalidInput)
        }
    }

    @Test
    func `a finished stream takes no more`() throws {
        var deflater = try Deflater()
        _ = try deflater.finish()

        var failure: StoreError?
        do throws(StoreError) {
            _ = try deflater.finish()
        } catch {
            failure = error
        }
        #expect(failure?.code == .invalidInput)
        let automatic = #expect(throws: StoreError.self) { _ = try Deflater(format: .automatic) }
        #expect(automatic?.code == .invalidInput)
    }

    @Test
    func `levels out of range become the nearest one`() throws {
        let data = sample(10_000)
        #expect(try Deflater.compress(data, level: -5) == Deflater.compress(data, level: 0))
        #expect(try Deflater.compress(data, level: 99) == Deflater.compress(data, level: 9))
    }

    @Test(arguments: formats, [1, 3, 1000])
    func `zeros behind the end are padding where the format allows it`(_ format: CompressionFormat, _ size: Int) throws
    {
        let data = sample(5000)
        let compressed = try Deflater.compress(data, format: format)
        func inflated(_ rest: [UInt8], _ format: CompressionFormat) throws -> Data {
            var inflater = try Inflater(format: format, limit: .max)
            let input = compressed + rest
            var output = Data()
            for start in stride(from: 0, to: input.count, by: size) {
                output += try inflater.update(input[start..<min(start + size, input.count)])
            }
            try inflater.finish()
            return output
        }

        let zeros = [UInt8](repeating: 0, count: 10)
        #expect(try inflated(zeros, format.padded) == data)
        #expect(try Inflater.decompress(compressed + zeros, format: format.padded, limit: .max) == data)
        for rest in [zeros + [1], [1], zeros + [0x1F, 0x8B]] {
            #expect(throws: StoreError.self) { try inflated(rest, format.padded) }
            #expect(throws: StoreError.self) {
                try Inflater.decompress(compressed + rest, format: format.padded, limit: .max)
            }
        }
        #expect(throws: StoreError.self) { try inflated(zeros, format) }
        #expect(throws: StoreError.self) { try Inflater.decompress(compressed + zeros, format: format, limit: .max) }
    }
}

extension Data {
    /// Creates data from pairs of hexadecimal digits; anything else is passed over.
    init(hex: String) {
        let digits = hex.compactMap(\.hexDigitValue)
        self.init(stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }
}
