// SPDX-License-Identifier: MIT

import RestEssentials
import Testing

@Suite struct MessageTextTests {
    @Test(arguments: [
        ("plain text: ä 日本 🧶", "plain text: ä 日本 🧶"), ("a\nb", "a\\u{A}b"), ("\r\n", "\\u{D}\\u{A}"),
        ("\u{1B}[31m", "\\u{1B}[31m"), ("\u{9B}31m", "\\u{9B}31m"), ("\u{7F}", "\\u{7F}"), ("\t\0", "\\u{9}\\u{0}"),
        ("\u{2028}\u{2029}", "\\u{2028}\\u{2029}"), ("\u{202E}x\u{2066}", "\\u{202E}x\\u{2066}"),
        ("\u{200E}\u{200F}\u{61C}", "\\u{200E}\\u{200F}\\u{61C}"),
        ("\u{200B}\u{FEFF}\u{AD}", "\\u{200B}\\u{FEFF}\\u{AD}"),
        ("👩‍👩‍👧", "👩‍👩‍👧"), ("می‌خواهم", "می‌خواهم"), ("\u{600}1", "\u{600}1"), ("\u{FFFF}", "\\u{FFFF}"), ("", ""),
        // A combining mark makes another character of what it follows.
        ("\u{1B}\u{301}", "\\u{1B}\u{301}"),
    ])
    func `a scalar that does not show as itself is written as its number`(text: String, shown: String) {
        #expect(Array(MessageText.of(text).utf8) == Array(shown.utf8))
        #expect(MessageText.of(MessageText.of(text)) == MessageText.of(text))
    }

    @Test
    func `a text is cut at its limit`() {
        #expect(MessageText.of("abc", limit: 3) == "abc")
        #expect(MessageText.of("abcd", limit: 3) == "abc…")
        #expect(MessageText.of("äbcd", limit: 3) == "äbc…")
        #expect(MessageText.of(String(repeating: "x", count: 100_000)).utf8.count < 4_100)
    }

    @Test
    func `a text that is drawn keeps its lines`() {
        #expect(MessageText.of("a\n\tb\r\u{1B}", keepsLines: true) == "a\n\tb\\u{D}\\u{1B}")
    }
}
