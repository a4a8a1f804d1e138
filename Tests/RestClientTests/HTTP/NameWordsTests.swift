// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

@Suite
struct NameWordsTests {
    private let words = NameWords("token", "api-key", "x", "a-word-of-16-cha")

    @Test(arguments: [
        "token", "TOKEN", "my_Token", "tokens", "refresh-tOkEn-id", "totoken", "apiapi-key", "A-WORD-OF-16-CHA", "an X",
        "a name much longer than a window of sixteen bytes, with a token at its end: token",
        "\u{212A}ey of the to\u{212A}en", "schlüsseltoken",
    ])
    func `a word is found wherever it stands and however it is written`(name: String) {
        #expect(words.occur(in: name))
        #expect(words.occur(in: "<\(name)>".dropFirst().dropLast()))
    }

    @Test(arguments: [
        "", "toke", "to-ken", "tok", "api_key", "api-ke", "tökén", "a-word-of-16-ch", "t o k e n", "[oken",
    ])
    func `no other name has one`(name: String) {
        #expect(!words.occur(in: name))
    }
}
