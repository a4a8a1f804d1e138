// SPDX-License-Identifier: MIT

enum SnakeCase {
    /// Converts `two_words` to `twoWords`; `nil` if there are other characters than letters and digits of ASCII in one
    /// of several words, because Foundation's rules decide where a capital goes.
    static func decoded(_ key: String) -> String? {
        let bytes = Array(key.utf8)
        let underscore = UInt8(ascii: "_")
        guard let first = bytes.firstIndex(where: { $0 != underscore }),
            let last = bytes.lastIndex(where: { $0 != underscore })
        else {
            return key
        }
        let words = bytes[first...last].split(separator: underscore)
        guard words.count > 1 else {
            return key
        }
        guard words.joined().allSatisfy({ isLetter($0) || isDigit($0) }) else {
            return nil
        }
        var result = Array(bytes[..<first])
        result += words[0].map(lowercased)
        for word in words.dropFirst() {
            result += capitalized(word)
        }
        result += bytes[(last + 1)...]
        return String(decoding: result, as: UTF8.self)
    }

    /// Converts `myURLProperty` to `my_url_property`; `nil` if there are other characters than those of ASCII.
    static func encoded(_ key: String) -> String? {
        let bytes = Array(key.utf8)
        guard bytes.allSatisfy({ $0 < 0x80 }) else {
            return nil
        }
        guard !bytes.isEmpty else {
            return key
        }
        var words: [Range<Int>] = []
        var start = 0
        var next = 1
        while let capital = bytes[next...].firstIndex(where: isCapital) {
            words.append(start..<capital)
            guard let small = bytes[capital...].firstIndex(where: isSmall) else {
                start = capital
                break
            }
            if small == capital + 1 {
                start = capital
            } else {
                // The last of several capitals starts the next word.
                words.append(capital..<small - 1)
                start = small - 1
            }
            next = small + 1
        }
        words.append(start..<bytes.count)
        let converted = words.map { bytes[$0].map(lowercased) }.joined(separator: [UInt8(ascii: "_")])
        return String(decoding: Array(converted), as: UTF8.self)
    }

    /// Like Foundation's `capitalized`: the first letter of each run of letters is a capital, the others are not.
    private static func capitalized(_ word: ArraySlice<UInt8>) -> [UInt8] {
        var isInside = false
        return word.map { byte in
            defer { isInside = isLetter(byte) }
            return isInside ? lowercased(byte) : uppercased(byte)
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    private static func isCapital(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
    }

    private static func isSmall(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 { isCapital(byte) ? byte | 0x20 : byte }

    private static func uppercased(_ byte: UInt8) -> UInt8 {
        isLetter(byte) ? byte & ~0x20 : byte
    }
}
