// SPDX-License-Identifier: MIT

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
