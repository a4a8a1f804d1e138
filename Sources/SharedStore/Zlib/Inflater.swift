// SPDX-License-Identifier: MIT

import CZlib
package import RestEssentials
import Synchronization

/// Decompresses a stream of bytes, up to a limit.
///
/// A few kilobytes of forged input can inflate to gigabytes. So each inflater has a limit, and input that exceeds it
/// ends with ``StoreError/Code-swift.struct/limitExceeded`` before the output is produced.
package struct Inflater: ~Copyable {
    private let stream: ZlibStream
    private var format: CompressionFormat
    private var limit: Int
    private var produced = 0

    /// A Boolean value that indicates whether the end of the compressed data was seen; further gzip members may still
    /// follow.
    package private(set) var isAtEnd = false
    private var isPadding = false

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

    /// Decompresses one message of a stream that continues; the limit applies to each message.
    package mutating func message(_ data: Data, limit: Int) throws(StoreError) -> Data {
        self.limit = max(0, limit)
        produced = 0
        return try update(data)
    }

    /// Throws `truncatedInput` if the compressed data has no end.
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
            if isAtEnd, format.allowsPadding, unsafe isPadding || rest.first == 0 {
                // No compressed data begins with zeros.
                guard unsafe rest.allSatisfy({ $0 == 0 }) else {
                    throw StoreError(.invalidInput, "there are bytes after the end of the \(format) data")
                }
                isPadding = true
                return
            }
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

    package static func decompress(
        _ data: Data,
        format: CompressionFormat = .automatic,
        limit: Int
    ) throws(StoreError) -> Data {
        if data.count <= spareLimit {
            let output = try spare.withLockIfAvailable { slot throws(StoreError) -> Data in
                let used: Spare
                if let kept = slot, kept.inflater.restart(format: format, limit: limit) {
                    used = kept
                } else {
                    used = Spare(try Inflater(format: format, limit: limit))
                }
                // After an error, or if it took several calls, zlib may have a window of the output.
                slot = nil
                let result = try used.inflater.complete(data)
                if result.hasNoWindow { slot = used }
                return result.output
            }
            if let output { return output }
        }
        var inflater = try Inflater(format: format, limit: limit)
        return try inflater.complete(data).output
    }

    private final class Spare {
        var inflater: Inflater

        init(_ inflater: consuming Inflater) {
            self.inflater = inflater
        }
    }

    /// An inflater for one thread at a time, because making one takes longer than inflating some hundred bytes.
    ///
    /// It has no window, and so no copy of the last output.
    private static let spare = Mutex<Spare?>(nil)

    /// The maximum size of data for which the spare inflater is used, so that others do not miss it for long.
    private static let spareLimit = 64 * 1024

    /// Begins another stream; `false` if zlib refuses.
    private mutating func restart(format: CompressionFormat, limit: Int) -> Bool {
        self.format = format
        self.limit = max(0, limit)
        produced = 0
        (isAtEnd, isPadding) = (false, false)
        return unsafe inflateReset2(stream.pointer, format.windowBits) == Z_OK
    }

    private mutating func complete(_ data: Data) throws(StoreError) -> (output: Data, hasNoWindow: Bool) {
        let room = Self.hint(data, format: format, limit: limit)
        // If zlib knows that this is the complete input, it keeps no window of output that it can write at once.
        let output = try run(data, flush: Z_FINISH, firstRoom: room)
        try finish()
        return (output, output.count < room)
    }

    /// The space that zlib needs after its next output: with less, it continues byte by byte.
    private static let fastRoom = 258

    /// Returns the initial buffer size: the size in a gzip trailer, as far as it is plausible for the input.
    private static func hint(_ data: Data, format: CompressionFormat, limit: Int) -> Int {
        let isGzip = format.isGzip || (format.isAutomatic && data.first == 0x1F)
        guard isGzip, data.count >= 18 else {
            return max(4096, min(data.count * 4, 1 << 20))
        }
        let trailer = unsafe data.withUnsafeBytes { bytes in
            unsafe UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: bytes.count - 4, as: UInt32.self))
        }
        return min(Int(trailer), limit, data.count * 32) + fastRoom
    }
}
