// SPDX-License-Identifier: MIT
import CZlib

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Owns a `z_stream` at an address that never changes, which zlib insists on, and ends it.
@safe final class ZlibStream {
    enum Direction {
        case deflate
        case inflate
    }

    /// What one call of ``pump(_:into:firstRoom:limit:step:)`` came to.
    struct Progress {
        var isAtEnd: Bool
        /// The number of input bytes behind the end of the stream.
        var unused: Int
    }

    let pointer: UnsafeMutablePointer<z_stream>
    private let direction: Direction
    private var hasBegun = false

    init(_ direction: Direction) {
        self.direction = direction
        unsafe pointer = .allocate(capacity: 1)
        unsafe pointer.initialize(to: z_stream())
    }

    deinit {
        if hasBegun {
            switch direction {
            case .deflate: _ = unsafe deflateEnd(pointer)
            case .inflate: _ = unsafe inflateEnd(pointer)
            }
        }
        unsafe pointer.deallocate()
    }

    /// Notes that zlib accepted the stream.
    func begun(_ code: Int32) throws(StoreError) {
        guard code == Z_OK else { throw failure(code) }
        hasBegun = true
    }

    /// Feeds the input through and appends the output, growing as needed up to the limit.
    ///
    /// `step` calls zlib once; it is told whether the rest of the input is before it.
    @discardableResult
    func pump(
        _ input: Data,
        into output: inout Data,
        firstRoom: Int,
        limit: Int,
        step: (UnsafeMutablePointer<z_stream>, Bool) -> Int32
    ) throws(StoreError) -> Progress {
        // zlib counts in 32 bits; larger input goes in slices.
        let slice = 1 << 30
        var offset = 0
        var room = firstRoom
        let start = output.count
        while true {
            let end = min(input.count, offset + slice)
            let piece = input.dropFirst(offset).prefix(end - offset)
            let isLast = end == input.count
            var used = 0
            while true {
                let produced = output.count - start
                // One byte beyond the limit tells output that ends at the limit from output that goes on.
                let space = min(max(room, 64), slice, limit == .max ? .max : limit - produced + 1)
                let result = unsafe fill(&output, space, piece.dropFirst(used), isLast: isLast, step: step)
                used += result.consumed
                room = min(max(room, 4096) * 2, 16 << 20)
                guard output.count - start <= limit else {
                    throw StoreError(.limitExceeded, "the data inflates to more than \(limit) bytes")
                }
                switch result.code {
                case Z_STREAM_END:
                    return Progress(isAtEnd: true, unused: input.count - offset - used)
                case Z_OK, Z_BUF_ERROR:
                    if result.isFull { continue }
                default:
                    throw failure(result.code)
                }
                break
            }
            offset = end
            if isLast { return Progress(isAtEnd: false, unused: 0) }
        }
    }

    /// Calls zlib once with so much space behind the output.
    private func fill(
        _ output: inout Data,
        _ space: Int,
        _ input: Data,
        isLast: Bool,
        step: (UnsafeMutablePointer<z_stream>, Bool) -> Int32
    ) -> (code: Int32, consumed: Int, isFull: Bool) {
        let before = output.count
        output.count = before + space
        let (code, consumed, left) = unsafe input.withUnsafeBytes { source in
            unsafe output.withUnsafeMutableBytes { target in
                unsafe pointer.pointee.next_in = UnsafeMutablePointer(
                    mutating: source.baseAddress?.assumingMemoryBound(to: UInt8.self)
                )
                unsafe pointer.pointee.avail_in = UInt32(source.count)
                unsafe pointer.pointee.next_out =
                    target.baseAddress.map { unsafe $0.assumingMemoryBound(to: UInt8.self) + before }
                unsafe pointer.pointee.avail_out = UInt32(space)
                let code = unsafe step(pointer, isLast)
                let consumed = unsafe source.count - Int(pointer.pointee.avail_in)
                return unsafe (code, consumed, Int(pointer.pointee.avail_out))
            }
        }
        output.count = before + space - left
        return (code, consumed, left == 0)
    }

    private func failure(_ code: Int32) -> StoreError {
        let words = unsafe pointer.pointee.msg.map { unsafe String(cString: $0) }
        return switch code {
        case Z_MEM_ERROR: StoreError(.limitExceeded, "zlib has no memory")
        case Z_DATA_ERROR, Z_NEED_DICT:
            StoreError(.invalidInput, "the compressed data is damaged: \(words ?? "no details")")
        default: StoreError(.invalidInput, "zlib failed with code \(code): \(words ?? "no details")")
        }
    }
}
