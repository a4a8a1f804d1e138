// SPDX-License-Identifier: MIT

extension UInt8 {
    static let carriageReturn = UInt8(ascii: "\r")
    static let lineFeed = UInt8(ascii: "\n")
    static let space = UInt8(ascii: " ")
    static let tab = UInt8(ascii: "\t")

    @inline(__always) var isDigit: Bool { self &- 0x30 < 10 }

    @inline(__always) var isLowercase: Bool { self &- 0x61 < 26 }

    @inline(__always) var isUppercase: Bool { self &- 0x41 < 26 }

    /// True for the characters of tokens (RFC 9110, section 5.6.2).
    @inline(__always) var isToken: Bool {
        // One bit for each character, from ! to ? and from @ to ~.
        let low: UInt64 = 0x03FF_6CFA_0000_0000
        let high: UInt64 = 0x57FF_FFFF_C7FF_FFFE
        return self < 128 && ((self < 64 ? low : high) >> UInt64(self & 63)) & 1 == 1
    }

    /// True for what the value of a field may hold: visible characters, white space and bytes beyond ASCII.
    @inline(__always) var isFieldContent: Bool {
        (self >= 0x20 && self != 0x7F) || self == .tab
    }

    /// The value of a hexadecimal digit; `nil` for other characters.
    @inline(__always) var hexadecimalValue: Int? {
        switch self {
        case 0x30...0x39: Int(self - 0x30)
        case 0x41...0x46: Int(self - 0x41 + 10)
        case 0x61...0x66: Int(self - 0x61 + 10)
        default: nil
        }
    }
}
