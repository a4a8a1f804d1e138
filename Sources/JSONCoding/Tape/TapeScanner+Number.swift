// SPDX-License-Identifier: MIT

extension TapeScanner {
    /// Reads past a number; its value is computed when it is decoded.
    @inline(__always)
    mutating func scanNumber() -> Bool {
        let first = unsafe cursor
        var kind = TapeWord.Kind.integer
        if unsafe cursor.pointee == UInt8(ascii: "-") {
            unsafe cursor += 1
        }
        if unsafe cursor.pointee == UInt8(ascii: "0") {
            unsafe cursor += 1
        } else {
            guard skipDigits() else {
                return false
            }
        }
        if unsafe cursor.pointee == UInt8(ascii: ".") {
            unsafe cursor += 1
            kind = .decimal
            guard skipDigits() else {
                return false
            }
        }
        if unsafe cursor.pointee | 0x20 == UInt8(ascii: "e") {
            unsafe cursor += 1
            kind = .decimal
            if unsafe cursor.pointee == UInt8(ascii: "+") || cursor.pointee == UInt8(ascii: "-") {
                unsafe cursor += 1
            }
            guard skipDigits() else {
                return false
            }
        }
        unsafe append(kind, from: first, to: cursor)
        return true
    }

    /// Moves behind one digit or more; `false` if there is none.
    @inline(__always)
    private mutating func skipDigits() -> Bool {
        let first = unsafe cursor
        while unsafe cursor.pointee &- UInt8(ascii: "0") < 10 {
            unsafe cursor += 1
        }
        return unsafe cursor != first
    }
}
