// SPDX-License-Identifier: MIT

/// Writes random JSON, valid or nearly so, with everything that the grammar allows.
package struct RandomJSON<Generator: RandomNumberGenerator> {
    package var generator: Generator
    private var text: [UInt8] = []
    private var budget = 0

    package init(_ generator: Generator) {
        self.generator = generator
    }

    /// Returns the UTF-8 bytes of a document with about as many values.
    package mutating func document(size: Int) -> [UInt8] {
        text = []
        budget = size
        space()
        value(depth: 0)
        space()
        return text
    }

    private mutating func chance(_ part: Int, of whole: Int) -> Bool {
        Int.random(in: 0..<whole, using: &generator) < part
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &generator)]
    }

    private mutating func space() {
        guard chance(1, of: 5) else {
            return
        }
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            text.append(pick([0x20, 0x09, 0x0A, 0x0D]))
        }
    }

    private mutating func value(depth: Int) {
        budget -= 1
        let isDeep = depth > 6 || budget <= 0
        switch Int.random(in: 0..<(isDeep ? 6 : 10), using: &generator) {
        case 0: text += Array("null".utf8)
        case 1: text += Array((chance(1, of: 2) ? "true" : "false").utf8)
        case 2, 3: number()
        case 4, 5: string()
        case 6, 7: array(depth: depth)
        default: object(depth: depth)
        }
    }

    private mutating func array(depth: Int) {
        text.append(UInt8(ascii: "["))
        space()
        let count = Int.random(in: 0...5, using: &generator)
        let repeated = chance(1, of: 2)
        for place in 0..<count {
            if place > 0 {
                text.append(UInt8(ascii: ","))
                space()
                // Arrays of one type are the common ones.
                if repeated {
                    number()
                    continue
                }
            }
            value(depth: depth + 1)
            space()
        }
        text.append(UInt8(ascii: "]"))
    }

    private mutating func object(depth: Int) {
        text.append(UInt8(ascii: "{"))
        space()
        let count = Int.random(in: 0...(chance(1, of: 40) ? 120 : 7), using: &generator)
        for place in 0..<count {
            if place > 0 {
                text.append(UInt8(ascii: ","))
                space()
            }
            key(place)
            space()
            text.append(UInt8(ascii: ":"))
            space()
            value(depth: depth + 1)
            space()
        }
        text.append(UInt8(ascii: "}"))
    }

    private mutating func key(_ place: Int) {
        if chance(1, of: 12) {
            return string()
        }
        text.append(UInt8(ascii: "\""))
        text += Array(pick(SampleKey.names + ["key\(place)"]).utf8)
        text.append(UInt8(ascii: "\""))
    }

    private mutating func number() {
        text += Array(RandomNumbers.text(using: &generator).utf8)
    }

    private mutating func string() {
        text.append(UInt8(ascii: "\""))
        if chance(1, of: 3) {
            text += Array(pick(SampleText.special).utf8)
        } else {
            for _ in 0..<Int.random(in: 0...20, using: &generator) {
                character()
            }
        }
        text.append(UInt8(ascii: "\""))
    }

    private mutating func character() {
        switch Int.random(in: 0..<40, using: &generator) {
        case 0: text += Array(pick(["\\\"", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t"]).utf8)
        case 1: text += Array("\\u00\(pick(["00", "41", "e9", "E9", "1f", "7f", "2F"]))".utf8)
        case 2:
            text += Array(pick(["\\uD83D\\uDE00", "\\u2028", "\\uFFFF", "\\ud7ff", "\\ue000", "\\uDBFF\\uDFFF"]).utf8)
        case 3: text += Array(pick(["é", "e\u{301}", "ß", "日本", "😀", "\u{212A}", "\u{FEFF}", "\u{7F}", "\u{80}"]).utf8)
        case 4 where chance(1, of: 30): text += Array("\\ud800".utf8)
        case 5 where chance(1, of: 30): text += pick([[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82]])
        default:
            text.append(
                UInt8.random(in: 0x30...0x7A, using: &generator) & 0x7F == 0x5C
                    ? 0x61 : pick([0x20, 0x61, 0x7A, 0x5F, 0x41, 0x2D, 0x2F])
            )
        }
    }
}
