// SPDX-License-Identifier: MIT

/// Finds runs of combining marks that no text needs.
///
/// Swift sorts the marks of a run whenever it compares or hashes a `String`, in a time that grows with the square of
/// their number: a megabyte of them takes minutes, which no deadline ends. The Stream-Safe Text Format of Unicode
/// (UAX #15) allows 30 of them in a row; text that is decorated for fun has some dozens.
package enum MarkRun {
    /// The most marks in a row of a text that is compared.
    package static let limit = 256

    /// Returns true if a text must not be compared or hashed as a `String`.
    package static func isExcessive(_ text: some StringProtocol) -> Bool {
        // A mark has at least two bytes.
        guard text.utf8.count > 2 * limit else {
            return false
        }
        var text = String(text)
        return text.withUTF8 { unsafe isExcessive($0, areEscaped: false) }
    }

    /// Returns true if bytes have more marks in a row than ``limit``.
    ///
    /// The bytes are UTF-8: what is not ends a run. With `areEscaped` they are between the quotation marks of JSON.
    @unsafe
    package static func isExcessive(_ bytes: UnsafeBufferPointer<UInt8>, areEscaped: Bool) -> Bool {
        guard bytes.count > 2 * limit else {
            return false
        }
        var count = 0
        var place = 0
        while place < bytes.count {
            if unsafe isMark(bytes, &place, areEscaped: areEscaped) {
                count += 1
                guard count <= limit else {
                    return true
                }
            } else {
                count = 0
            }
        }
        return false
    }

    /// Moves behind a character, and returns true if it is a mark.
    static func isMark(_ bytes: UnsafeBufferPointer<UInt8>, _ place: inout Int, areEscaped: Bool) -> Bool {
        let byte = unsafe bytes[place]
        if byte < 0x80 {
            guard areEscaped, byte == UInt8(ascii: "\\") else {
                place += 1
                return false
            }
            guard let unit = unsafe codeUnit(bytes, place) else {
                place += 2
                return false
            }
            place += 6
            guard UTF16.isLeadSurrogate(unit), let trail = unsafe codeUnit(bytes, place), UTF16.isTrailSurrogate(trail)
            else {
                return Unicode.Scalar(unit).map(isMark) ?? false
            }
            place += 6
            return isMark(UTF16.decode(UTF16.EncodedScalar([unit, trail])))
        }
        let length = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
        guard byte >= 0xC2, byte < 0xF5, place + length <= bytes.count else {
            place += 1
            return false
        }
        var value = UInt32(byte) & (0xFF >> UInt32(length + 1))
        for offset in 1..<length {
            let next = unsafe bytes[place + offset]
            guard next & 0xC0 == 0x80 else {
                place += 1
                return false
            }
            value = value << 6 | UInt32(next & 0x3F)
        }
        place += length
        return Unicode.Scalar(value).map(isMark) ?? false
    }

    private static func codeUnit(_ bytes: UnsafeBufferPointer<UInt8>, _ place: Int) -> UInt16? {
        guard place + 6 <= bytes.count, unsafe bytes[place] == UInt8(ascii: "\\"),
            unsafe bytes[place + 1] == UInt8(ascii: "u")
        else {
            return nil
        }
        var unit: UInt16 = 0
        for offset in 2..<6 {
            let byte = unsafe bytes[place + offset]
            switch byte {
            case 0x30...0x39: unit = unit << 4 | UInt16(byte - 0x30)
            case 0x41...0x46, 0x61...0x66: unit = unit << 4 | UInt16((byte | 0x20) - 0x61 + 10)
            default: return nil
            }
        }
        return unit
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x300 else {
            return false
        }
        switch scalar.value {
        // Two marks stand for each of these before marks are sorted.
        case 0x0F73, 0x0F75, 0x0F81: return true
        default: return scalar.properties.canonicalCombiningClass != .notReordered
        }
    }
}

extension Set<String> {
    /// Returns true if a text from an untrusted source is in the set.
    package func contains(foreign text: String) -> Bool {
        !MarkRun.isExcessive(text) && contains(text)
    }
}
