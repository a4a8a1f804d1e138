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
        guard !data.isEmpty else {
            return
        }
        value = unsafe data.withUnsafeBytes { bytes in
            unsafe UInt32(
                truncatingIfNeeded: crc32_z(
                    UInt(value),
                    bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    bytes.count
                )
            )
        }
    }

    mutating func add(_ text: String) {
        var text = text
        value = text.withUTF8 { bytes in
            bytes.isEmpty
                ? value
                : unsafe UInt32(truncatingIfNeeded: crc32_z(UInt(value), bytes.baseAddress, bytes.count))
        }
    }

    mutating func add(_ number: UInt64) {
        var number = number.littleEndian
        value = unsafe withUnsafeBytes(of: &number) { bytes in
            unsafe UInt32(
                truncatingIfNeeded: crc32_z(
                    UInt(value),
                    bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    bytes.count
                )
            )
        }
    }
}
