// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

/// RFC 9110, section 5.6.1.
@Suite(.timeLimit(.minutes(5)))
struct FieldListTests {
    @Test(
        arguments: [
            ("", []), (" , ,", []), ("a", ["a"]), (" a , b\t,c", ["a", "b", "c"]),
            (#""a, b", c"#, [#""a, b""#, "c"]), (#"x="a\"b, c", d"#, [#"x="a\"b, c""#, "d"]),
            (#""a, b"#, [#""a"#, "b"]), (#"a, "b\"#, ["a", #""b\"#]), (#""a" "b, c", d"#, [#""a" "b, c""#, "d"]),
        ] as [(String, [String])]
    )
    func `commas separate, except between quotes that are closed`(value: String, elements: [String]) {
        #expect(FieldList.elements(of: value).map(String.init) == elements)
    }

    @Test
    func `many quotes take no more time than many letters`() {
        // A parser that searches for the end of each of them again would take a long time.
        let count = 100_000
        let closed = String(repeating: #""a, b", "#, count: count)
        #expect(FieldList.elements(of: closed).count == count)
        #expect(FieldList.elements(of: "\"" + closed).count >= count)
        let escaped = "\"" + String(repeating: #"\""#, count: count)
        #expect(FieldList.elements(of: escaped).map(\.utf8.count) == [2 * count + 1])
    }

    @Test(arguments: [(#""a""#, "a"), (#""a\"b\\""#, #"a"b\"#), ("a", "a"), ("\"", "\""), ("\"\"", "")])
    func `quotes and escapes are undone`(text: String, plain: String) {
        #expect(FieldList.unquoted(Substring(text)) == plain)
    }
}
