// SPDX-License-Identifier: MIT

import CZlib
import RestEssentials

/// A CRC-32 over several pieces, which detects damage, not forgery.
struct Checksum {
    private(set) var value: UInt32 = 0

    init() {}

    init(of data: Data) {
        add(data)
    }

    mutating func add(_ data: Data) {
        unsafe data.withUnsafeBytes { bytes in unsafe addBytes(bytes) }
    }

    mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { bytes in unsafe addBytes(UnsafeRawBufferPointer(bytes)) }
    }

    mutating func add(_ number: UInt64) {
        unsafe withUnsafeBytes(of: number.littleEndian) { bytes in unsafe addBytes(bytes) }
    }

    private mutating func addBytes(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 0 else {
            return
        }
        value = unsafe UInt32(
            truncatingIfNeeded: crc32_z(
                UInt(value),
                bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
                bytes.count
            )
        )
    }
}
