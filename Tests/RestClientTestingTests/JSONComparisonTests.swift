// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import RestClient
@testable import RestClientTesting

@Suite
struct JSONComparisonTests {
    @Test(
        arguments: [
            (["a": 1, "b": [true, nil]], ["b": [true, nil], "a": 1.0]),
            (3, 3.0), ("x", "x"), ([:], [:]), ([], []), (nil, nil),
        ] as [(JSONValue, JSONValue)]
    )
    func `alike are values whose members and numbers are worth the same`(found: JSONValue, wanted: JSONValue) {
        #expect(JSONComparison().difference(of: found, from: wanted) == nil)
    }

    @Test(
        arguments: [
            (["a": 1], ["a": 2], "/a is 1 instead of 2"),
            (["a": ["b": [1, 2]]], ["a": ["b": [1, 3]]], "/a/b/1 is 2 instead of 3"),
            (["a": 1], ["a": 1, "b": 2], "/b is missing instead of 2"),
            (["a": 1, "b": [2]], ["a": 1], "/b is [2], and must not be there"),
            ([1, 2], [1], "/1 is 2, and must not be there"),
            ([1], [1, ["x": 2]], "/1 is missing instead of {\"x\":2}"),
            ("1", 1, "is \"1\" instead of 1"),
            (["a/b": ["~": 1]], ["a/b": ["~": 2]], "/a~1b/~0 is 1 instead of 2"),
            (nil, [:], "is null instead of {}"),
            (["b": 1, "a": 1], ["b": 2, "a": 2], "/a is 1 instead of 2"),
        ] as [(JSONValue, JSONValue, String)]
    )
    func `the first difference says where and what`(found: JSONValue, wanted: JSONValue, text: String) {
        #expect(JSONComparison().difference(of: found, from: wanted)?.description == text)
    }

    @Test(
        arguments: [
            (["at"], nil),
            (["/at", "/items/*/at"], nil),
            (["/items/*/at"], "/at is 1 instead of 2"),
            (["/at"], "/items/0/at is 3 instead of 4"),
            (["/items/0"], "/at is 1 instead of 2"),
            (["/at", "/items/0"], nil),
            (["/at", "/*/0/at"], nil),
            (["/AT"], "/at is 1 instead of 2"),
        ] as [([String], String?)]
    )
    func `ignored members are named anywhere, or by place`(ignored: [String], text: String?) {
        let found: JSONValue = ["at": 1, "items": [["at": 3, "id": 7]]]
        let wanted: JSONValue = ["at": 2, "items": [["at": 4, "id": 7]]]
        #expect(JSONComparison(ignoring: ignored).difference(of: found, from: wanted)?.description == text)
    }

    @Test
    func `an ignored member may be missing on either side`() {
        let comparison = JSONComparison(ignoring: ["at"])
        #expect(comparison.difference(of: ["id": 1], from: ["id": 1, "at": 2]) == nil)
        #expect(comparison.difference(of: ["id": 1, "at": 2], from: ["id": 1]) == nil)
    }

    @Test(
        arguments: [
            (["a": 1, "b": 2], ["a": 1], nil),
            (["a": ["b": 1, "c": 2]], ["a": ["b": 1]], nil),
            ([["a": 1, "b": 2]], [["a": 1]], nil),
            ([1, 2], [1], "/1 is 2, and must not be there"),
            (["b": 2], ["a": 1], "/a is missing instead of 1"),
        ] as [(JSONValue, JSONValue, String?)]
    )
    func `containing lets objects have more members, not lists more elements`(
        found: JSONValue,
        wanted: JSONValue,
        text: String?
    ) {
        let comparison = JSONComparison(allowsMoreMembers: true)
        #expect(comparison.difference(of: found, from: wanted)?.description == text)
    }

    @Test
    func `no secret is shown`() {
        let difference = JSONComparison()
            .difference(of: ["user": ["password": "abc"]], from: ["user": ["password": "x"]])
        #expect(difference?.description == "/user/password is <redacted> instead of <redacted>")
        let whole = JSONComparison().difference(of: [["token": "abc"]], from: [["a": ["token": "abc"]]])
        #expect(whole?.description.contains("abc") == false)
    }

    @Test
    func `a long value is cut off`() {
        let text = JSONText.brief(.string(String(repeating: "x", count: 500)))
        #expect(text.count == 80)
        #expect(text.hasSuffix("…"))
    }
}
