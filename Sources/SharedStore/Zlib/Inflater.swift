// SPDX-License-Identifier: MIT

import CZlib
package import RestEssentials

/// Decompresses a stream of bytes, up to a limit.
///
/// A few kilobytes of forged input can inflate to gigabytes. So each inflater has a limit, and input that exceeds it
/// ends with ``StoreError/Code-swift.struct/limitExceeded`` before the output is produced.
package struct Inflater: ~Copyable {
    private let stream: ZlibStream
    private let format: CompressionFormat
    private var limit: Int
    private var produced = 0

    /// A Boolean value that indicates whether the end of the compressed data was seen; further gzip members may still
    /// follow.
    package private(set) var isAtEnd = false

    /// Creates a decompressor with a maximum size in bytes of the whole output.
    package init(format: CompressionFormat = .automatic, limit: Int) throws(StoreError) {
        self.format = format
        self.limit = max(0, limit)
        stream = try unsafe ZlibStream(.inflate) { pointer in
            unsafe inflateInit2_(pointer, format.windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        }
    }

    /// Decompresses a piece; returns the output that is ready, which may be empty.
    package mutating func update(_ data: Data) throws(StoreError) -> Data {
        try run(data, flush: Z_NO_FLUSH, firstRoom: max(4096, min(data.count * 4, 1 << 20)))
    }

    /// Decompresses a message of a stream that goes on, whose output has a limit of its own.
    package mutating func message(_ data: Data, limit: Int) throws(StoreError) -> Data {
        self.limit = max(0, limit)
        produced = 0
        return try update(data)
    }

    /// Checks that the input was complete.
    ///
    /// - Throws: ``StoreError`` with `truncatedInput` if the compressed data has no end.
    package mutating func finish() throws(StoreError) {
        guard isAtEnd else {
            throw StoreError(.truncatedInput, "the \(format) data ends too early")
        }
    }

    private mutating func run(_ data: Data, flush: Int32, firstRoom: Int) throws(StoreError) -> Data {
        try unsafe data.withInput { input throws(StoreError) in
            var output = OutputBuffer()
            try unsafe run(input, into: &output, flush: flush, firstRoom: firstRoom)
            return output.data()
        }
    }

    private mutating func run(
        _ input: UnsafeRawBufferPointer,
        into output: inout OutputBuffer,
        flush: Int32,
        firstRoom: Int
    ) throws(StoreError) {
        var rest = unsafe input
        while unsafe !rest.isEmpty {
            if isAtEnd {
                // Gzip allows several members, and messages begin again; other data after the end is damage.
                guard format.mayContinue, unsafe inflateReset(stream.pointer) == Z_OK else {
                    throw StoreError(.invalidInput, "there are bytes after the end of the \(format) data")
                }
                isAtEnd = false
            }
            let before = output.count
            let result = try unsafe stream.pump(
                rest,
                into: &output,
                firstRoom: firstRoom,
                limit: limit - produced
            ) { pointer, isLastInput in
                unsafe inflate(pointer, isLastInput ? flush : Z_NO_FLUSH)
            }
            produced += output.count - before
            isAtEnd = result.isAtEnd
            unsafe rest = unsafe UnsafeRawBufferPointer(rebasing: rest.suffix(result.unused))
            if !isAtEnd { break }
        }
    }

    /// Decompresses complete data.
    package static func decompress(
        _ data: Data,
        format: CompressionFormat = .automatic,
        limit: Int
    ) throws(StoreError) -> Data {
        var inflater = try Inflater(format: format, limit: limit)
        // If zlib knows that this is the complete input, it keeps no window of its output.
        let output = try inflater.run(
            data,
            flush: Z_FINISH,
            firstRoom: hint(data, format: format, limit: inflater.limit)
        )
        try inflater.finish()
        return output
    }

    /// The space that zlib needs after its next output: with less, it continues byte by byte.
    private static let fastRoom = 258

    /// Returns the initial buffer size: the size in a gzip trailer, as far as it is plausible for the input.
    private static func hint(_ data: Data, format: CompressionFormat, limit: Int) -> Int {
        let isGzip = format == .gzip || (format == .automatic && data.first == 0x1F)
        guard isGzip, data.count >= 18 else {
            return max(4096, min(data.count * 4, 1 << 20))
        }
        let trailer = unsafe data.withUnsafeBytes { bytes in
            unsafe UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: bytes.count - 4, as: UInt32.self))
        }
        return min(Int(trailer), limit, data.count * 32) + fastRoom
    }
}
