// SPDX-License-Identifier: MIT

import RestEssentials

struct ByteWriter {
    private(set) var data = Data()

    mutating func append(_ byte: UInt8) {
        data.append(byte)
    }

    mutating func append(_ number: UInt16) {
        append(UInt64(number), count: 2)
    }

    mutating func append(_ number: UInt64) {
        append(number, count: 8)
    }

    mutating func append(_ date: Date) {
        append(date.timeIntervalSince1970.bitPattern, count: 8)
    }

    mutating func append(_ text: String) {
        append(UInt64(UInt32(clamping: text.utf8.count)), count: 4)
        data.append(contentsOf: text.utf8)
    }

    mutating func append(_ bytes: Data) {
        append(UInt64(UInt32(clamping: bytes.count)), count: 4)
        data.append(bytes)
    }

    private mutating func append(_ number: UInt64, count: Int) {
        for shift in 0..<count {
            data.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(shift))))
        }
    }
}
