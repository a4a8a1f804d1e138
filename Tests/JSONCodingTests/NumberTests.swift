// SPDX-License-Identifier: MIT

import JSONCoding
import JSONSamples
import RestEssentials
import SeededRandom
import Testing

@Suite("Numbers")
struct NumberTests {
    @Test
    func `integers of every width are Foundation's`() throws {
        for text in texts(seed: 1, count: 300) {
            try expectSame(Int8.self, from: text)
            try expectSame(UInt8.self, from: text)
            try expectSame(Int32.self, from: text)
            try expectSame(Int64.self, from: text)
            try expectSame(UInt64.self, from: text)
            try expectSame(Int128.self, from: text)
            try expectSame(UInt128.self, from: text)
        }
    }

    @Test
    func `floating-point numbers are Foundation's to the last bit`() throws {
        for text in texts(seed: 2, count: 1500) {
            try expectSame(Double.self, from: text) { "\($0.bitPattern)" }
            try expectSame(Float.self, from: text) { "\($0.bitPattern)" }
        }
    }

    @Test
    func `decimals are Foundation's with the same digits and exponent`() throws {
        for text in texts(seed: 3, count: 500) {
            try expectSame(Decimal.self, from: text) { "\($0) \($0.exponent) \($0.significand) \($0.sign)" }
        }
    }

    @Test
    func `a decoded number is the nearest Double`() throws {
        let decoder = try #require(DirectJSONDecoder(standingInFor: JSONDecoder()))
        var generator = SeededGenerator(seed: 4)
        for _ in 0..<3000 {
            let value = Double(bitPattern: UInt64.random(in: 0...UInt64.max, using: &generator))
            guard value.isNormal else {
                continue
            }
            #expect(try decoder.decode(Double.self, from: Data("\(value)".utf8)) == value)
        }
        for text in ["-0", "-0.0"] {
            #expect(try decoder.decode(Double.self, from: Data(text.utf8)).sign == .minus)
        }
    }

    @Test
    func `encoded numbers read as Foundation writes them`() throws {
        let encoder = JSONEncoder()
        var generator = SeededGenerator(seed: 5)
        var numbers: [Double] = [
            0, -0.0, 0.1, 0.001, 0.0001, 1e15, 1e16, 1e17, 9_007_199_254_740_991, .leastNonzeroMagnitude, 0.3,
        ]
        numbers += [
            .greatestFiniteMagnitude, .leastNormalMagnitude, 9_007_199_254_740_994, 12345.678, 99_999_999.9999999,
        ]
        for _ in 0..<3000 {
            let bits = Double(bitPattern: UInt64.random(in: 0...UInt64.max, using: &generator))
            numbers.append(bits.isFinite ? bits : 1)
            numbers.append(Double(Int.random(in: -1_000_000_000...1_000_000_000, using: &generator)) / 1e4)
            numbers.append(Double.random(in: -1000...1000, using: &generator))
            let places = [1.0, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7][Int.random(in: 0..<8, using: &generator)]
            let short = (Double.random(in: 0...1e8, using: &generator) * places).rounded() / places
            numbers += [short, short.nextUp, short.nextDown]
        }
        try expectSame(numbers, with: encoder)
        try expectSame(numbers.map(Float.init).filter(\.isFinite), with: encoder)
        try expectSame([Int64.min, .max, 0, -1, 10, 99, 100, -1000], with: encoder)
        try expectSame([UInt64.min, .max, 9, 10, 99, 100, 999, 10_000_000_000_000_000_000], with: encoder)
        try expectSame([Int128.min, .max, Int128(UInt64.max) + 1], with: encoder)
        for exponent in 0..<19 {
            let power = (0..<exponent).reduce(1) { power, _ in power * 10 }
            try expectSame([power - 1, power, power + 1, -power], with: encoder)
        }
    }

    private func texts(seed: UInt64, count: Int) -> [Data] {
        var generator = SeededGenerator(seed: seed)
        return RandomNumbers.special.map { Data($0.utf8) }
            + (0..<count).map { _ in Data(RandomNumbers.text(using: &generator).utf8) }
    }
}
