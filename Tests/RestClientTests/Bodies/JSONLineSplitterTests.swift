// SPDX-License-Identifier: MIT

import RestEssentials
import SeededRandom
import Testing

@testable import RestClient

@Suite
struct JSONLineSplitterTests {
    private func values(_ chunks: [Data], limit: Int = 1_000) throws -> [String] {
        var splitter = JSONLineSplitter(limit: limit)
        var values: [String] = []
        for chunk in chunks {
            splitter.receive(chunk)
            while let line = try splitter.next() {
                values.append("\(splitter.number) \(line.text)")
            }
        }
        while let line = try splitter.finish() {
            values.append("\(splitter.number) \(line.text)")
        }
        return values
    }

    @Test(arguments: [
        ("", []),
        ("\n \n\t\r\n", []),
        ("1", ["1 1"]),
        ("1\n", ["1 1"]),
        ("{\"a\":1}\n\n{\"a\":2}\r\n   \n[3]", ["1 {\"a\":1}", "3 {\"a\":2}", "5 [3]"]),
        ("1\n ", ["1 1"]),
        ("\u{FEFF}1\n2", ["1 1", "2 2"]),
        ("\u{FEFF}", []),
        ("\"\\n\"\n\"\u{2028}\"\n", ["1 \"\\n\"", "2 \"\u{2028}\""]),
    ])
    func `each line is a value, blank lines are none`(text: String, expected: [String]) throws {
        #expect(try values([Data(text)]) == expected)
        #expect(try values(Data(text).map { Data([$0]) }) == expected)
    }

    @Test
    func `a part of a byte order mark is not a mark`() throws {
        #expect(try values([Data([0xEF]), Data([0xBB])]).count == 1)
        #expect(try values([Data([0xEF, 0xBB, 0x31, 0x0A])]).count == 1)
    }

    @Test
    func `values are the same however the bytes are cut`() throws {
        var generator = SeededGenerator(seed: 2)
        let text = "\u{FEFF}{\"name\":\"Zoë 🧶\"}\n\n[1,2,3]\r\ntrue\n  \n\"end\""
        let expected = ["1 {\"name\":\"Zoë 🧶\"}", "3 [1,2,3]", "4 true", "6 \"end\""]
        for _ in 0..<300 {
            #expect(try values(Data(text).chunks(upTo: 7, using: &generator)) == expected)
        }
    }

    @Test
    func `a value that is too long is an error`() throws {
        let error = #expect(throws: RestClientError.self) { try values([Data("[1,2,3]")], limit: 6) }

        #expect(error?.code == .lineTooLong)
    }

    @Test
    func `a value that cannot be decoded is named by its line`() throws {
        var splitter = JSONLineSplitter()
        splitter.receive(Data("1\n\nx\n"))
        _ = try splitter.next()
        _ = try splitter.next()

        #expect(splitter.failure(CancellationError()).message == "line 3 of the response cannot be decoded")
    }
}
