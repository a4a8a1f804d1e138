// SPDX-License-Identifier: MIT

/// The sums that gzip and zlib end with.
enum Checksum {
    case crc32(state: UInt32 = 0xFFFF_FFFF)
    case adler32(low: UInt32 = 1, high: UInt32 = 0)

    /// The sum over everything added.
    var value: UInt32 {
        switch self {
        case .crc32(let state): ~state
        case .adler32(let low, let high): high << 16 | low
        }
    }

    mutating func add(_ bytes: [UInt8]) {
        switch self {
        case .crc32(var state):
            for byte in bytes {
                state = Self.table[Int(UInt8(truncatingIfNeeded: state) ^ byte)] ^ (state >> 8)
            }
            self = .crc32(state: state)
        case .adler32(var low, var high):
            for byte in bytes {
                low = (low + UInt32(byte)) % 65_521
                high = (high + low) % 65_521
            }
            self = .adler32(low: low, high: high)
        }
    }

    private static let table: [UInt32] = (0..<256)
        .map { index in
            (0..<8)
                .reduce(UInt32(index)) { value, _ in
                    value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1
                }
        }
}
