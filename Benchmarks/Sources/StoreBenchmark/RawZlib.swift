// SPDX-License-Identifier: MIT

import CBenchmarkZlib
import Foundation

/// Zlib as a C program uses it: a stream for each value, and one buffer for the output of all of them.
struct RawZlib: ~Copyable {
    private let buffer: UnsafeMutableBufferPointer<UInt8>

    init(capacity: Int) {
        buffer = .allocate(capacity: capacity)
    }

    deinit {
        buffer.deallocate()
    }

    func gzip(_ data: Data) -> Int {
        var stream = z_stream()
        deflateInit2_(
            &stream,
            6,
            Z_DEFLATED,
            31,
            8,
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)
        )
        defer { deflateEnd(&stream) }
        return run(data, &stream) { deflate(&$0, Z_FINISH) }
    }

    func gunzip(_ data: Data) -> Int {
        var stream = z_stream()
        inflateInit2_(&stream, 31, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        defer { inflateEnd(&stream) }
        return run(data, &stream) { inflate(&$0, Z_FINISH) }
    }

    private func run(_ data: Data, _ stream: inout z_stream, _ step: (inout z_stream) -> Int32) -> Int {
        data.withUnsafeBytes { bytes in
            stream.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
            stream.avail_in = UInt32(bytes.count)
            stream.next_out = buffer.baseAddress
            stream.avail_out = UInt32(buffer.count)
            let code = step(&stream)
            expect(code == Z_STREAM_END)
        }
        return buffer.count - Int(stream.avail_out)
    }
}
