// SPDX-License-Identifier: MIT

import JSONCoding
import JSONSamples
import RestEssentials
import SeededRandom
import Testing

@Suite("Configurations")
struct ConfigurationTests {
    @Test
    func `a decoder that does more is not stood in for`() {
        let decoder = JSONDecoder()
        #expect(DirectJSONDecoder(standingInFor: decoder) != nil)
        decoder.allowsJSON5 = true
        #expect(DirectJSONDecoder(standingInFor: decoder) == nil)
        let braceless = JSONDecoder()
        braceless.assumesTopLevelDictionary = true
        #expect(DirectJSONDecoder(standingInFor: braceless) == nil)
    }

    @Test
    func `an encoder that does more is not stood in for`() {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        #expect(DirectJSONEncoder(standingInFor: encoder) != nil)
        encoder.outputFormatting.insert(.prettyPrinted)
        #expect(DirectJSONEncoder(standingInFor: encoder) == nil)
        let custom = JSONEncoder()
        custom.keyEncodingStrategy = .custom { $0.last ?? SampleKey(stringValue: "") }
        #expect(DirectJSONEncoder(standingInFor: custom) == nil)
    }

    @Test
    func `dates are read as Foundation reads them`() throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        var generator = SeededGenerator(seed: 1)
        func two(_ limit: Int) -> String {
            let number = Int.random(in: 0..<limit, using: &generator)
            return number < 10 ? "0\(number)" : "\(number)"
        }
        for _ in 0..<3000 {
            let year = two(100) + two(100)
            var text = Array("\(year)-\(two(14))-\(two(33))T\(two(25)):\(two(61)):\(two(61))Z".utf8)
            if Int.random(in: 0..<10, using: &generator) == 0 {
                text[Int.random(in: 0..<text.count, using: &generator)] = UInt8.random(
                    in: 0x23...0x5B,
                    using: &generator
                )
            }
            try expectSame(Date.self, from: Data("\"".utf8 + text + "\"".utf8), with: decoder) {
                "\($0.timeIntervalSinceReferenceDate)"
            }
        }
    }

    @Test
    func `dates are written as Foundation writes them`() throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<5000 {
            // From about the year 1500 to 10100.
            let seconds = Double(Int.random(in: -15_800_000_000...255_600_000_000, using: &generator))
            let part = [0, 0.5, 0.999, 0.9999999, 1e-9, 0.0001][Int.random(in: 0..<6, using: &generator)]
            try expectSame(Date(timeIntervalSinceReferenceDate: seconds + part), with: encoder)
        }
        for day in 0..<1500 {
            try expectSame(Date(timeIntervalSinceReferenceDate: Double(day) * 86_400 - 1), with: encoder)
            try expectSame(Date(timeIntervalSinceReferenceDate: Double(day) * 86_400), with: encoder)
        }
    }

    @Test
    func `keys are converted as Foundation converts them`() throws {
        var generator = SeededGenerator(seed: 3)
        let letters = Array("abcXYZ__12'-. ")
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        for _ in 0..<2000 {
            let key = String(
                (0..<Int.random(in: 0...12, using: &generator))
                    .map { _ in
                        letters[Int.random(in: 0..<letters.count, using: &generator)]
                    }
            )
            try expectSame(OneMember(key: key), with: encoder)
            try expectSame(OneMember.self, from: Data("{\"\(key)\":1}".utf8), with: decoder) { $0.key }
        }
    }

    @Test
    func `a key with signs within its words is converted as Foundation converts it`() throws {
        let snakeCase = JSONDecoder()
        snakeCase.keyDecodingStrategy = .convertFromSnakeCase
        let decoder = try #require(DirectJSONDecoder(standingInFor: snakeCase))
        for byte in UInt8(0x20)..<0x7F where byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") {
            let sign = Character(Unicode.Scalar(byte))
            for key in [
                "with\(sign)many_words", "many_words\(sign)within", "a_\(sign)b", "\(sign)_a", "_a_b\(sign)_",
                "A\(sign)B_c\(sign)\(sign)D", "\(sign)", "no\(sign)words", "a_1\(sign)b2c",
            ] {
                let text = Data("{\"\(key)\":1}".utf8)
                try expectSame(OneMember.self, from: text, with: snakeCase) { $0.key }
                #expect(try decoder.decodeDirectly(OneMember.self, from: text) != nil)
            }
        }
    }

    @Test
    func `a key with escapes or letters beyond ASCII is converted as Foundation converts it`() throws {
        let snakeCase = JSONDecoder()
        snakeCase.keyDecodingStrategy = .convertFromSnakeCase
        let decoder = try #require(DirectJSONDecoder(standingInFor: snakeCase))
        for key in [
            "é_ß_ü", "naïve_ÉCRIT", "\u{1C6}_\u{1C6}", "\u{FB01}_\u{FB01}", "e\u{301}_e\u{301}e\u{301}", "_\u{301}_a",
            "a_\u{301}b_c", "a_b_\u{301}", "日本_語", "İ_i_İ", "ß_ßa", "a_😀b_c", "\u{39F}_\u{394}\u{39F}\u{3A3}", "Ⅷ_ⅷ",
            #"\u0061_\u0062"#, #"a\u005fb"#, #"a\n_b\n"#, #"a\"_b\""#, #"a\\_b\\c"#, #"\uD83D\uDE00_a"#, #"a\u0000_b"#,
            #"a\/_b\/c"#,
        ] {
            let text = Data("{\"\(key)\":1}".utf8)
            try expectSame(OneMember.self, from: text, with: snakeCase) { $0.key }
            #expect(try decoder.decodeDirectly(OneMember.self, from: text) != nil)
        }
        // Equivalent keys are equal, and repeated ones are converted once.
        for text in [
            "{\"é_a\":1,\"e\u{301}_a\":2}", "{\"e\u{301}_a\":1,\"é_a\":2}", #"{"a-b_c":1,"x":{"a-b_c":2},"a-b_c":3}"#,
            #"{"a_b":"é","a-b_c":"\n"}"#,
        ] {
            try expectSame(OneMember.self, from: Data(text.utf8), with: snakeCase) { "\(Array($0.key.utf8))" }
        }
    }

    @Test
    func `under a key strategy each member of a dictionary is decoded, and of equal keys the first counts`() throws {
        let custom = JSONDecoder()
        custom.keyDecodingStrategy = .custom { $0.last ?? SampleKey(stringValue: "") }
        let snakeCase = JSONDecoder()
        snakeCase.keyDecodingStrategy = .convertFromSnakeCase
        for decoder in [JSONDecoder(), snakeCase, custom] {
            for text in [
                #"{"a":1,"_":635,"_":{"b":[]}}"#, #"{"a":1,"a":null}"#, #"{"a":null,"a":1}"#, #"{"a":1,"a":2,"a":3}"#,
                #"{"a":"wrong","b":2,"a":1}"#, "{\"e\u{301}\":1,\"\u{E9}\":\"wrong\"}", "{\"\u{E9}\":1,\"e\u{301}\":2}",
            ] {
                try expectSame([String: Int].self, from: Data(text.utf8), with: decoder) {
                    "\($0.sorted { $0.key < $1.key })"
                }
                try expectSame([String: Int?].self, from: Data(text.utf8), with: decoder) {
                    "\($0.sorted { $0.key < $1.key })"
                }
                try expectSame([String: [String: Int]].self, from: Data("{\"x_y\":\(text)}".utf8), with: decoder) {
                    "\($0.mapValues { $0.sorted { $0.key < $1.key } })"
                }
            }
        }
    }

    @Test
    func `under a key strategy the first error of a dictionary is that of the first member in the text`() throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let members = (0..<40).map { "\"key_\($0)\":\($0 < 20 ? "1" : "\"wrong\"")" }
        try expectSame([String: Int].self, from: Data("{\(members.joined(separator: ","))}".utf8), with: decoder)
        // The path has the keys of the text, even if a container requested the same value with another key before.
        try expectSame(Twice.self, from: Data(#"{"snake_case":{"inner_case":"wrong"}}"#.utf8), with: decoder)
    }

    @Test
    func `keys of dictionaries are left as they are`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.keyEncodingStrategy = .convertToSnakeCase
        try expectSame(["camelCase": ["innerCase": 1], "a": [:]], with: encoder)
        try expectSame([true: ["innerCase": 1]], with: encoder)
        // Releases of Foundation differ about keys of other types.
        let direct = try #require(DirectJSONEncoder(standingInFor: encoder))
        let byChoice = [CamelKey.firstName: 1, .lastName: 2]
        #expect(direct.encodeDirectly(byChoice) == nil)
        #expect(try direct.encode(byChoice) == encoder.encode(byChoice))
        let byNumber = [1: ["innerCase": OneMember(key: "someKey")], -2: [:]]
        #expect(try direct.encode(byNumber) == encoder.encode(byNumber))
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let text = Data(#"{"snake_case":{"inner_case":1},"first_name":{}}"#.utf8)
        try expectSame([String: [String: Int]].self, from: text, with: decoder) { "\($0.sorted { $0.key < $1.key })" }
        try expectSame([CamelKey: [String: Int]].self, from: text, with: decoder) { "\($0)" }
        try expectSame([CamelKey: Int].self, from: Data(#"{"first_name":1}"#.utf8), with: decoder) { "\($0)" }
    }

    @Test
    func `values at the top are the same`() throws {
        let encoder = JSONEncoder()
        try expectSame(Int?.none, with: encoder)
        try expectSame("a/b", with: encoder)
        try expectSame(1.5, with: encoder)
        try expectSame(Date(timeIntervalSinceReferenceDate: 0.1), with: encoder)
        try expectSame(Data([1, 2, 3]), with: encoder)
        try expectSame(Decimal.nan, with: encoder)
        try expectSame(Decimal(string: "12345678901234567890.123456789"), with: encoder)
        try expectSame(URL(string: "https://example.com/a"), with: encoder)
        try expectSame([URL(string: "https://example.com/a")], with: encoder)
        try expectSame([String: Int](), with: encoder)
        try expectSame([[Int]](), with: encoder)
        for text in ["null", "1", "\"a\"", "{}", "[]", "true", "\"2026-11-22\""] {
            try expectSame(Int?.self, from: Data(text.utf8))
            try expectSame(URL.self, from: Data(text.utf8))
            try expectSame(Date.self, from: Data(text.utf8))
            try expectSame([String: Int].self, from: Data(text.utf8))
            try expectSame([Int].self, from: Data(text.utf8))
            try expectSame([String].self, from: Data(text.utf8))
        }
    }

    @Test
    func `what a model cannot say in one pass is encoded by Foundation`() throws {
        let foundation = JSONEncoder()
        foundation.outputFormatting = .sortedKeys
        let encoder = try #require(DirectJSONEncoder(standingInFor: foundation))
        #expect(encoder.encodeDirectly(Alternating()) == nil)
        #expect(try encoder.encode(Alternating()) == foundation.encode(Alternating()))
        #expect(encoder.encodeDirectly([Double.infinity]) == nil)
        #expect(
            outcome { try encoder.encode(["a": Double.infinity]) }
                == outcome { try foundation.encode(["a": Double.infinity]) }
        )
        #expect(encoder.encodeDirectly(["quo\"te": 1]) == nil)
        #expect(try encoder.encode(["quo\"te": 1]) == foundation.encode(["quo\"te": 1]))
    }

    @Test
    func `without sorted keys members come in the order of their encoding`() throws {
        let encoder = try #require(DirectJSONEncoder(standingInFor: JSONEncoder()))
        let text = try #require(encoder.encodeDirectly(SampleFlat(value: 0.5, firstName: "b/c", id: 7)))
        #expect(String(decoding: text, as: UTF8.self) == #"{"value":0.5,"id":7,"name":"b\/c","firstName":"b\/c"}"#)
    }

    private enum CamelKey: String, Codable, CodingKeyRepresentable {
        case firstName, lastName
        case snake = "snake_case"
        case first = "first_name"
    }

    /// Decodes the same value by its converted key, and as a member of a dictionary.
    private struct Twice: Decodable {
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: SampleKey.self)
            let key = SampleKey(stringValue: "snakeCase")
            _ = try container.nestedContainer(keyedBy: SampleKey.self, forKey: key)
                .superDecoder(forKey: SampleKey(stringValue: "innerCase"))
            _ = try container.decode([String: Int].self, forKey: key)
        }
    }

    private struct OneMember: Codable {
        let key: String

        init(key: String) {
            self.key = key
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: SampleKey.self)
            key = container.allKeys.map(\.stringValue).sorted().joined(separator: ", ")
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: SampleKey.self)
            try container.encode(1, forKey: SampleKey(stringValue: key))
        }
    }

    private struct Alternating: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: SampleKey.self)
            var first = container.nestedUnkeyedContainer(forKey: SampleKey(stringValue: "first"))
            var second = container.nestedUnkeyedContainer(forKey: SampleKey(stringValue: "second"))
            for number in 0..<3 {
                try first.encode(number)
                try second.encode(-number)
            }
        }
    }
}
