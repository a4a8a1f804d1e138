// SPDX-License-Identifier: MIT

import RestEssentials
import SeededRandom
import Testing

@testable import RestClient

/// The examples of the HTML standard, the cases of the web platform tests, and what they leave open.
@Suite
struct ServerSentEventParserTests {
    private typealias Event = ServerSentEvent

    private static func events(_ chunks: [Data], _ parser: inout ServerSentEventParser) throws -> [Event] {
        var events: [Event] = []
        for chunk in chunks {
            parser.receive(chunk)
            while let event = try parser.next() {
                events.append(event)
            }
        }
        return events
    }

    private static func events(_ text: String) throws -> [Event] {
        var parser = ServerSentEventParser()
        return try events([Data(text)], &parser)
    }

    /// A stream and its events.
    struct Example: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: String
        let events: [ServerSentEvent]

        init(_ name: String, _ text: String, _ events: [ServerSentEvent]) {
            testDescription = name
            self.text = text
            self.events = events
        }
    }

    private static let standard: [Example] = [
        Example(
            "messages, one of two lines",
            "data: This is the first message.\n\ndata: This is the second message, it\ndata: has two lines.\n\n"
                + "data: This is the third message.\n\n",
            [
                Event(data: "This is the first message."),
                Event(data: "This is the second message, it\nhas two lines."),
                Event(data: "This is the third message."),
            ]
        ),
        Example(
            "types",
            "event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\nevent: add\ndata: 113411\n\n",
            [
                Event(type: "add", data: "73857293"), Event(type: "remove", data: "2153"),
                Event(type: "add", data: "113411"),
            ]
        ),
        Example("a stock", "data: YHOO\ndata: +2\ndata: 10\n\n", [Event(data: "YHOO\n+2\n10")]),
        Example(
            "four blocks, the first a comment, the third taking the identifier back",
            ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
            [
                Event(data: "first event", lastEventID: "1"), Event(data: "second event"), Event(data: " third event"),
            ]
        ),
        Example(
            "empty data, and a last block without its end",
            "data\n\ndata\ndata\n\ndata:",
            [
                Event(data: ""), Event(data: "\n"),
            ]
        ),
        Example(
            "the space after the colon",
            "data:test\n\ndata: test\n\n",
            [Event(data: "test"), Event(data: "test")]
        ),
        Example("comments that keep a connection open", ":\n\n: still here\n\n:\n", []),
    ]

    private static let platform: [Example] = [
        Example(
            "field parsing",
            "data:\0\ndata:  2\rData:1\ndata\0:2\ndata:1\r\0data:4\nda-ta:3\rdata_5\ndata:3\rdata:\r\n data:32\ndata:4\n\n",
            [
                Event(data: "\0\n 2\n1\n3\n\n4")
            ]
        ),
        Example("all ends of lines", "data:test\r\ndata\ndata:test\r\n\r", [Event(data: "test\n\ntest")]),
        Example("leading space", "data:\ttest\rdata: \ndata:test\n\n", [Event(data: "\ttest\n\ntest")]),
        Example(
            "no data before the last empty line",
            "retry:1000\ndata:test1\n\nid:test\ndata:test2",
            [
                Event(data: "test1")
            ]
        ),
        Example(
            "comments between the lines",
            "data:1\r:\0\n:\r\ndata:2\n:xxx\rdata:3\n:data:fail\r:xxx\ndata:4\n\n",
            [
                Event(data: "1\n2\n3\n4")
            ]
        ),
        Example(
            "a byte order mark",
            "\u{FEFF}data:1\n\n\u{FEFF}data:2\n\ndata:3\n\n",
            [
                Event(data: "1"), Event(data: "3"),
            ]
        ),
        Example(
            "two byte order marks",
            "\u{FEFF}\u{FEFF}data:1\n\ndata:2\n\ndata:3\n\n",
            [
                Event(data: "2"), Event(data: "3"),
            ]
        ),
        Example("an empty type", "event: \ndata:data\n\n", [Event(data: "data")]),
        Example(
            "a type lasts for one event",
            "event:test\ndata:x\n\ndata:x\n\n",
            [
                Event(type: "test", data: "x"), Event(data: "x"),
            ]
        ),
        Example(
            "an identifier lasts, an empty one resets it",
            "id:1\ndata:a\n\ndata:b\n\nid:\ndata:c\n\n",
            [
                Event(data: "a", lastEventID: "1"), Event(data: "b", lastEventID: "1"), Event(data: "c"),
            ]
        ),
        Example(
            "an identifier with NUL is ignored",
            "id:1\ndata:a\n\nid:2\u{0}3\ndata:b\n\n",
            [
                Event(data: "a", lastEventID: "1"), Event(data: "b", lastEventID: "1"),
            ]
        ),
        Example(
            "an unknown field",
            "data:test\n data\ndata\nfoobar:xxx\njustsometext\n:thisisacommentyay\ndata:test\n\n",
            [
                Event(data: "test\n\ntest")
            ]
        ),
        Example("NUL in data", "data:\u{0}\n\n\n\n", [Event(data: "\u{0}")]),
        Example("characters beyond ASCII", "data:ok…\n\n", [Event(data: "ok…")]),
        Example("a type with an empty block", "event: x\n\ndata: y\n\n", [Event(data: "y")]),
    ]

    @Test(arguments: standard + platform)
    func `the events are those of the standard, at once and byte by byte`(example: Example) throws {
        #expect(try Self.events(example.text) == example.events)
        var parser = ServerSentEventParser()
        #expect(try Self.events(Data(example.text).map { Data([$0]) }, &parser) == example.events)
    }

    @Test(arguments: standard, ["\r", "\r\n"])
    func `the ends of lines do not matter`(example: Example, end: String) throws {
        let text = example.text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: end)
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<20 {
            var parser = ServerSentEventParser()
            #expect(try Self.events(Data(text).chunks(upTo: 4, using: &generator), &parser) == example.events)
        }
    }

    @Test
    func `bytes that are not UTF-8 are replaced`() throws {
        var parser = ServerSentEventParser()

        let events = try Self.events([Data("data: a"), Data([0xFF]), Data("b\n\n")], &parser)

        #expect(events.map(\.data) == ["a\u{FFFD}b"])
    }

    @Test
    func `an event cut short leaves neither an event nor its identifier`() throws {
        var parser = ServerSentEventParser(lastEventID: "1")

        let events = try Self.events([Data("id: 2\ndata: a\n\nid: 3\ndata: b\n")], &parser)

        #expect(events == [Event(data: "a", lastEventID: "2")])
        #expect(parser.lastEventID == "2")
    }

    @Test
    func `a block without data moves the identifier`() throws {
        var parser = ServerSentEventParser()

        #expect(try Self.events([Data("id: 7\n\n")], &parser).isEmpty)
        #expect(parser.lastEventID == "7")
    }

    @Test
    func `the identifier of an earlier response stays in force`() throws {
        var parser = ServerSentEventParser(lastEventID: "…")

        #expect(try Self.events([Data("data: x\n\n")], &parser) == [Event(data: "x", lastEventID: "…")])
    }

    @Test(arguments: [
        ("retry: 1500", 1_500), ("retry:0", 0), ("retry:007", 7), ("retry", nil), ("retry:", nil), ("retry: 3x", nil),
        ("retry: -1", nil), ("retry:  5", nil), ("retry: 5 ", nil), ("retry: 1.5", nil), ("retry: ٣", nil),
        ("retry: 99999999999999999999999", nil), ("retry: 9223372036854775807", 3_000_000_000_000), ("Retry: 5", nil),
    ])
    func `the time before a new request is digits alone`(line: String, milliseconds: Int64?) throws {
        var parser = ServerSentEventParser()

        _ = try Self.events([Data(line + "\n")], &parser)

        #expect(parser.reconnectionTime == milliseconds.map { .milliseconds($0) })
    }

    @Test
    func `a malformed time leaves the earlier one`() throws {
        var parser = ServerSentEventParser()

        _ = try Self.events([Data("retry: 10\nretry: soon\n")], &parser)

        #expect(parser.reconnectionTime == .milliseconds(10))
    }

    @Test
    func `a stream without the end of a line, or of an event, is an error`() throws {
        for text in ["data: " + String(repeating: "x", count: 30), String(repeating: "data: xxxx\n", count: 9)] {
            var parser = ServerSentEventParser(limit: 20)

            let error = #expect(throws: RestClientError.self) { try Self.events([Data(text)], &parser) }

            #expect(error?.code == .lineTooLong)
            #expect(throws: RestClientError.self) { try parser.next() }
        }
    }

    @Test
    func `the limit of an event counts the ends between its lines`() throws {
        var parser = ServerSentEventParser(limit: 6)
        #expect(try Self.events([Data("data:1\ndata:2\ndata:3\n\n")], &parser) == [Event(data: "1\n2\n3")])

        #expect(throws: RestClientError.self) {
            try Self.events([Data("data:1\ndata:2\ndata:3\ndata:4\n\n")], &parser)
        }
    }

    @Test
    func `no bytes at all are a problem`() throws {
        var generator = SeededGenerator(seed: 4)
        let alphabet = Array("data:eventidretry \r\n\n\n\u{0}\u{FEFF}1".utf8)
        for _ in 0..<300 {
            let bytes = (0..<200)
                .map { _ in
                    Bool.random(using: &generator)
                        ? alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
                        : UInt8.random(in: 0...255, using: &generator)
                }
            var whole = ServerSentEventParser()
            var cut = ServerSentEventParser()

            let events = try Self.events([Data(bytes)], &whole)

            #expect(try Self.events(Data(bytes).chunks(upTo: 9, using: &generator), &cut) == events)
            #expect(whole.lastEventID == cut.lastEventID)
        }
    }
}
