// SPDX-License-Identifier: MIT

extension JSONOutput {
    @inline(__always)
    func write(_ string: String) {
        var string = string
        string.withUTF8 { unsafe write($0) }
    }

    private func write(_ text: UnsafeBufferPointer<UInt8>) {
        reserve(text.count &+ 2)
        put(UInt8(ascii: "\""))
        unsafe copy(text)
        let end = count &+ text.count
        var offset = count
        while offset < end {
            // Reading may go beyond the reserved room, up to the spare bytes.
            let chunk = unsafe UnsafeRawPointer(buffer + offset).loadUnaligned(as: UInt64.self).littleEndian
            let marks = marks(chunk)
            guard marks == 0 else {
                offset &+= marks.trailingZeroBitCount &>> 3
                break
            }
            offset &+= 8
        }
        if offset < end {
            let first = offset &- count
            count = offset
            unsafe writeEscaped(UnsafeBufferPointer(rebasing: text[first...]))
        } else {
            count = end
        }
        reserve(1)
        put(UInt8(ascii: "\""))
    }

    /// Copies bytes after the text without counting them as a part of it; the space must have been reserved.
    @inline(__always)
    func copy(_ text: UnsafeBufferPointer<UInt8>) {
        if let start = text.baseAddress {
            unsafe (buffer + count).update(from: start, count: text.count)
        }
    }

    /// Marks the first byte of a chunk that needs an escape, by its top bit; marks of later bytes may be wrong.
    @inline(__always)
    func marks(_ chunk: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = chunk ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let backslashes = chunk ^ (ones &* UInt64(UInt8(ascii: "\\")))
        // If slashes are not escaped, the pattern repeats the quotation mark.
        let others = chunk ^ slashPattern
        let found =
            ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes) | ((others &- ones) & ~others)
            | ((chunk &- ones &* 0x20) & ~chunk)
        return found & (ones &* 0x80)
    }

    @inline(never)
    private func writeEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        // The longest escape has six bytes.
        reserve(text.count * 6 + 1)
        for place in text.indices {
            let byte = unsafe text[place]
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                put(UInt8(ascii: "\\"))
                put(byte)
            case UInt8(ascii: "/") where options.escapesSlashes:
                put(UInt8(ascii: "\\"))
                put(byte)
            case 0..<0x20:
                writeControl(byte)
            default:
                put(byte)
            }
        }
    }

    private func writeControl(_ byte: UInt8) {
        put(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: put(UInt8(ascii: "b"))
        case 0x09: put(UInt8(ascii: "t"))
        case 0x0A: put(UInt8(ascii: "n"))
        case 0x0C: put(UInt8(ascii: "f"))
        case 0x0D: put(UInt8(ascii: "r"))
        default:
            put(UInt8(ascii: "u"))
            put(UInt8(ascii: "0"))
            put(UInt8(ascii: "0"))
            put(UInt8(ascii: "0") + byte >> 4)
            put(byte & 15 < 10 ? UInt8(ascii: "0") + byte & 15 : UInt8(ascii: "a") - 10 + byte & 15)
        }
    }
}
