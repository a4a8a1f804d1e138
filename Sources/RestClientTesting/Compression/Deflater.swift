// SPDX-License-Identifier: MIT

/// A small deflate compressor (RFC 1951): fixed Huffman codes and one candidate a match.
///
/// It stands here so that whoever uses the server links no compression library. Each piece becomes a block of its own,
/// ended on a byte boundary, and matches do not reach back into earlier pieces.
struct Deflater {
    private var bits = BitWriter()

    /// Compresses a piece; the last one ends the stream.
    mutating func deflate(_ bytes: [UInt8], isLast: Bool) -> [UInt8] {
        if !bytes.isEmpty || isLast {
            bits.append(isLast ? 1 : 0, count: 1)
            bits.append(1, count: 2)
            appendSymbols(of: bytes)
            bits.appendCode(of: 256)
        }
        if isLast {
            bits.alignToByte()
        } else {
            // An empty stored block, so that what has been written so far ends on a byte.
            bits.append(0, count: 3)
            bits.alignToByte()
            bits.append(0xFFFF_0000, count: 32)
        }
        return bits.takeBytes()
    }

    private mutating func appendSymbols(of bytes: [UInt8]) {
        var lastSeen = [Int](repeating: -1, count: 1 << 15)
        var index = 0
        while index < bytes.count {
            let candidate = Self.remember(index, in: bytes, lastSeen: &lastSeen)
            let length = candidate.map { start in Self.matchLength(bytes, start, index) } ?? 0
            if let candidate, length >= 3 {
                appendMatch(length: length, distance: index - candidate)
                for skipped in index + 1..<index + length {
                    _ = Self.remember(skipped, in: bytes, lastSeen: &lastSeen)
                }
                index += length
            } else {
                bits.appendCode(of: Int(bytes[index]))
                index += 1
            }
        }
    }

    private mutating func appendMatch(length: Int, distance: Int) {
        let lengthCode = Self.lengths.lastIndex { entry in entry.base <= length } ?? 0
        bits.appendCode(of: 257 + lengthCode)
        bits.append(UInt32(length - Self.lengths[lengthCode].base), count: Self.lengths[lengthCode].extraBits)

        let distanceCode = Self.distances.lastIndex { entry in entry.base <= distance } ?? 0
        bits.appendReversed(UInt32(distanceCode), count: 5)
        bits.append(UInt32(distance - Self.distances[distanceCode].base), count: Self.distances[distanceCode].extraBits)
    }

    /// Notes where the three bytes here stand, and returns where such three may have stood last.
    private static func remember(_ index: Int, in bytes: [UInt8], lastSeen: inout [Int]) -> Int? {
        guard index + 2 < bytes.count else {
            return nil
        }
        let key = Int(bytes[index]) << 16 | Int(bytes[index + 1]) << 8 | Int(bytes[index + 2])
        let slot = (key &* 2_654_435_761) >> 16 & 0x7FFF
        let candidate = lastSeen[slot]
        lastSeen[slot] = index
        return candidate >= 0 && index - candidate <= 32_768 ? candidate : nil
    }

    private static func matchLength(_ bytes: [UInt8], _ start: Int, _ index: Int) -> Int {
        let limit = min(258, bytes.count - index)
        var length = 0
        while length < limit, bytes[start + length] == bytes[index + length] {
            length += 1
        }
        return length
    }

    private typealias Entry = (base: Int, extraBits: Int)

    /// Codes 257 to 285: the shortest length each stands for, and how many bits tell the rest.
    private static let lengths: [Entry] =
        (3...10).map { ($0, 0) }
        + [(11, 1), (13, 1), (15, 1), (17, 1), (19, 2), (23, 2), (27, 2), (31, 2)]
        + [(35, 3), (43, 3), (51, 3), (59, 3), (67, 4), (83, 4), (99, 4), (115, 4)]
        + [(131, 5), (163, 5), (195, 5), (227, 5), (258, 0)]

    /// Codes 0 to 29: the shortest distance each stands for, and how many bits tell the rest.
    private static let distances: [Entry] =
        (1...4).map { ($0, 0) }
        + [(5, 1), (7, 1), (9, 2), (13, 2), (17, 3), (25, 3), (33, 4), (49, 4), (65, 5), (97, 5)]
        + [(129, 6), (193, 6), (257, 7), (385, 7), (513, 8), (769, 8), (1_025, 9), (1_537, 9)]
        + [(2_049, 10), (3_073, 10), (4_097, 11), (6_145, 11), (8_193, 12), (12_289, 12)]
        + [(16_385, 13), (24_577, 13)]
}
