// SPDX-License-Identifier: MIT

import JSONCoding
import JSONSamples
import RestEssentials
import Synchronization
import Testing

@Suite("Documents")
struct DocumentTests {
    @Test
    func `containers nest as deep as Foundation lets them`() throws {
        for depth in [1, 15, 16, 17, 64, 500, 511, 512, 513, 514, 10_000] {
            let arrays = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            try expectSame(Ignored.self, from: Data(arrays.utf8))
            let objects = String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)
            try expectSame(Ignored.self, from: Data(objects.utf8))
        }
        let decoder = try #require(DirectJSONDecoder(standingInFor: JSONDecoder()))
        let deepest = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
        #expect(try decoder.decodeDirectly(Ignored.self, from: Data(deepest.utf8)) != nil)
        #expect(throws: DecodingError.self) { try decoder.decode(Ignored.self, from: Data("[\(deepest)]".utf8)) }
    }

    @Test
    func `values nest as deep as Foundation lets them`() throws {
        let foundation = JSONEncoder()
        let encoder = try #require(DirectJSONEncoder(standingInFor: foundation))
        for depth in [1, 16, 17, 100, 499, 500, 501, 510, 511, 512, 513, 600] {
            let expected = outcome { try foundation.encode(Nested(depth: depth)) }
            #expect(outcome { try encoder.encode(Nested(depth: depth)) } == expected)
        }
    }

    @Test
    func `large documents are the same`() throws {
        let numbers = (0..<200_000).map { $0 &* 7919 % 100_003 }
        let text = Data("[\(numbers.map(String.init).joined(separator: " , "))]".utf8)
        let decoder = try #require(DirectJSONDecoder(standingInFor: JSONDecoder()))
        #expect(try decoder.decodeDirectly([Int].self, from: text) == numbers)
        let string = String(repeating: "0123456789é", count: 50_000)
        #expect(try decoder.decodeDirectly([String].self, from: JSONEncoder().encode([string])) == [string])
    }

    @Test(arguments: [5, 48, 49, 128, 129, 5000])
    func `objects of any size give their members in any order`(count: Int) throws {
        let members = Dictionary(uniqueKeysWithValues: (0..<count).map { ("key\($0)", $0) })
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try expectSame(members, with: encoder)
        let direct = try #require(DirectJSONEncoder(standingInFor: JSONEncoder()))
        let text = try #require(direct.encodeDirectly(members))
        let decoder = try #require(DirectJSONDecoder(standingInFor: JSONDecoder()))
        #expect(try decoder.decodeDirectly([String: Int].self, from: text) == members)
        let backwards = JSONDecoder()
        backwards.userInfo[.names] = (0..<count).map { "key\($0)" }.reversed() + ["missing"]
        let reader = try #require(DirectJSONDecoder(standingInFor: backwards))
        #expect(try reader.decodeDirectly(Named.self, from: text)?.values == (0..<count).reversed() + [-1])
    }

    @Test
    func `many objects under a key strategy are the same, and an error at the end has its path`() throws {
        let part = #"{"first_part":{"inner_part":{"a_b":1}},"second_part":[{"a_b":2},{"a_b":3}]}"#
        let wrong = #"{"first_part":{"inner_part":{"a_b":1}},"second_part":[{"a_b":2},{"a_b":"3"}]}"#
        let parts = Array(repeating: part, count: 700).joined(separator: ",")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        try expectSame(Outer.self, from: Data("{\"all_parts\":[\(parts)]}".utf8), with: decoder)
        try expectSame(Outer.self, from: Data("{\"all_parts\":[\(parts),\(wrong)]}".utf8), with: decoder)
        let keyed = (0..<700).map { "\"\($0)\":\($0 == 699 ? wrong : part)" }.joined(separator: ",")
        try expectSame([Int: Outer.Part].self, from: Data("{\(keyed)}".utf8), with: decoder)
    }

    @Test
    func `of equal keys the first counts, also if only canonically equivalent`() throws {
        for text in [
            #"{"a":1,"a":2}"#, #"{"b":0,"a":1,"b":9,"a":2}"#, #"{"\u0061":1,"a":2}"#, #"{"a":1,"\u0061":2}"#,
            "{\"e\u{301}\":1,\"\u{E9}\":2}", "{\"K\":1,\"\u{212A}\":2}", "{\"\u{212A}\":2}", "{\"K\":2}",
            #"{"":1,"":2}"#,
        ] {
            for name in ["a", "b", "K", "\u{212A}", "\u{E9}", "e\u{301}", ""] {
                let decoder = JSONDecoder()
                decoder.userInfo[.names] = [name, "a", name]
                try expectSame(Named.self, from: Data(text.utf8), with: decoder) { "\($0.values)" }
            }
        }
    }

    @Test
    func `a text that is not plain UTF-8 is left to Foundation`() throws {
        let text = #"{"a":["é😀",1,null]}"#
        for encoding in [
            String.Encoding.utf16, .utf16BigEndian, .utf16LittleEndian, .utf32, .utf32BigEndian, .utf32LittleEndian,
        ] {
            try expectSame([String: [SampleTree]].self, from: try #require(text.data(using: encoding)))
        }
        try expectSame([String: [SampleTree]].self, from: Data([0xEF, 0xBB, 0xBF] + text.utf8))
        for text in [
            "", " ", "\n", "1 2", "{}x", "[1,]", "{\"a\":1,}", "[1 2]", "nul", "tru", "[", "{\"a\"", "\0", "1\0", "//",
            "NaN",
        ] {
            try expectSame(SampleTree.self, from: Data(text.utf8))
            try expectSame(Ignored.self, from: Data(text.utf8))
        }
    }

    @Test
    func `a decoder of this library reveals the kind of its value`() throws {
        let text = Data(#"[null,true,false,1,-1.5e3,"a","\n",[],{},{"a":[1,"é",null]}]"#.utf8)
        let decoder = try #require(DirectJSONDecoder(standingInFor: JSONDecoder()))
        let kinds: [JSONKind] = [.null, .bool, .bool, .number, .number, .string, .string, .array, .object, .object]
        #expect(try decoder.decodeDirectly([Kind].self, from: text)?.map(\.kind) == kinds)
        #expect(try JSONDecoder().decode([Kind].self, from: text).allSatisfy { $0.kind == nil })
        // Each value of the tree compares what it finds with its kind.
        try expectSame(SampleTree.self, from: text)
    }

    @Test
    func `a part of other data is decoded`() throws {
        let decoder = try #require(DirectJSONDecoder(standingInFor: JSONDecoder()))
        let whole = Data("xx[1,2,3]yy".utf8)
        #expect(try decoder.decodeDirectly([Int].self, from: whole[2..<9]) == [1, 2, 3])
    }

    @Test
    func `a decoder that outlives the call stays valid`() throws {
        let kept = Mutex<[Int]>([])
        var keeper: Keeper?
        do {
            let decoder = try #require(DirectJSONDecoder(standingInFor: JSONDecoder()))
            keeper = try decoder.decodeDirectly(Keeper.self, from: Data(#"{"list":[1,2,3]}"#.utf8))
        }
        var list = try #require(keeper).list
        while !list.isAtEnd {
            let number = try list.decode(Int.self)
            kept.withLock { $0.append(number) }
        }
        #expect(kept.withLock { $0 } == [1, 2, 3])
    }

    private struct Outer: Decodable {
        struct Part: Decodable {
            let firstPart: [String: Leaf]
            let secondPart: [Leaf]
        }

        struct Leaf: Decodable {
            let aB: Int
        }

        let allParts: [Part]
    }

    private struct Kind: Decodable {
        let kind: JSONKind?

        init(from decoder: any Decoder) {
            kind = JSONKind(of: decoder)
        }
    }

    private struct Ignored: Decodable {
        init(from decoder: any Decoder) {}
    }

    private struct Nested: Encodable {
        let depth: Int

        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            if depth > 1 {
                try container.encode(Nested(depth: depth - 1))
            }
        }
    }

    private struct Keeper: Decodable {
        let list: any UnkeyedDecodingContainer

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: SampleKey.self)
            list = try container.nestedUnkeyedContainer(forKey: SampleKey(stringValue: "list"))
        }
    }

    private struct Named: Decodable {
        let values: [Int]

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: SampleKey.self)
            let names = decoder.userInfo[.names] as? [String] ?? []
            values = try names.map { try container.decodeIfPresent(Int.self, forKey: SampleKey(stringValue: $0)) ?? -1 }
        }
    }
}

extension CodingUserInfoKey {
    fileprivate static var names: CodingUserInfoKey {
        guard let key = CodingUserInfoKey(rawValue: "names") else {
            preconditionFailure("every raw value makes a key")
        }
        return key
    }
}
