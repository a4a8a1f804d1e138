// SPDX-License-Identifier: MIT

enum ByteComparison {
    /// Compares as many bytes as the second argument has, without a function call and without reading further.
    ///
    /// - Safety: The first argument must point to at least that many bytes.
    @inline(__always)
    @unsafe static func isEqual(_ first: UnsafePointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>) -> Bool {
        let count = second.count
        guard count > 0, let start = second.baseAddress else {
            return count == 0
        }
        let left = unsafe UnsafeRawPointer(first)
        let right = unsafe UnsafeRawPointer(start)
        if count >= 8 {
            var offset = 0
            while offset &+ 8 <= count {
                guard unsafe isEqual(left, right, at: offset, as: UInt64.self) else {
                    return false
                }
                offset &+= 8
            }
            // The last chunk may overlap the one before.
            return unsafe isEqual(left, right, at: count &- 8, as: UInt64.self)
        }
        if count >= 4 {
            return unsafe isEqual(left, right, at: 0, as: UInt32.self)
                && isEqual(left, right, at: count &- 4, as: UInt32.self)
        }
        if count >= 2 {
            return unsafe isEqual(left, right, at: 0, as: UInt16.self)
                && isEqual(left, right, at: count &- 2, as: UInt16.self)
        }
        return unsafe first.pointee == start.pointee
    }

    @inline(__always)
    private static func isEqual<Chunk: FixedWidthInteger & BitwiseCopyable>(
        _ left: UnsafeRawPointer,
        _ right: UnsafeRawPointer,
        at offset: Int,
        as type: Chunk.Type
    ) -> Bool {
        unsafe (left + offset).loadUnaligned(as: type) == (right + offset).loadUnaligned(as: type)
    }
}
