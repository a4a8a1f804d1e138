// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

@Suite
struct NameWordsTests {
    private let words = NameWords(["token", "api-key", "x", "a-word-of-16-cha"])

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

    @Test(arguments: [
        ("", 0), ("my-Key", 0b01), ("PASSWORD", 0b10), ("password_key", 0b11), ("tokenkey", 0b11), ("kex", 0),
    ])
    func `the kinds of all words in a name are found in one pass`(name: String, kinds: UInt8) {
        let words = NameWords(["key"], ["password", "token"])
        #expect(words.kinds(in: name) == kinds)
    }

    @Test(arguments: [
        ("max_tokens", ["max", "tokens"]), ("maxTokens", ["max", "tokens"]), ("SSHKey", ["ssh", "key"]),
        ("AWSAccessKeyId", ["aws", "access", "key", "id"]), ("API_KEY", ["api", "key"]), ("MONKEY", ["monkey"]),
        ("sha256Key", ["sha256", "key"]), ("a[b.c]", ["a", "b", "c"]), ("", []), ("--", []),
    ])
    func `a name is split where its words begin`(name: String, words: [String]) {
        #expect(NameWords.split(name) == words)
    }
}
