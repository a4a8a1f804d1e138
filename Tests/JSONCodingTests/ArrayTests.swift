// SPDX-License-Identifier: MIT

import JSONCoding
import RestEssentials
import Testing

@Suite("Arrays")
struct ArrayTests {
    private struct Point: Codable {
        var x: Int
        var y: [Int]?
    }

    /// Decodes its elements by hand, as models of other libraries may.
    private struct Pair: Decodable {
        var first: Point
        var others: [Point]

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            first = try container.decode(Point.self)
            others = try container.decode([Point].self)
        }
    }

    private static let texts = [
        "[]", "[1]", "null", "{}", "7", #""text""#, "[null]", "[[]]", "[[1,2],[3]]", "[[1],[null]]", "[[1],2]",
        #"[{"x":1}]"#, #"[{"x":1,"y":[1,2]},{"x":2,"y":null},{"x":3}]"#, #"[{"x":1},null]"#, #"[{"x":1},{"y":[1]}]"#,
        #"[{"x":1},{"x":2,"y":[1,"2"]}]"#, #"[{"x":1},{"x":2,"y":{}}]"#, #"[[{"x":1}],[],[{"x":2},{"x":"3"}]]"#,
        #"{"a":[{"x":1}],"b":[]}"#, #"{"a":[{"x":1}],"b":[{"x":null}]}"#, #"[{"x":1},[{"x":2},{"x":3}]]"#,
        #"[{"x":1},[{"x":2},{"x":true}]]"#, "[1.5,2]", "[9223372036854775808]", "[256]",
    ]

    @Test(arguments: texts)
    func `arrays of all kinds of elements are the same, and so are their errors`(text: String) throws {
        let data = Data(text.utf8)
        try expectSame([Point].self, from: data)
        try expectSame([Point?].self, from: data)
        try expectSame([[Point]].self, from: data)
        try expectSame([[Int]].self, from: data)
        try expectSame([[Int?]?].self, from: data)
        try expectSame([UInt8].self, from: data)
        try expectSame([Double].self, from: data)
        try expectSame([[String]].self, from: data)
        try expectSame(ContiguousArray<Point>.self, from: data)
        try expectSame(Pair.self, from: data)
        try expectSame([Pair].self, from: data)
        try expectSame([Point]?.self, from: data)
        // The members of a dictionary are decoded in any order, so that each has one at most that fails.
        try expectSame([String: [Point]].self, from: data) { points in
            points.sorted { $0.key < $1.key }.map { "\($0)" }.joined()
        }
    }

    @Test(arguments: [1_023, 1_024, 1_025, 5_000])
    func `an array of any length is the same, and an error at its end has its path`(count: Int) throws {
        let elements = Array(repeating: #"{"x":1,"y":[2,3]}"#, count: count).joined(separator: ",")
        let whole = Data("[\(elements)]".utf8)
        try expectSame([Point].self, from: whole)
        let decoder = try #require(DirectJSONDecoder(standingInFor: JSONDecoder()))
        // Not left to Foundation, which would be the same in any case.
        #expect(try decoder.decodeDirectly([Point].self, from: whole)?.count == count)
        try expectSame([Point].self, from: Data(#"[\#(elements),{"x":1,"y":[2,null]}]"#.utf8))
    }
}
