// SPDX-License-Identifier: MIT

import HTTPTypes
import Testing

@testable import RestClient

@Suite
struct QueryEncodingTests {
    @Test(arguments: [
        ("a&b", "a%26b"),
        ("a=b", "a%3Db"),
        ("a+b", "a%2Bb"),
        ("a b", "a%20b"),
        ("50%", "50%25"),
        ("a#b?c/d", "a%23b%3Fc%2Fd"),
        ("é", "%C3%A9"),
        ("a\r\nb", "a%0D%0Ab"),
        ("-._~", "-._~"),
        ("", ""),
    ])
    func `names and values arrive intact`(text: String, encoded: String) {
        let query = QueryEncoding().encode([(name: text, value: .string(text))])
        #expect(query == "\(encoded)=\(encoded)")
        #expect(PercentEncoding.decode(encoded) == text)
    }

    @Test
    func `names that compare as neither before nor behind each other have one order`() {
        let names = ["e\u{301}", "\u{E9}j", "\u{E9}", "=7\u{130}", "a"]
        for shift in names.indices {
            var members: [String: JSONValue] = [:]
            for name in names[shift...] + names[..<shift] {
                members[name] = .string("x")
            }
            members["\u{E9}"] = nil
            members["e\u{301}"] = .string("x")
            let order = members.inOrder.map(\.key.utf8.first)
            #expect(order == [0x3D, 0x61, 0x65, 0xC3])
        }
    }

    @Test
    func `a separator counts as such whatever combines with it`() {
        let items = QueryItems.decode("a=\u{301}1&\u{301}b=2")
        #expect(items.map(\.name) == ["a", "\u{301}b"])
        #expect(items.map(\.value) == ["\u{301}1", "2"])
    }

    @Test(arguments: [
        (QueryEncoding(), "k=1&k=2"),
        (QueryEncoding(lists: .repeated), "k=1&k=2"),
        (QueryEncoding(lists: .brackets), "k%5B%5D=1&k%5B%5D=2"),
        (QueryEncoding(lists: .commas), "k=1,2"),
    ])
    func `a list is written in the chosen style`(encoding: QueryEncoding, query: String) {
        let list: JSONValue = [1, 2]
        #expect(encoding.encode([(name: "k", value: list)]) == query)
    }

    @Test(arguments: [
        (QueryEncoding(), "t=true&f=false"),
        (QueryEncoding(bools: .digits), "t=1&f=0"),
    ])
    func `a truth value is written in the chosen style`(encoding: QueryEncoding, query: String) {
        #expect(encoding.encode([(name: "t", value: true), (name: "f", value: false)]) == query)
    }

    @Test(
        arguments: [
            (.null, ""),
            ([], ""),
            ([:], ""),
            ([.null, 1, .null], "k=1"),
            (1.5, "k=1.5"),
            (-3, "k=-3"),
            (["b": 2, "a": 1], "k%5Ba%5D=1&k%5Bb%5D=2"),
            (["a": ["b": "c"]], "k%5Ba%5D%5Bb%5D=c"),
            (["a": [1, 2]], "k%5Ba%5D=1&k%5Ba%5D=2"),
            ([["a": 1], ["a": 2]], "k%5Ba%5D=1&k%5Ba%5D=2"),
            (["x&y": "1"], "k%5Bx%26y%5D=1"),
        ] as [(JSONValue, String)]
    )
    func `null is left out, and members of an object come in the order of their names`(value: JSONValue, query: String)
    {
        #expect(QueryEncoding().encode([(name: "k", value: value)]) == query)
    }

    @Test
    func `a list of lists or objects loses nothing between commas`() {
        let list: JSONValue = [1, [2, 3], ["size": 4]]
        #expect(QueryEncoding(lists: .commas).encode([(name: "k", value: list)]) == "k=1&k=2,3&k%5Bsize%5D=4")
    }

    @Test
    func `a comma within a list written with commas is encoded`() {
        let list: JSONValue = ["a,b", true, nil]
        #expect(QueryEncoding(lists: .commas).encode([(name: "k", value: list)]) == "k=a%2Cb,true")
    }

    @Test
    func `the items of a literal keep their order`() async throws {
        let request = try await sent { $0.endpoint("/a").query(["z": 1, "a": 2, "z": 3]) }
        #expect(request.query == "z=1&a=2&z=3")
    }

    @Test
    func `the items of a dictionary come in the order of their names`() async throws {
        let items = ["c": 3, "a": 1, "b": 2]
        let request = try await sent { $0.endpoint("/a").query(items) }
        #expect(request.query == "a=1&b=2&c=3")
    }

    @Test
    func `single items are added, and null is left out`() async throws {
        let absent: Int? = nil
        let request = try await sent { $0.endpoint("/a").query("q", "x y").query("n", absent).query("l", [1, 2]) }
        #expect(request.query == "q=x%20y&l=1&l=2")
    }

    @Test
    func `nothing but null leaves no question mark`() async throws {
        let request = try await sent { $0.endpoint("/a").query(["n": JSONValue.null]) }
        #expect(request.url == "https://api.example.com/v1/a")
    }

    @Test
    func `the call's encoding wins over the manager's`() async throws {
        let client = StubbedClient { $0 = $0.queryEncoding(QueryEncoding(lists: .commas)) }
        let byManager = try await client.sent { $0.endpoint("/a").query(["k": [1, 2]]) }
        let byCall = try await client.sent { node in
            node.endpoint("/a").query(["k": [1, 2]]).queryEncoding(QueryEncoding(lists: .brackets))
        }
        #expect(byManager.query == "k=1,2")
        #expect(byCall.query == "k%5B%5D=1&k%5B%5D=2")
    }
}
