// SPDX-License-Identifier: MIT

import RestEssentials

/// Decodes numbers and texts from untrusted bytes.
struct ByteReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: Data) {
        self.bytes = Array(bytes)
    }

    var isAtEnd: Bool { position == bytes.count }

    mutating func byte() -> UInt8? {
        number(1).map { UInt8(truncatingIfNeeded: $0) }
    }

    mutating func short() -> Int? {
        number(2).map { Int($0) }
    }

    mutating func long() -> UInt64? {
        number(8)
    }

    /// Reads a time of day, limited to a range that is safe for all calculations.
    mutating func date() -> Date? {
        guard let seconds = number(8).map({ Double(bitPattern: $0) }), seconds.isFinite, abs(seconds) < 1e12 else {
            return nil
        }
        return Date(timeIntervalSince1970: seconds)
    }

    mutating func text() -> String? {
        piece().flatMap { String(validating: $0, as: UTF8.self) }
    }

    mutating func data() -> Data? {
        piece().map { Data($0) }
    }

    private mutating func piece() -> ArraySlice<UInt8>? {
        guard let length = number(4), length <= bytes.count - position else {
            return nil
        }
        let start = position
        position += Int(length)
        return bytes[start..<position]
    }

    private mutating func number(_ count: Int) -> UInt64? {
        guard bytes.count - position >= count else {
            return nil
        }
        var number: UInt64 = 0
        for shift in 0..<count {
            number |= UInt64(bytes[position + shift]) << (8 * UInt64(shift))
        }
        position += count
        return number
    }
}
