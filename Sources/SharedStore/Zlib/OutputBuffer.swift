// SPDX-License-Identifier: MIT

import RestEssentials

/// Memory that zlib writes into and that becomes a `Data` without a copy.
///
/// A growing `Data` would first be filled with zeros, which takes as long as inflating a kilobyte.
@safe struct OutputBuffer: ~Copyable {
    /// The bytes behind a short output that are not given back.
    ///
    /// An inflater leaves as many. To split them off would take a noticeable part of the time of a short value.
    private static let smallRest = 258

    private var base: UnsafeMutableRawPointer?
    private var capacity = 0
    private(set) var count = 0

    init() {
        unsafe base = nil
    }

    deinit {
        unsafe free(base)
    }

    /// Lets the closure append up to `space` bytes; it returns the number of bytes written.
    mutating func append(
        upTo space: Int,
        _ body: (UnsafeMutablePointer<UInt8>) -> Int
    ) throws(StoreError) {
        if capacity - count < space {
            guard let grown = unsafe realloc(base, count + space) else {
                let reason = "\(count + space) bytes cannot be allocated"
                throw StoreError(.limitExceeded, reason, underlying: OutOfMemory())
            }
            unsafe base = grown
            capacity = count + space
        }
        guard let base = unsafe base else {
            return
        }
        let target = unsafe base.assumingMemoryBound(to: UInt8.self)
        count += min(space, unsafe body(target + count))
    }

    consuming func data() -> Data {
        guard count > 0, let base = unsafe base else {
            _ = consume self
            return Data()
        }
        // Shrinking happens in place; a buffer that is only slightly too large is kept.
        let kept = max(count / 8, min(count / 3, Self.smallRest))
        let bytes = unsafe capacity - count > kept ? realloc(base, count) ?? base : base
        let data = unsafe Data(bytesNoCopy: bytes, count: count, deallocator: .free)
        discard self
        return data
    }
}
