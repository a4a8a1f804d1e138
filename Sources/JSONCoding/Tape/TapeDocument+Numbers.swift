// SPDX-License-Identifier: MIT

extension TapeDocument {
    /// A number in decimal: its sign, its digits as an integer, and the power of ten to multiply them with.
    struct DecimalNumber {
        var isNegative: Bool
        var digits: UInt64
        var exponent: Int
        var hasExponent = false
    }

    /// Reads an integer of at most 18 digits; returns `nil` for other numbers.
    @inline(__always)
    func smallInteger(_ word: TapeWord) -> Int64? {
        guard word.rawKind == TapeWord.Kind.integer.rawValue, word.count <= 18 else {
            return nil
        }
        var cursor = unsafe text + word.position
        let end = unsafe cursor + word.count
        let isNegative = unsafe cursor.pointee == UInt8(ascii: "-")
        if isNegative {
            unsafe cursor += 1
        }
        var value: Int64 = 0
        while unsafe cursor != end {
            value = unsafe value &* 10 &+ Int64(cursor.pointee &- UInt8(ascii: "0"))
            unsafe cursor += 1
        }
        return isNegative ? 0 &- value : value
    }

    /// Reads a number of at most 19 digits; returns `nil` if it has more, or a huge exponent.
    @inline(__always)
    func decimalNumber(_ word: TapeWord) -> DecimalNumber? {
        var cursor = unsafe text + word.position
        let end = unsafe cursor + word.count
        var number = DecimalNumber(isNegative: unsafe cursor.pointee == UInt8(ascii: "-"), digits: 0, exponent: 0)
        if number.isNegative {
            unsafe cursor += 1
        }
        var length = 0
        while unsafe cursor != end {
            let digit = unsafe cursor.pointee &- UInt8(ascii: "0")
            guard digit < 10 else {
                break
            }
            number.digits = number.digits &* 10 &+ UInt64(digit)
            length += 1
            unsafe cursor += 1
        }
        if unsafe cursor != end, unsafe cursor.pointee == UInt8(ascii: ".") {
            unsafe cursor += 1
            while unsafe cursor != end {
                let digit = unsafe cursor.pointee &- UInt8(ascii: "0")
                guard digit < 10 else {
                    break
                }
                number.digits = number.digits &* 10 &+ UInt64(digit)
                length += 1
                number.exponent -= 1
                unsafe cursor += 1
            }
        }
        // 19 digits fit into 64 bits.
        guard length <= 19 else {
            return nil
        }
        guard unsafe cursor != end else {
            return number
        }
        // Behind the `e`.
        number.hasExponent = true
        unsafe cursor += 1
        let isDivided = unsafe cursor.pointee == UInt8(ascii: "-")
        if unsafe isDivided || cursor.pointee == UInt8(ascii: "+") {
            unsafe cursor += 1
        }
        guard unsafe end - cursor <= 4 else {
            return nil
        }
        var exponent = 0
        while unsafe cursor != end {
            exponent = unsafe exponent * 10 + Int(cursor.pointee &- UInt8(ascii: "0"))
            unsafe cursor += 1
        }
        number.exponent += isDivided ? -exponent : exponent
        return number
    }
}
