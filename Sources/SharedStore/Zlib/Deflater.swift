// SPDX-License-Identifier: MIT

import CZlib
package import RestEssentials

package struct Deflater: ~Copyable {
    package static let usualLevel = 6

    private let stream: ZlibStream
    private var isFinished = false

    /// Creates a compressor with an effort from 0 for none to 9 for the smallest output.
    package init(format: CompressionFormat = .gzip, level: Int = usualLevel) throws(StoreError) {
        guard !format.isAutomatic else {
            throw StoreError(.invalidInput, "the automatic format is only for reading")
        }
        stream = try unsafe ZlibStream(.deflate) { pointer in
            unsafe deflateInit2_(
                pointer,
                Int32(min(max(level, 0), 9)),
                Z_DEFLATED,
                format.windowBits,
                8,
                Z_DEFAULT_STRATEGY,
                ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size)
            )
        }
    }

    /// Compresses a piece; returns the output that is ready, which may be empty.
    package mutating func update(_ data: Data) throws(StoreError) -> Data {
        try run(data, flush: Z_NO_FLUSH)
    }

    /// Compresses the pieces passed so far, so that a reader of the output can inflate all of them.
    package mutating func flush() throws(StoreError) -> Data {
        try run(Data(), flush: Z_SYNC_FLUSH)
    }

    package mutating func finish() throws(StoreError) -> Data {
        defer { isFinished = true }
        return try run(Data(), flush: Z_FINISH)
    }

    private mutating func run(_ data: Data, flush: Int32) throws(StoreError) -> Data {
        guard !isFinished else {
            throw StoreError(.invalidInput, "the stream has already ended")
        }
        return try pump(data, flush: flush, firstRoom: 4096)
    }

    private borrowing func pump(_ data: Data, flush: Int32, firstRoom: Int) throws(StoreError) -> Data {
        try unsafe data.withInput { input throws(StoreError) in
            var output = OutputBuffer()
            try unsafe stream.pump(input, into: &output, firstRoom: firstRoom, limit: .max) { pointer, isLastInput in
                unsafe deflate(pointer, isLastInput ? flush : Z_NO_FLUSH)
            }
            return output.data()
        }
    }

    /// Compresses complete data with an effort from 0 for none to 9 for the smallest output.
    package static func compress(
        _ data: Data,
        format: CompressionFormat = .gzip,
        level: Int = usualLevel
    ) throws(StoreError) -> Data {
        let deflater = try Deflater(format: format, level: level)
        let bound = Int(clamping: unsafe deflateBound(deflater.stream.pointer, UInt(data.count)))
        return try deflater.pump(data, flush: Z_FINISH, firstRoom: bound)
    }
}
