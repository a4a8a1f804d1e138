// SPDX-License-Identifier: MIT

extension MarkRun {
    /// Throws if a key of JSON has more marks in a row than ``limit``, because decoders compare and hash keys.
    ///
    /// The text is UTF-8, UTF-16 or UTF-32, and need not be valid. With `checksValues` values count, too: a decoder
    /// that is not this library's compares the values of enumerations and hashes those of sets.
    package static func checkKeys(ofJSON json: Data, checksValues: Bool = false) throws {
        let isExcessive = unsafe json.withUnsafeBytes {
            unsafe hasExcessiveKey($0.assumingMemoryBound(to: UInt8.self), mayBeWide: true, checksValues)
        }
        guard !isExcessive else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: [],
                    debugDescription:
                        "a \(checksValues ? "text" : "key") of the JSON has more than \(limit) combining marks in a row"
                )
            )
        }
    }

    private static func hasExcessiveKey(
        _ bytes: UnsafeBufferPointer<UInt8>,
        mayBeWide: Bool,
        _ checksValues: Bool
    ) -> Bool {
        guard bytes.count > 2 * limit else {
            return false
        }
        guard unsafe !mayBeWide || !bytes.prefix(4).contains(0) else {
            var text = unsafe wideText(bytes)
            return text.withUTF8 { unsafe hasExcessiveKey($0, mayBeWide: false, checksValues) }
        }
        guard unsafe bytes.contains(where: { $0 >= 0x80 || $0 == UInt8(ascii: "\\") }) else {
            return false
        }
        var quote: UInt8?
        var (count, place) = (0, 0)
        var isExcessive = false
        while place < bytes.count {
            let byte = unsafe bytes[place]
            // Also a name without quotes, for JSON5.
            if quote.map({ $0 != byte }) ?? (byte >= 0x80 || byte == UInt8(ascii: "\\")) {
                count = unsafe isMark(bytes, &place, areEscaped: true) ? count + 1 : 0
                isExcessive = isExcessive || count > limit
                if isExcessive, checksValues {
                    return true
                }
                continue
            }
            place += 1
            switch byte {
            case _ where quote != nil:
                quote = nil
            // The second one is for JSON5.
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                quote = byte
                (count, isExcessive) = (0, false)
            case UInt8(ascii: ":") where isExcessive:
                return true
            case 0x20, 0x09, 0x0A, 0x0D:
                break
            case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ","):
                (count, isExcessive) = (0, false)
            default:
                count = 0
            }
        }
        return false
    }

    /// The text of JSON in UTF-16 or UTF-32, whose first characters have bytes of zero.
    private static func wideText(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        let start = unsafe Array(bytes.prefix(4))
        let isLong = start.count { $0 == 0 } > 2 || start == [0xFF, 0xFE, 0, 0] || start == [0, 0, 0xFE, 0xFF]
        let width = isLong ? 4 : 2
        let isBigEndian = start[0] == 0 || start[0] == 0xFE
        var text = String.UnicodeScalarView()
        var units: [UInt16] = []
        for start in stride(from: 0, through: bytes.count - width, by: width) {
            var unit: UInt32 = 0
            for offset in 0..<width {
                let place = isBigEndian ? start + offset : start + width - 1 - offset
                unit = unsafe unit << 8 | UInt32(bytes[place])
            }
            if width == 4 {
                text.append(Unicode.Scalar(unit) ?? "\u{FFFD}")
            } else {
                units.append(UInt16(truncatingIfNeeded: unit))
            }
        }
        return width == 4 ? String(text) : String(decoding: units, as: UTF16.self)
    }
}
