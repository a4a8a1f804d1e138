// SPDX-License-Identifier: MIT

import JSONCoding
import RestEssentials
import SeededRandom
import Testing

@Suite("Strings")
struct StringTests {
    @Test
    func `each byte within a string is what it is to Foundation`() throws {
        for byte in UInt8.min...UInt8.max {
            for prefix in ["", "a", "1234567", "12345678", "é"] {
                try expectSame(String.self, from: Data("\"\(prefix)".utf8) + [byte] + Data("z\"".utf8))
                try expectSame(String.self, from: Data("\"\(prefix)\\".utf8) + [byte] + Data("z\"".utf8))
            }
        }
    }

    @Test
    func `each escaped code unit is what it is to Foundation`() throws {
        let units: [UInt32] = [
            0, 1, 0x1F, 0x20, 0x22, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0xE000, 0xFFFF,
        ]
        func escape(_ unit: UInt32) -> String {
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
        for first in units {
            try expectSame(String.self, from: Data("\"\(escape(first))\"".utf8))
            try expectSame(String.self, from: Data("\"\(escape(first))x\"".utf8))
            for second in units {
                try expectSame(String.self, from: Data("\"a\(escape(first))\(escape(second))é\"".utf8))
            }
        }
        for text in ["\\u12", "\\u123g", "\\u", "\\", "\\uD83D\\u", "\\uD83D\\uDE0", "\\ud83d\\n"] {
            try expectSame(String.self, from: Data("\"\(text)\"".utf8))
            try expectSame([String].self, from: Data("[\"\(text)".utf8))
        }
    }

    @Test
    func `bytes that are not UTF-8 are refused`() throws {
        let decoder = try #require(DirectJSONDecoder(standingInFor: JSONDecoder()))
        let sequences: [[UInt8]] = [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
            [0xE1, 0x80], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xEF, 0xBF], [0xF0, 0x80, 0x80, 0x80],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x98], [0xFE],
            [0xFF],
        ]
        for bytes in sequences {
            for filler in 0..<10 {
                let text = Data("\"\(String(repeating: "x", count: filler))".utf8) + bytes + Data("\"".utf8)
                #expect(throws: DecodingError.self) { try decoder.decode(String.self, from: text) }
                #expect(try decoder.decodeDirectly(String.self, from: text) == nil)
                try expectSame(String.self, from: text)
            }
        }
    }

    @Test
    func `valid scalars at every limit and offset are kept`() throws {
        let decoder = try #require(DirectJSONDecoder(standingInFor: JSONDecoder()))
        let encoder = JSONEncoder()
        let scalars = "\u{7F}\u{80}\u{7FF}\u{800}\u{D7FF}\u{E000}\u{FFFD}\u{FFFF}\u{10000}\u{10FFFF}\u{FEFF}\u{2028}"
        for scalar in scalars.unicodeScalars {
            for filler in 0..<18 {
                let text = String(repeating: "x", count: filler) + String(scalar) + "y"
                #expect(try decoder.decodeDirectly(String.self, from: Data("\"\(text)\"".utf8)) == text)
                try expectSame([text], with: encoder)
            }
        }
    }

    @Test
    func `encoded strings are escaped as Foundation escapes them`() throws {
        let encoder = JSONEncoder()
        let withoutSlashes = JSONEncoder()
        withoutSlashes.outputFormatting = [.withoutEscapingSlashes]
        var generator = SeededGenerator(seed: 1)
        let characters = (0..<0x30).compactMap(Unicode.Scalar.init) + ["\\", "é", "😀", "a", "/", "\u{7F}"]
        var texts = ["", "a"]
        for length in 0..<400 {
            var text = String.UnicodeScalarView()
            for _ in 0..<(length % 30) {
                let isPlain = Int.random(in: 0..<3, using: &generator) > 0
                text.append(isPlain ? "a" : characters[Int.random(in: 0..<characters.count, using: &generator)])
            }
            texts.append(String(text))
        }
        for text in texts {
            try expectSame(text, with: encoder)
            try expectSame(["key": text], with: withoutSlashes)
        }
        try expectSame(texts, with: encoder)
    }
}
