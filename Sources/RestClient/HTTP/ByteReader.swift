// SPDX-License-Identifier: MIT

import RestEssentials

/// Reads numbers and texts from bytes that may hold anything.
struct ByteReader {
    private var bytes: Data.SubSequence

    init(_ bytes: Data) {
        self.bytes = bytes[...]
    }

    /// True if everything was read.
    var isAtEnd: Bool { bytes.isEmpty }

    mutating func byte() -> UInt8? {
        bytes.popFirst()
    }

    mutating func short() -> Int? {
        number(2).map(Int.init)
    }

    mutating func long() -> UInt64? {
        number(8)
    }

    /// Returns a time of day, within the range of all calculations with it.
    mutating func date() -> Date? {
        guard let seconds = number(8).map(Double.init(bitPattern:)), seconds.isFinite, abs(seconds) < 1e12 else {
            return nil
        }
        return Date(timeIntervalSince1970: seconds)
    }

    mutating func text() -> String? {
        data().flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Reads bytes that are preceded by their length.
    mutating func data() -> Data? {
        guard let length = number(4), length <= bytes.count else {
            return nil
        }
        let data = bytes.prefix(Int(length))
        bytes = bytes.dropFirst(Int(length))
        return data
    }

    private mutating func number(_ count: Int) -> UInt64? {
        guard bytes.count >= count else {
            return nil
        }
        var number: UInt64 = 0
        for (shift, byte) in bytes.prefix(count).enumerated() {
            number |= UInt64(byte) << (8 * UInt64(shift))
        }
        bytes = bytes.dropFirst(count)
        return number
    }
}
