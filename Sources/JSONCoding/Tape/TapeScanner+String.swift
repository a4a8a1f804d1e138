// SPDX-License-Identifier: MIT

extension TapeScanner {
    /// Reads past a string, whose escapes are resolved when it is decoded; `false` if it is not valid.
    @inline(__always)
    mutating func scanString() -> Bool {
        unsafe cursor += 1
        let first = unsafe cursor
        while true {
            let chunk = unsafe UnsafeRawPointer(cursor).loadUnaligned(as: UInt64.self).littleEndian
            let marks = Self.marks(chunk)
            guard marks != 0 else {
                unsafe cursor += 8
                continue
            }
            unsafe cursor += marks.trailingZeroBitCount &>> 3
            if unsafe cursor.pointee == UInt8(ascii: "\"") {
                unsafe append(.plainString, from: first, to: cursor)
                unsafe cursor += 1
                return true
            }
            return unsafe scanUnusualString(from: first)
        }
    }

    /// Marks the first byte of a chunk that is a quotation mark, a backslash, a control character or not ASCII, by its
    /// top bit; marks of later bytes may be wrong.
    @inline(__always)
    private static func marks(_ chunk: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = chunk ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let backslashes = chunk ^ (ones &* UInt64(UInt8(ascii: "\\")))
        let found =
            ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)
            | ((chunk &- ones &* 0x20) & ~chunk) | chunk
        return found & (ones &* 0x80)
    }

    @inline(never)
    private mutating func scanUnusualString(from first: UnsafePointer<UInt8>) -> Bool {
        var kind = TapeWord.Kind.unicodeString
        while true {
            let byte = unsafe cursor.pointee
            switch byte {
            case UInt8(ascii: "\""):
                unsafe append(kind, from: first, to: cursor)
                unsafe cursor += 1
                return true
            case UInt8(ascii: "\\"):
                kind = .escapedString
                guard skipEscape() else {
                    return false
                }
            case 0..<0x20:
                return false
            case 0x20..<0x80:
                unsafe cursor += 1
            default:
                guard skipScalar(byte) else {
                    return false
                }
            }
        }
    }

    // MARK: - UTF-8

    /// Moves behind a scalar of two to four bytes (Unicode 16, table 3-7).
    @inline(__always)
    private mutating func skipScalar(_ first: UInt8) -> Bool {
        let second: ClosedRange<UInt8>
        let length: Int
        switch first {
        case 0xC2...0xDF: (second, length) = (0x80...0xBF, 2)
        case 0xE0: (second, length) = (0xA0...0xBF, 3)
        case 0xED: (second, length) = (0x80...0x9F, 3)
        case 0xE1...0xEF: (second, length) = (0x80...0xBF, 3)
        case 0xF0: (second, length) = (0x90...0xBF, 4)
        case 0xF1...0xF3: (second, length) = (0x80...0xBF, 4)
        case 0xF4: (second, length) = (0x80...0x8F, 4)
        default: return false
        }
        guard unsafe second.contains(cursor[1]),
            unsafe length < 3 || cursor[2] & 0xC0 == 0x80,
            unsafe length < 4 || cursor[3] & 0xC0 == 0x80
        else {
            return false
        }
        unsafe cursor += length
        return true
    }

    // MARK: - Escapes

    private mutating func skipEscape() -> Bool {
        switch unsafe cursor[1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            unsafe cursor += 2
            return true
        case UInt8(ascii: "u"):
            guard let unit = unsafe EscapedCodeUnit.read(at: cursor + 2) else {
                return false
            }
            unsafe cursor += 6
            if UTF16.isTrailSurrogate(unit) {
                return false
            }
            guard UTF16.isLeadSurrogate(unit) else {
                return true
            }
            guard unsafe cursor[0] == UInt8(ascii: "\\"), unsafe cursor[1] == UInt8(ascii: "u"),
                let trail = unsafe EscapedCodeUnit.read(at: cursor + 2), UTF16.isTrailSurrogate(trail)
            else {
                return false
            }
            unsafe cursor += 6
            return true
        default:
            return false
        }
    }
}

enum EscapedCodeUnit {
    /// Reads four hexadecimal digits; returns `nil` if one of the bytes is not a digit.
    ///
    /// - Safety: Four bytes must be readable, or all bytes up to and including the first that is not a digit.
    @unsafe static func read(at bytes: UnsafePointer<UInt8>) -> UInt16? {
        var unit: UInt16 = 0
        for place in 0..<4 {
            let byte = unsafe bytes[place]
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: return nil
            }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}
