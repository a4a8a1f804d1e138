// SPDX-License-Identifier: MIT

enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(64)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension UInt8 {
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

    /// True for a slash and for a backslash, which some readers of URLs take for one.
    var isSlash: Bool { self == UInt8(ascii: "/") || self == UInt8(ascii: "\\") }

    /// The value of a hexadecimal digit; `nil` for other characters.
    var hexadecimalValue: UInt8? {
        isDigit ? self - 0x30 : (0x61...0x66).contains(self | 0x20) ? (self | 0x20) - 0x57 : nil
    }
}
