// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

@Suite
struct PercentEncodingTests {
    @Test(arguments: [
        ("a%2Fb", "a/b"), ("%C3%A9", "é"), ("100%", "100%"), ("%", "%"), ("%2", "%2"), ("%zz", "%zz"), ("a+b", "a+b"),
        ("%25", "%"), ("%2%35", "%25"),
    ])
    func `a percent sign that starts no triplet stays as it is`(encoded: String, text: String) {
        #expect(PercentEncoding.decode(encoded) == text)
    }

    @Test
    func `bytes that are no UTF-8 become replacement characters, not a trap`() {
        #expect(PercentEncoding.decode("%FF%FE") == "\u{FFFD}\u{FFFD}")
    }

    @Test
    func `every byte survives the way there and back`() {
        let text = String(String.UnicodeScalarView((0...0x2FF).compactMap(Unicode.Scalar.init)))
        let encoded = PercentEncoding.encode(text)
        #expect(PercentEncoding.decode(encoded) == text)
        #expect(encoded.utf8.allSatisfy { $0 < 0x80 })
    }

    @Test
    func `reserved characters and triplets are kept where they are allowed`() {
        #expect(PercentEncoding.encode("/a?b%20%c é", allowing: .unreservedAndReserved) == "/a?b%20%25c%20%C3%A9")
    }
}
