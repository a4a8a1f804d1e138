// SPDX-License-Identifier: MIT

extension UInt8 {
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

    /// True for a slash and for a backslash, which some readers of URLs take for one.
    var isSlash: Bool { self == UInt8(ascii: "/") || self == UInt8(ascii: "\\") }

    /// The value of a hexadecimal digit; `nil` for other characters.
    package var hexadecimalValue: UInt8? {
        isDigit ? self - 0x30 : (0x61...0x66).contains(self | 0x20) ? (self | 0x20) - 0x57 : nil
    }
}
