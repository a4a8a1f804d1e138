// SPDX-License-Identifier: MIT

/// Packs bits into bytes, lowest bit first, as deflate wants them.
struct BitWriter {
    private var bytes: [UInt8] = []
    private var pending: UInt64 = 0
    private var pendingCount = 0

    /// Appends the low bits of a value, the lowest first.
    mutating func append(_ value: UInt32, count: Int) {
        pending |= UInt64(value) << UInt64(pendingCount)
        pendingCount += count
        while pendingCount >= 8 {
            bytes.append(UInt8(truncatingIfNeeded: pending))
            pending >>= 8
            pendingCount -= 8
        }
    }

    /// Appends the low bits of a value, the highest first, as Huffman codes stand.
    mutating func appendReversed(_ value: UInt32, count: Int) {
        for bit in stride(from: count - 1, through: 0, by: -1) {
            append(value >> UInt32(bit) & 1, count: 1)
        }
    }

    /// Appends the fixed Huffman code of a literal, a length or the end of a block.
    mutating func appendCode(of symbol: Int) {
        switch symbol {
        case ..<144: appendReversed(UInt32(0x30 + symbol), count: 8)
        case ..<256: appendReversed(UInt32(0x190 + symbol - 144), count: 9)
        case ..<280: appendReversed(UInt32(symbol - 256), count: 7)
        default: appendReversed(UInt32(0xC0 + symbol - 280), count: 8)
        }
    }

    /// Fills the last byte with zeros.
    mutating func alignToByte() {
        if pendingCount > 0 {
            append(0, count: 8 - pendingCount)
        }
    }

    /// Takes the whole bytes written so far.
    mutating func takeBytes() -> [UInt8] {
        let taken = bytes
        bytes = []
        return taken
    }
}
