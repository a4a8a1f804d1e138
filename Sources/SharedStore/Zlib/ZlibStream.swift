// SPDX-License-Identifier: MIT

import CZlib
import RestEssentials

/// Owns a `z_stream` at an address that never changes, as zlib requires, and ends it.
@safe struct ZlibStream: ~Copyable {
    enum Direction {
        case deflate
        case inflate
    }

    struct Progress {
        var isAtEnd: Bool
        var unused: Int
    }

    let pointer: UnsafeMutablePointer<z_stream>
    private let direction: Direction

    /// Creates a stream; `begin` calls one of zlib's initialization functions.
    init(_ direction: Direction, begin: (UnsafeMutablePointer<z_stream>) -> Int32) throws(StoreError) {
        let pointer = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe pointer.initialize(to: z_stream())
        let code = unsafe begin(pointer)
        guard code == Z_OK else {
            defer { unsafe pointer.deallocate() }
            throw unsafe Self.failure(code, pointer)
        }
        unsafe self.pointer = pointer
        self.direction = direction
    }

    deinit {
        switch direction {
        case .deflate: _ = unsafe deflateEnd(pointer)
        case .inflate: _ = unsafe inflateEnd(pointer)
        }
        unsafe pointer.deallocate()
    }

    /// Passes the input through and appends the output, growing as needed up to the limit.
    ///
    /// `step` calls zlib once; its argument is true for the last part of the input.
    @discardableResult
    borrowing func pump(
        _ input: UnsafeRawBufferPointer,
        into output: inout OutputBuffer,
        firstRoom: Int,
        limit: Int,
        step: (UnsafeMutablePointer<z_stream>, Bool) -> Int32
    ) throws(StoreError) -> Progress {
        // zlib counts in 32 bits, so larger input is passed in slices.
        let slice = 1 << 30
        var offset = 0
        var room = firstRoom
        let start = output.count
        while true {
            let end = min(input.count, offset + slice)
            let isLast = end == input.count
            unsafe pointer.pointee.next_in = unsafe input.baseAddress.map {
                unsafe UnsafeMutablePointer(mutating: $0.assumingMemoryBound(to: UInt8.self) + offset)
            }
            unsafe pointer.pointee.avail_in = UInt32(end - offset)
            while true {
                let produced = output.count - start
                // One byte beyond the limit distinguishes output that ends at the limit from longer output.
                let space = min(max(room, 64), slice, limit == .max ? .max : limit - produced + 1)
                let (code, isFull) = try unsafe fill(&output, space, isLast, step)
                room = min(max(room, 4096) * 2, 16 << 20)
                guard output.count - start <= limit else {
                    throw StoreError(.limitExceeded, "the data inflates to more than \(limit) bytes")
                }
                switch code {
                case Z_STREAM_END:
                    let rest = unsafe Int(pointer.pointee.avail_in)
                    return Progress(isAtEnd: true, unused: input.count - end + rest)
                case Z_OK, Z_BUF_ERROR:
                    if isFull { continue }
                default:
                    throw unsafe Self.failure(code, pointer)
                }
                break
            }
            offset = end
            if isLast { return Progress(isAtEnd: false, unused: 0) }
        }
    }

    /// Calls zlib once with the given space after the output.
    private borrowing func fill(
        _ output: inout OutputBuffer,
        _ space: Int,
        _ isLast: Bool,
        _ step: (UnsafeMutablePointer<z_stream>, Bool) -> Int32
    ) throws(StoreError) -> (code: Int32, isFull: Bool) {
        var code = Z_OK
        try unsafe output.append(upTo: space) { target in
            unsafe pointer.pointee.next_out = target
            unsafe pointer.pointee.avail_out = UInt32(space)
            code = unsafe step(pointer, isLast)
            return unsafe space - Int(pointer.pointee.avail_out)
        }
        return (code, unsafe pointer.pointee.avail_out == 0)
    }

    private static func failure(_ code: Int32, _ pointer: UnsafeMutablePointer<z_stream>) -> StoreError {
        let words = unsafe pointer.pointee.msg.map { unsafe String(cString: $0) }
        return switch code {
        case Z_MEM_ERROR: StoreError(.limitExceeded, "zlib cannot allocate memory", underlying: OutOfMemory())
        case Z_DATA_ERROR, Z_NEED_DICT:
            StoreError(.invalidInput, "the compressed data is damaged: \(words ?? "no details")")
        default: StoreError(.invalidInput, "zlib failed with code \(code): \(words ?? "no details")")
        }
    }
}

extension Data {
    /// Passes the bytes to the closure, like `withUnsafeBytes`, but keeps the error's type.
    func withInput<Value>(
        _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let result = unsafe withUnsafeBytes { bytes in
            Result { () throws(StoreError) -> Value in unsafe try body(bytes) }
        }
        return try result.get()
    }
}
