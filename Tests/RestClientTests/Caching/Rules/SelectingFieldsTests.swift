// SPDX-License-Identifier: MIT

import HTTPTypes
import Testing

@testable import RestClient

/// RFC 9111, section 4.1.
@Suite
struct SelectingFieldsTests {
    private func fields(_ lines: [(String, String)]) -> HTTPFields {
        var headers: HTTPFields = [:]
        for (name, value) in lines {
            if let name = HTTPField.Name(name) {
                headers.append(HTTPField(name: name, value: value))
            }
        }
        return headers
    }

    private func selecting(_ names: [String], _ lines: [(String, String)]) -> SelectingFields {
        SelectingFields(names, of: fields(lines)) { "digest of \($0.count)" }
    }

    @Test(
        arguments: [
            ([], []), (["Foo"], ["foo"]), (["Foo, Bar"], ["bar", "foo"]), (["foo", "Bar"], ["bar", "foo"]),
            (["Foo, foo"], ["foo"]), ([""], []), (["*"], nil), (["*, *"], nil), (["", "*"], nil), ([", *"], nil),
            (["*, Foo"], nil), (["Foo, *"], nil),
        ] as [([String], [String]?)]
    )
    func `RFC 9110, 12.5.5: names are read without regard to case, and a star among them is a star`(
        lines: [String],
        names: [String]?
    ) {
        #expect(SelectingFields.names(variedBy: fields(lines.map { ("Vary", $0) })) == names)
    }

    /// Two requests, the field that counts, and whether they select the same response.
    struct Pair: Sendable {
        let name: String
        let left: [String]
        let right: [String]
        let match: Bool

        init(_ name: String, _ left: [String], _ right: [String], _ match: Bool) {
            self.name = name
            self.left = left
            self.right = right
            self.match = match
        }
    }

    @Test(arguments: [
        Pair("foo", ["1"], ["1"], true),
        Pair("foo", ["1"], ["2"], false),
        Pair("foo", ["1"], [], false),
        Pair("foo", [], [], true),
        Pair("foo", [""], [], false),
        Pair("foo", ["1, 2"], ["1", "2"], true),
        Pair("foo", ["1,2"], [" 1, 2 "], true),
        Pair("foo", ["1, 2"], ["2, 1"], false),
        Pair("foo", ["a"], ["A"], false),
        Pair("foo", [#""a,b""#], [#""a, b""#], false),
        Pair("accept-language", ["en, de"], ["de, en"], true),
        Pair("accept-language", ["en, de"], ["eN, De"], true),
        Pair("accept-language", ["en, de"], [" en ,   de"], true),
        Pair("accept-language", ["en, de;q=0.5"], ["de; q=0.5, en"], true),
        Pair("accept-language", ["en, de;q=0.5"], ["en;q=0.5, de"], false),
        Pair("accept-language", ["en, de;q=0.5"], ["en;q=1.0, de;q=0.500"], true),
        Pair("accept-encoding", ["gzip, br"], ["br,gzip"], true),
        Pair("accept", ["text/html;level=1, a/b"], ["a/b, text/html;level=2"], false),
    ])
    func `RFC 9111, 4.1: requests that mean the same select the same`(pair: Pair) {
        let left = selecting([pair.name], pair.left.map { (pair.name, $0) })
        let right = selecting([pair.name], pair.right.map { (pair.name, $0) })
        #expect((left == right) == pair.match)
    }

    @Test(arguments: ["authorization", "cookie", "x-api-key"])
    func `values of credentials are kept as digests`(name: String) {
        let fields = selecting([name], [(name, "secret")]).fields
        #expect(fields == [SelectingFields.Field(name: name, value: "digest of 6")])
    }

    @Test
    func `a name that no field can have is a field that no request has`() {
        #expect(selecting(["a b"], []).fields == [SelectingFields.Field(name: "a b", value: nil)])
    }
}
