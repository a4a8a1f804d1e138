// SPDX-License-Identifier: MIT

import RestEssentials
import Testing

struct MarkRunTests {
    private static func marks(_ count: Int, _ mark: String = "\u{301}") -> String {
        "a" + String(repeating: mark, count: count) + "b"
    }

    @Test(arguments: ["\u{301}", "\u{59A}", "\u{F73}", "\u{1D165}", "\u{1E8D0}"])
    func `a run has at most 256 marks`(mark: String) {
        #expect(!MarkRun.isExcessive(Self.marks(256, mark)))
        #expect(MarkRun.isExcessive(Self.marks(257, mark)))
        #expect(!MarkRun.isExcessive(Self.marks(200, mark) + Self.marks(200, mark)))
        #expect(!MarkRun.isExcessive(String(repeating: "語é", count: 5_000)))
    }

    @Test(
        arguments: [
            ("{\"KEY\":1}", true), ("{\"KEY\" \n:1}", true), ("[{\"a\":{\"KEY\":1}}]", true), ("{'KEY':1}", true),
            ("{KEY:1}", true), ("{\"a\":\"KEY\"}", false), ("[\"KEY\",{\"a\":1}]", false), ("{\"a\\\"KEY\":1}", true),
        ]
    )
    func `only keys of JSON are refused, in each encoding`(pattern: String, isRefused: Bool) {
        let text = pattern.replacing("KEY", with: Self.marks(300))
        let escaped = pattern.replacing("KEY", with: Self.marks(300, "\\u0301"))
        let pairs = pattern.replacing("KEY", with: Self.marks(300, "\\ud834\\udd65"))
        let wide = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        let big = text.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        let wider = text.unicodeScalars.flatMap { scalar in
            (0..<4).map { UInt8(truncatingIfNeeded: scalar.value >> ($0 * 8)) }
        }
        let bytes = [Array(text.utf8), Array(escaped.utf8), Array(pairs.utf8), wide, big, [0xFF, 0xFE] + wide, wider]

        for bytes in bytes {
            let isAccepted = (try? MarkRun.checkKeys(ofJSON: Data(bytes))) != nil
            #expect(isAccepted == !isRefused)
        }
    }

    @Test
    func `bytes that are no text are read to their end`() {
        for start in [[0, 0, 0xE3, 0x81], [0xFE, 0xFF], [0xFF, 0xFE, 0, 0], [0x22, 0x5C]] as [[UInt8]] {
            let bytes = start + Array(repeating: 0xCC, count: 3_000) + [0x5C]
            #expect(throws: Never.self) { try MarkRun.checkKeys(ofJSON: Data(bytes)) }
        }
    }
}
