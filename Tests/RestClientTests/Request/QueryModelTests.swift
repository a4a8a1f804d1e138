// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

@Suite(.timeLimit(.minutes(5)))
struct QueryModelTests {
    private struct Filter: Encodable, Sendable {
        enum State: String, Encodable { case open, closed }

        var state = State.open
        var minimum: Int?
        var tags = ["a b", "c"]
        var isPaid = true
    }

    @Test
    func `the members of a model become items, in the order of their names`() async throws {
        let request = try await sent { $0.endpoint("/a").query("x", 1).query(Filter()) }
        #expect(request.query == "x=1&isPaid=true&state=open&tags=a%20b&tags=c")
    }

    @Test
    func `the model is encoded as the query encoding says`() async throws {
        let encoding = QueryEncoding(lists: .commas, bools: .digits)
        let request = try await sent { $0.endpoint("/a").queryEncoding(encoding).query(Filter(minimum: 3)) }
        #expect(request.query == "isPaid=1&minimum=3&state=open&tags=a%20b,c")
    }

    @Test
    func `two models of equal calls are not taken for one`() async throws {
        let client = StubbedClient()
        for minimum in [1, 2] {
            try await client.manager.request(Void.self).endpoint("/a").query(Filter(minimum: minimum, tags: [])).send()
        }
        #expect(
            client.requests.map(\.query) == ["isPaid=true&minimum=1&state=open", "isPaid=true&minimum=2&state=open"]
        )
    }

    @Test
    func `a model without names is an error before anything is sent`() async throws {
        let client = StubbedClient()
        let error = await client.failure { $0.endpoint("/a").query([1, 2]) }
        #expect(error?.code == .encodingFailed)
        #expect(client.requests.isEmpty)
    }

    private struct Numbers: Encodable, Sendable {
        var decimal = Decimal(string: "1234567890123456.78")
        var double = 100.0
        var float = Float(0.1)
        var huge = 1e21
        var int128 = Int128.max
        var list = [UInt64.max, 1]
        var negative = -0.0
        var small = Decimal(string: "0.0000001")
        var whole = UInt64(10_000_000_000_000_000_000)
    }

    private static let items =
        "decimal=1234567890123456.78&double=100&float=0.1&huge=1e%2B21&int128=170141183460469231731687303715884105727"
        + "&list=18446744073709551615&list=1&negative=-0&small=0.0000001&whole=10000000000000000000"

    @Test
    func `numbers are written as the JSON of the model has them`() async throws {
        let query = try await sent { $0.endpoint("/a").query(Numbers()) }
        let form = try await sent { $0.post().endpoint("/a").dogma(.form).body(Numbers()) }
        let json = try await sent { $0.post().endpoint("/a").body(Numbers()) }

        #expect(query.query == Self.items)
        #expect(form.bodyText == Self.items)
        let value = try JSONText.value(of: Data(try #require(json.bodyText).utf8))
        for (name, text) in [("decimal", "1234567890123456.78"), ("whole", "10000000000000000000"), ("huge", "1e+21")] {
            #expect(value[name]?.scalarText == text)
        }
    }

    @Test
    func `named values are written as those of a model`() async throws {
        let numbers = Numbers()
        let values: KeyValuePairs<String, any JSONValueConvertible> = [
            "decimal": numbers.decimal, "double": numbers.double, "float": numbers.float, "huge": numbers.huge,
            "int128": numbers.int128, "list": numbers.list, "negative": numbers.negative, "small": numbers.small,
            "whole": numbers.whole,
        ]
        let members = Dictionary(uniqueKeysWithValues: values.map { ($0.key, $0.value) })
        let query = try await sent { $0.endpoint("/a").query(values) }
        let form = try await sent { $0.post().endpoint("/a").dogma(.form).values(members) }
        let path = try await sent { $0.endpoint("/{a}/{b}").parameter("a", UInt64.max).parameter("b", numbers.decimal) }
        let json = try await sent { $0.post().endpoint("/a").values(["u": UInt64.max, "d": numbers.decimal]) }

        #expect(query.query == Self.items)
        #expect(form.bodyText == Self.items)
        #expect(path.url.hasSuffix("/18446744073709551615/1234567890123456.78"))
        #expect(json.bodyText == #"{"d":1234567890123456.78,"u":18446744073709551615}"#)
    }

    @Test
    func `a JSON value is an item among others, in the order given`() async throws {
        let value: JSONValue = "x"
        let text = "y"
        let single = try await sent { $0.endpoint("/a").query(["f": value]) }
        let several = try await sent { $0.endpoint("/a").query(["z": value, "b": 2, "a": text, "n": nil as Int?]) }

        #expect(single.query == "f=x")
        #expect(several.query == "z=x&b=2&a=y")
    }
}
