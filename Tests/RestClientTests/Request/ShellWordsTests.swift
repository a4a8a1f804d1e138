// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

@Suite
struct ShellWordsTests {
    @Test(
        arguments: [
            ("curl a  b\tc", ["curl", "a", "b", "c"]), ("", []), (" \n ", []), ("''", [""]), ("a''b", ["ab"]),
            ("'a b'\"c d\"e", ["a bc de"]), (#"a\ b \\ \'"#, ["a b", "\\", "'"]),
            ("a \\\n b", ["a", "b"]), ("a\\\r\nb", ["ab"]), ("a\nb", ["a", "b"]), (#"'\n'"#, ["\\n"]),
            (#""\"a\" \\ \n \`b\`""#, [#""a" \ \n `b`"#]), ("\"a\\\nb\"", ["ab"]), (#"'it'\''s'"#, ["it's"]),
            (#"$'a\'b\n\t\\\x41\u00e4\101'"#, ["a'b\n\t\\AäA"]), (#"$'\xc3\xa4\q'"#, ["ä\\q"]),
            (#"$'\x4'1"#, ["\u{04}1"]),
            ("'a$b`c|&;<>()^'", ["a$b`c|&;<>()^"]), ("a=b&'c'".replacing("&", with: "\\&"), ["a=b&c"]),
            ("'\u{301}a'\u{301}", ["\u{301}a\u{301}"]), ("a\\", ["a"]),
        ] as [(String, [String])]
    )
    func `words are those that a shell passes on`(text: String, words: [String]) throws {
        let read = try ShellWords(text).words

        #expect(read.map { Array($0.utf8) } == words.map { Array($0.utf8) })
    }

    @Test(arguments: [
        ("'a", "quotation mark"), ("\"a", "quotation mark"), ("$'a", "quotation mark"), ("$'a\\", "quotation mark"),
        ("https://a.example/?b=1&c=2", "'&' outside of quotes"), ("a $B", "'$' outside"), ("a `id`", "'`' outside"),
        ("a | b", "'|'"), ("a > b", "'>'"), ("a; b", "';'"), ("\"$B\"", "'$' within double quotes"),
        ("\"`id`\"", "'`' within"), ("curl ^\"a^\"", "Windows"), (#"$'\xff'"#, "not text"), (#"$'\x00'"#, "not text"),
        (#"$'\ud800'"#, "no character"), (#"$'\u'"#, "no character"),
    ])
    func `what a shell would replace or run is an error that says so`(text: String, reason: String) {
        let error = #expect(throws: RestClientError.self) { try ShellWords(text) }

        #expect(error?.code == .invalidCurlCommand)
        #expect(error?.message.contains(reason) == true)
    }
}
