// SPDX-License-Identifier: MIT

import RestEssentials
import SeededRandom
import Testing

@testable import RestClient

@Suite
struct LineSplitterTests {
    private func lines(_ chunks: [String], _ ends: LineSplitter.Ends = .lineFeeds) throws -> [String] {
        var splitter = LineSplitter(ends)
        return try lines(chunks.map { Data($0) }, &splitter)
    }

    private func lines(_ chunks: [Data], _ splitter: inout LineSplitter) throws -> [String] {
        var lines: [String] = []
        for chunk in chunks {
            splitter.receive(chunk)
            while let line = try splitter.next() {
                lines.append(line.text)
            }
        }
        if let last = try splitter.finish() {
            lines.append(last.text)
        }
        return lines
    }

    @Test(arguments: [
        ([], []),
        ([""], []),
        (["a"], ["a"]),
        (["a\n"], ["a"]),
        (["\n"], [""]),
        (["a\n\nb"], ["a", "", "b"]),
        (["a\r\nb\r\n"], ["a", "b"]),
        (["a\r", "\nb"], ["a", "b"]),
        (["a\rb\n"], ["a\rb"]),
        (["a\r"], ["a"]),
        (["a\r\r\n"], ["a\r"]),
        (["a", "b", "c\nd", "", "e"], ["abc", "de"]),
        (["ü\nß", "\n"], ["ü", "ß"]),
    ])
    func `lines end in LF or CR LF`(chunks: [String], expected: [String]) throws {
        #expect(try lines(chunks) == expected)
    }

    @Test(arguments: [
        (["a\rb\nc\r\nd"], ["a", "b", "c", "d"]),
        (["a\r", "\nb"], ["a", "b"]),
        (["a\r", "b"], ["a", "b"]),
        (["a\r", "", "\n", "\nb"], ["a", "", "b"]),
        (["\r\r\n\n"], ["", "", ""]),
        (["a\n\rb"], ["a", "", "b"]),
    ])
    func `lines also end with CR if that is enabled`(chunks: [String], expected: [String]) throws {
        #expect(try lines(chunks, .any) == expected)
    }

    @Test
    func `a line that ends with CR is complete without the next byte`() throws {
        var splitter = LineSplitter(.any)

        splitter.receive(Data("a\r"))

        #expect(try splitter.next()?.text == "a")
    }

    @Test
    func `a character cut by the border of chunks stays whole`() throws {
        var splitter = LineSplitter()
        let bytes = Data("über 🧶\nß")

        #expect(try lines(bytes.map { Data([$0]) }, &splitter) == ["über 🧶", "ß"])
    }

    @Test
    func `lines are the same however the bytes are cut, in whichever ends`() throws {
        var generator = SeededGenerator(seed: 1)
        let alphabet = ["a", "bc", "ü", "🧶", "\n", "\r\n", "\r", "\n\n"]
        for _ in 0..<400 {
            let text = (0..<Int.random(in: 0...40, using: &generator))
                .map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] }.joined()
            for ends in [LineSplitter.Ends.lineFeeds, .any] {
                var whole = LineSplitter(ends)
                var cut = LineSplitter(ends)
                let expected = try lines([Data(text)], &whole)
                let chunks = Data(text).chunks(upTo: 5, using: &generator)

                #expect(try lines(chunks, &cut) == expected)
                #expect(expected == Self.reference(text, ends))
                #expect(cut.heldCount == 0)
            }
        }
    }

    /// Splits a whole text in the plainest way there is.
    private static func reference(_ text: String, _ ends: LineSplitter.Ends) -> [String] {
        var lines: [[UInt8]] = [[]]
        var bytes = Array(text.utf8)[...]
        while let byte = bytes.popFirst() {
            if byte == 0x0D, ends == .any {
                lines.append([])
                if bytes.first == 0x0A {
                    bytes.removeFirst()
                }
            } else if byte == 0x0A {
                if ends == .lineFeeds, lines[lines.count - 1].last == 0x0D {
                    lines[lines.count - 1].removeLast()
                }
                lines.append([])
            } else {
                lines[lines.count - 1].append(byte)
            }
        }
        if lines[lines.count - 1].isEmpty {
            lines.removeLast()
        } else if ends == .lineFeeds, lines[lines.count - 1].last == 0x0D {
            lines[lines.count - 1].removeLast()
        }
        return lines.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test
    func `chunks may accumulate before lines are read`() throws {
        var splitter = LineSplitter()
        for chunk in ["a\nb", "c\n", "d"] {
            splitter.receive(Data(chunk))
        }
        var lines: [String] = []
        while let line = try splitter.next() {
            lines.append(line.text)
        }

        #expect(lines == ["a", "bc"])
        #expect(splitter.heldCount == 1)
    }

    // MARK: - Limit

    @Test(arguments: [["abcd\n"], ["abcd\r\n"], ["abcd"], ["ab", "cd", "\n"], ["abcd\r", "\n"]])
    func `a line may be as long as the limit`(chunks: [String]) throws {
        var splitter = LineSplitter(limit: 4)

        #expect(try lines(chunks.map { Data($0) }, &splitter) == ["abcd"])
    }

    @Test(arguments: [["abcde\n"], ["abcde"], ["abc", "de"], ["a\nabcde\n"], ["abcd\r", "e"]])
    func `a line over the limit is an error, with or without its end`(chunks: [String]) throws {
        var splitter = LineSplitter(limit: 4)

        let error = #expect(throws: RestClientError.self) { try lines(chunks.map { Data($0) }, &splitter) }

        #expect(error?.code == .lineTooLong)
        #expect(error?.message == "a line of the response has more than 4 bytes")
    }

    @Test
    func `a failed splitter keeps no bytes and fails every time`() throws {
        var splitter = LineSplitter(limit: 4)
        splitter.receive(Data("abcdefgh"))
        #expect(throws: RestClientError.self) { try splitter.next() }

        splitter.receive(Data("\nok\n"))

        #expect(splitter.heldCount == 0)

        #expect(throws: RestClientError.self) { try splitter.next() }
        #expect(throws: RestClientError.self) { try splitter.finish() }
    }
}
