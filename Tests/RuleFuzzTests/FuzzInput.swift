// SPDX-License-Identifier: MIT

import RestEssentials
import SeededRandom

/// The random decisions of one input: the same for the same seed.
struct FuzzInput {
    private var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    mutating func int(_ range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &random)
    }

    /// Returns true once in so many times.
    mutating func chance(_ oneOf: Int) -> Bool {
        int(1...oneOf) == 1
    }

    /// Returns an element of an array that is not empty.
    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[int(0...elements.count - 1)]
    }

    /// Makes so many elements.
    mutating func list<Element>(
        _ range: ClosedRange<Int>,
        _ make: (inout FuzzInput) throws -> Element
    ) rethrows -> [Element] {
        var elements: [Element] = []
        for _ in 0..<int(range) {
            elements.append(try make(&self))
        }
        return elements
    }

    /// Joins pieces.
    mutating func text(of pieces: [String], _ count: ClosedRange<Int>) -> String {
        list(count) { $0.pick(pieces) }.joined()
    }

    /// A text with what is likely to be mistaken: signs of all formats, control characters, other scripts.
    mutating func anyText(_ count: ClosedRange<Int>) -> String {
        text(of: Self.pieces, count)
    }

    mutating func bytes(_ count: ClosedRange<Int>) -> Data {
        Data(list(count) { UInt8(truncatingIfNeeded: $0.int(0...255)) })
    }

    /// Changes a few bytes: flips, removes, doubles, inserts.
    mutating func changed(_ data: Data, with dictionary: [String] = []) -> Data {
        var bytes = Array(data)
        for _ in 0..<int(1...4) {
            let place = int(0...bytes.count)
            switch int(0...5) {
            case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8(int(0...7))
            case 1 where place < bytes.count: bytes[place] = UInt8(int(0...255))
            case 2: bytes.insert(UInt8(int(0...255)), at: place)
            case 3: bytes.removeSubrange(place..<min(bytes.count, place + int(0...6)))
            case 4 where !dictionary.isEmpty: bytes.insert(contentsOf: pick(dictionary).utf8, at: place)
            default: bytes.insert(contentsOf: bytes.prefix(place).suffix(int(0...20)), at: place)
            }
        }
        return Data(bytes)
    }

    /// Changes a text; what is no longer UTF-8 is replaced.
    mutating func changed(_ text: String, with dictionary: [String] = []) -> String {
        String(decoding: changed(Data(text.utf8), with: dictionary), as: UTF8.self)
    }

    /// Cuts data into pieces, some of them empty.
    mutating func pieces(of data: Data) -> [Data] {
        var rest = data[...]
        var pieces: [Data] = []
        while !rest.isEmpty {
            let count = min(rest.count, chance(4) ? int(0...1) : int(0...max(1, data.count / 2)))
            pieces.append(Data(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return pieces
    }

    private static let pieces: [String] =
        (0x20..<0x7F).compactMap { Unicode.Scalar($0).map { String($0) } } + [
            "a", "b", "id", "x", "0", "7", "/", "..", ".", "%2F", "%2e", "%", "%%", "?", "#", "&", "=", "+", ";", ",",
            "\"",
            "\\", "{", "}", "[", "]", ":", "//", "@", "\r\n", "\r", "\n", "\0", "\t", "\u{7F}", "\u{1B}", "ä", "é",
            "e\u{301}",
            "日本", "👩‍👩‍👧", "\u{FEFF}", "\u{202E}", "\u{10FFFF}", "ſ", "İ", "&amp;", "--", "__proto__", "null", "-1",
        ]
}

/// A broken promise.
struct FuzzFinding: Error, CustomStringConvertible {
    let description: String
}

/// Throws if a promise is broken.
func demand(_ isKept: Bool, _ promise: @autoclosure () -> String) throws(FuzzFinding) {
    guard isKept else {
        throw FuzzFinding(description: promise())
    }
}
