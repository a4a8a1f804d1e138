// SPDX-License-Identifier: MIT

import HTTPWire
import HTTPWireSamples
import Testing

/// The rules of RFC 9112, section by section.
@Suite struct ResponseParserTests {
    /// A line to test, and the rule that it breaks; `nil` if it is right.
    typealias Row = (text: String, defect: ResponseDefect?)

    private static func verdict(_ text: String, isHead: Bool = false) -> Verdict {
        let sample = ResponseSample(text, isHead: isHead)
        let whole = Verdict.ours([sample.bytes[...]], isHead: isHead).verdict
        let single = Verdict.ours(sample.bytes.indices.map { sample.bytes[$0...$0] }, isHead: isHead).verdict
        #expect(whole == single, "\(text.debugDescription)")
        return whole
    }

    private static func check(_ rows: [Row], _ message: (String) -> String) {
        for row in rows {
            let verdict = verdict(message(row.text))
            if let defect = row.defect {
                #expect(verdict == .refused(defect), "\(row.text.debugDescription)")
            } else {
                #expect(verdict.isResponse, "\(row.text.debugDescription): \(verdict)")
            }
        }
    }

    private static func body(_ text: String, isHead: Bool = false) -> String? {
        guard case .response(_, let body) = verdict(text, isHead: isHead) else {
            return nil
        }
        return String(decoding: body, as: UTF8.self)
    }

    @Test
    func `A status line has a version, a status of three digits and perhaps a reason (section 4)`() {
        Self.check([
            ("HTTP/1.1 200 OK", nil), ("HTTP/1.0 404 Not Found", nil), ("HTTP/1.1 200 ", nil), ("HTTP/1.1 200", nil),
            ("HTTP/1.1 999 \u{E9}\ta", nil), ("HTTP/1.1  200 OK", .statusLine), ("HTTP/1.1 20 OK", .statusLine),
            ("HTTP/1.1 2000 OK", .statusLine), ("HTTP/1.1 200OK", .statusLine), ("HTTP/1.1 2x0 OK", .statusLine),
            ("HTTP/1.1 099 Low", .status), ("HTTP/1.1 000 Low", .status), ("HTTP/2.0 200 OK", .version),
            ("HTTP/0.9 200 OK", .version), ("HTTP/1.2 200 OK", .version), ("http/1.1 200 OK", .statusLine),
            ("HTTP/11 200 OK", .statusLine), ("ICY 200 OK", .statusLine), ("", .statusLine),
            (" HTTP/1.1 200 OK", .statusLine), ("HTTP/1.1\t200 OK", .statusLine), ("HTTP/1.1 200 \u{7}", .statusLine),
            ("HTTP/1.1 200 a\0", .statusLine), ("SSH-2.0-OpenSSH_9.6", .statusLine), ("HTTP/1.1 200 a\rb", .lineEnd),
        ]) { "\($0)\r\nContent-Length: 0\r\n\r\n" }
    }

    @Test
    func `Nothing stands ahead of the status line, and no white space behind it (section 2.2)`() {
        Self.check([
            ("HTTP/1.1 200 OK\r\n", nil), ("\r\nHTTP/1.1 200 OK\r\n", .statusLine),
            ("\nHTTP/1.1 200 OK\r\n", .statusLine), ("\r\n\r\nHTTP/1.1 200 OK\r\n", .statusLine),
            ("\u{FEFF}HTTP/1.1 200 OK\r\n", .statusLine), ("HTTP/1.1 200 OK\r\n ", .foldedLine),
            ("HTTP/1.1 200 OK\r\n\t", .foldedLine), ("HTTP/1.1 200 OK\r\n \r\n", .foldedLine),
            ("HTTP/1.1 200 OK\r\n \tA: b\r\n", .foldedLine), ("HTTP/1.1 200 OK\n", .lineEnd),
            ("HTTP/1.1 200 OK\r", .lineEnd), ("HTTP/1.1 200 OK\r\r\n", .lineEnd),
        ]) { "\($0)Content-Length: 0\r\n\r\n" }
    }

    @Test
    func `What cannot become a response is refused before its line ends`() throws {
        var parser = ResponseParser()
        var offset = 0
        let bytes = Array("SSH-2.0".utf8)
        #expect(throws: ResponseDefect.statusLine) { try parser.next(bytes.span, &offset) }
    }

    @Test
    func `Field lines have a token, a colon and a value without control characters (section 5)`() {
        Self.check([
            ("A: b", nil), ("A:b", nil), ("A:", nil), ("A:   ", nil), ("A: b\tc", nil), ("A: \u{4E2D}", nil),
            ("!#$%&'*+-.^_`|~09AZaz: b", nil), ("A: b:c", nil), (": b", .fieldName), ("A b: c", .fieldName),
            ("A : b", .fieldName), ("A\t: b", .fieldName), ("\u{E9}: b", .fieldName), ("A", .fieldName),
            ("A(b): c", .fieldName), ("A\0: b", .fieldName), ("A: b\0", .fieldValue), ("A: b\u{7F}", .fieldValue),
            ("A: b\u{1}", .fieldValue), ("A: b\rc", .lineEnd), ("A: b\nB: c", .lineEnd), ("A: b\r\r", .lineEnd),
            (" A: b", .foldedLine), ("A: b\r\n c", nil), ("A: b\r\n\tc", nil), ("A: b\r\n c\0", .fieldValue),
            ("A: b\r\n c\n", .lineEnd), ("Connection: a\r\n b", .foldedLine),
            ("Transfer-Encoding:\r\n chunked", .foldedLine), ("Content-Length:\r\n 2", .foldedLine),
            ("Proxy-Connection: a\r\n\tb", .foldedLine),
        ]) { "HTTP/1.1 200 OK\r\n\($0)\r\nContent-Length: 0\r\n\r\n" }
        #expect(Self.verdict("HTTP/1.1 200 OK\nContent-Length: 0\n\n") == .refused(.lineEnd))
        #expect(Self.verdict("HTTP/1.1 200 OK\r\n\n") == .refused(.lineEnd))
        #expect(Self.verdict("HTTP/1.1 200 OK\r\n\r\r\n") == .refused(.lineEnd))
    }

    @Test
    func `White space around values is no part of them (section 5.1)`() {
        let verdict = Self.verdict("HTTP/1.1 204 No\r\nA:  \t b c \t \r\nB:\r\nA: d\r\n\r\n")
        #expect(verdict == .response(heads: [["1.1 204", "A: b c", "B: ", "A: d"]], body: []))
    }

    @Test
    func `A line that goes on in the next one is one, with spaces for the break (section 5.2)`() {
        let verdict = Self.verdict(
            "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\t \r\n  d\r\nB:\r\n e\r\nContent-Length: 0\r\n\r\n"
        )
        #expect(
            verdict == .response(heads: [["1.1 200", "A: b   c  \t     d", "B: e", "Content-Length: 0"]], body: [])
        )
        #expect(
            Self.verdict("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n c\r\n\r\n").isResponse
        )
        // Each costs what a field does.
        let folds = String(repeating: "\r\n a", count: 300)
        #expect(Self.verdict("HTTP/1.1 200 OK\r\nA: b\(folds)\r\n\r\n") == .refused(.headTooLarge))
    }

    @Test
    func `A Content-Length is one number in range (section 6.2)`() {
        Self.check([
            ("Content-Length: 2", nil), ("content-LENGTH:2", nil), ("Content-Length:  2 ", nil),
            ("Content-Length: 002", nil), ("Content-Length: +2", .contentLength),
            ("Content-Length: -2", .contentLength),
            ("Content-Length: 2.0", .contentLength), ("Content-Length: 0x2", .contentLength),
            ("Content-Length: 2 2", .contentLength), ("Content-Length: 2, 2", nil),
            ("Content-Length: 2,2 ,2", nil), ("Content-Length: 2, 02", .conflictingLengths),
            ("Content-Length: 2, 3", .conflictingLengths),
            ("Content-Length: 2,", .contentLength), ("Content-Length: ,2", .contentLength),
            ("Content-Length: 2,,2", .contentLength), ("Content-Length: 2\t,2", .contentLength),
            ("Content-Length:", .contentLength), ("Content-Length: 9223372036854775808", .contentLength),
            ("Content-Length: 18446744073709551618", .contentLength), ("Content-Length: 2\t", .contentLength),
            ("Content-Length: 2\r\nContent-Length: 2", nil),
            ("Content-Length: 2, 2\r\nContent-Length: 3", .conflictingLengths),
            ("Content-Length: 2\r\nContent-Length: 1", .conflictingLengths),
            ("Content-Length: 2\r\nTransfer-Encoding: chunked", .conflictingLengths),
            ("Transfer-Encoding: chunked\r\nContent-Length: 2", .conflictingLengths),
        ]) { "HTTP/1.1 200 OK\r\n\($0)\r\n\r\nab" }
    }

    @Test
    func `The only transfer coding is chunked, once and alone (section 6.1)`() {
        Self.check([
            ("chunked", nil), ("CHUNKED", nil), ("  chunked ", nil), ("chunked\t", .transferCoding),
            ("gzip, chunked", .transferCoding),
            ("chunked, chunked", .transferCoding), ("chunked, gzip", .transferCoding), ("gzip", .transferCoding),
            ("identity", .transferCoding), ("", .transferCoding), ("chunked,", .transferCoding),
            ("chunked;a=b", .transferCoding), ("xchunked", .transferCoding), ("chunke", .transferCoding),
            ("chunked\r\nTransfer-Encoding: chunked", .transferCoding),
            ("\u{B}chunked", .fieldValue),
        ]) { "HTTP/1.1 200 OK\r\nTransfer-Encoding: \($0)\r\n\r\n1\r\na\r\n0\r\n\r\n" }
        let old = "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        #expect(Self.verdict(old) == .refused(.transferCoding))
    }

    @Test
    func `Responses to HEAD and those with 204 and 304 have no body (section 6.3)`() {
        #expect(Self.body("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", isHead: true) == "")
        #expect(Self.body("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", isHead: true) == "")
        #expect(Self.body("HTTP/1.1 200 OK\r\n\r\n", isHead: true) == "")
        #expect(Self.body("HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\nabcde") == "")
        #expect(Self.body("HTTP/1.1 304 No\r\nContent-Length: 5\r\n\r\n") == "")
        #expect(Self.body("HTTP/1.1 304 No\r\nTransfer-Encoding: chunked\r\n\r\n") == "")
    }

    @Test
    func `A body without a length lasts until the connection ends (section 6.3)`() {
        #expect(Self.body("HTTP/1.1 200 OK\r\n\r\nabc") == "abc")
        #expect(Self.body("HTTP/1.0 200 OK\r\n\r\n") == "")
        #expect(Self.body("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc") == "abc")
        #expect(Self.verdict("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabc") == .refused(nil))
        #expect(Self.verdict("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n") == .refused(nil))
        #expect(Self.verdict("") == .refused(nil))
    }

    @Test
    func `Chunks have a hexadecimal size, their data and nothing else (section 7.1)`() {
        #expect(
            Self.body("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n")
                == "abc0123456789"
        )
        Self.check([
            ("1\r\na\r\n0", nil), ("001\r\na\r\n000", nil), ("\r\n0", .chunkSize), ("g\r\n0", .chunkSize),
            ("-1\r\na\r\n0", .chunkSize), ("0x1\r\na\r\n0", .chunkSize), (" 1\r\na\r\n0", .chunkSize),
            ("1 \r\na\r\n0", .chunkExtension), ("1\na\r\n0", .lineEnd), ("1\ra\r\n0", .lineEnd),
            ("1\r\nab\r\n0", .chunkEnd),
            ("2\r\na\r\n0", .chunkEnd), ("1\r\na0", .chunkEnd), ("1\r\na\n0", .chunkEnd), ("1\r\na\r0", .chunkEnd),
            ("FFFFFFFFFFFFFFFF\r\na\r\n0", .chunkSize), ("8000000000000000\r\na\r\n0", .chunkSize),
            ("10000000000000001\r\na\r\n0", .chunkSize),
            (String(repeating: "0", count: 20_000) + "1\r\na\r\n0", .chunkExtension),
        ]) { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\($0)\r\n\r\n" }
        let cut = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        for end in [
            "", "3", "3\r\n", "3\r\nab", "3\r\nabc", "3\r\nabc\r\n", "3\r\nabc\r\n0\r\n", "0\r\nA: b\r\n", "0;a",
        ] {
            #expect(Self.verdict(cut + end) == .refused(nil), "\(end.debugDescription)")
        }
    }

    @Test
    func `Extensions of chunks are read strictly, and dropped (section 7.1.1)`() {
        Self.check([
            (";a", nil), (";a=b", nil), (";a=\"b c\"", nil), (";a=\"\\\"\";b", nil), (";a;b=c;d", nil),
            (";", .chunkExtension),
            ("; a", nil), (";a =b", nil), (";a= b", nil), (" ;a=b", nil), ("\t; \ta\t=\t\"b\" ;c", nil),
            (";a ", .chunkExtension), (";a=b ", .chunkExtension), (";a b", .chunkExtension),
            (";a=b c", .chunkExtension),
            (" ", .chunkExtension), (" a", .chunkExtension), (" ;", .chunkExtension), (";a=", .chunkExtension),
            (";=b", .chunkExtension), (";;a", .chunkExtension), (";a=\"b", .chunkExtension),
            (";a=\"b\"c", .chunkExtension), (";a\n", .chunkExtension),
            (";" + String(repeating: "a", count: 20_000), .chunkExtension),
        ]) { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\($0)\r\na\r\n0\($0)\r\n\r\n" }
    }

    @Test
    func `Trailers are read like fields, and dropped (section 7.1.2)`() {
        Self.check([
            ("A: b\r\n", nil), ("A: b\r\nC:\r\n", nil), ("A b\r\n", .fieldName), (" A: b\r\n", .foldedLine),
            ("A: b\0\r\n", .fieldValue), ("A: " + String(repeating: "\u{301}", count: 300) + "\r\n", .fieldValue),
            ("A: é" + String(repeating: "\u{301}", count: 200) + "\r\n", nil), ("A: b\n", .lineEnd),
            ("Content-Length: 3\r\n", .trailers),
            ("Transfer-Encoding: chunked\r\n", .trailers),
            ("A: " + String(repeating: "b", count: 20_000) + "\r\n", .trailers),
        ]) { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\($0)\r\n" }
    }

    @Test
    func `Interim responses come before the response, up to a limit (RFC 9110, section 15.2)`() {
        let end = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        let hint = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
        #expect(
            Self.verdict("HTTP/1.1 100 Continue\r\n\r\n" + hint + end)
                == .response(
                    heads: [["1.1 100"], ["1.1 103", "Link: </a>"], ["1.1 200", "Content-Length: 0"]],
                    body: []
                )
        )
        #expect(Self.verdict(String(repeating: hint, count: 32) + end).isResponse)
        #expect(Self.verdict(String(repeating: hint, count: 33) + end) == .refused(.tooManyInterimResponses))
        #expect(Self.verdict("HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n" + end) == .refused(.unexpectedUpgrade))
        #expect(
            Self.verdict("HTTP/1.1 103 Hints\r\nConnection: close\r\n\r\n" + end) == .refused(.closedByInterimResponse)
        )
    }

    @Test
    func `A head has limits`() {
        let fields = (0..<256).map { "A\($0): b\r\n" }.joined()
        #expect(Self.verdict("HTTP/1.1 204 No\r\n\(fields)\r\n").isResponse)
        #expect(Self.verdict("HTTP/1.1 204 No\r\n\(fields)Z: z\r\n\r\n") == .refused(.headTooLarge))
        let long = String(repeating: "b", count: 128 << 10)
        #expect(Self.verdict("HTTP/1.1 204 No\r\nA: \(long)\r\n\r\n") == .refused(.headTooLarge))
        #expect(Self.verdict("HTTP/1.1 204 No\r\nA: \(long)") == .refused(.headTooLarge))
        #expect(Self.verdict("HTTP/1.1 204 \(long)") == .refused(.headTooLarge))
    }

    @Test(arguments: [
        ("HTTP/1.1", "", true), ("HTTP/1.1", "Connection: close", false), ("HTTP/1.1", "connection: CLOSE", false),
        ("HTTP/1.1", "Connection: keep-alive", true), ("HTTP/1.1", "Connection: x, close ,y", false),
        ("HTTP/1.1", "Connection: closed", true), ("HTTP/1.1", "Proxy-Connection: close", false),
        ("HTTP/1.1", "Connection: keep-alive\r\nConnection: close", false), ("HTTP/1.0", "", false),
        ("HTTP/1.0", "Connection: Keep-Alive", true), ("HTTP/1.0", "Connection: keep-alive\t", false),
        ("HTTP/1.1", "Connection: close\t", false), ("HTTP/1.0", "Connection: keep-alive, close", false),
    ])
    func `A connection is kept as its version and Connection say (section 9.3)`(
        version: String,
        field: String,
        isKept: Bool
    ) throws {
        var parser = ResponseParser()
        var offset = 0
        let line = field.isEmpty ? "" : field + "\r\n"
        let bytes = Array("\(version) 200 OK\r\n\(line)Content-Length: 0\r\n\r\n".utf8)
        #expect(try parser.next(bytes.span, &offset) == .head)
        #expect(parser.keepsConnection == isKept)
    }

    @Test
    func `Bytes behind a response are left alone`() throws {
        var parser = ResponseParser()
        var offset = 0
        let bytes = Array("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 500 Evil\r\n\r\n".utf8)
        #expect(try parser.next(bytes.span, &offset) == .head)
        #expect(try parser.next(bytes.span, &offset) == .body(38..<39))
        #expect(try parser.next(bytes.span, &offset) == .end)
        #expect(try parser.next(bytes.span, &offset) == .end)
        #expect(offset == 39)
    }

    @Test
    func `Each defect has words of its own`() {
        #expect(Set(ResponseDefect.allCases.map(\.description)).count == ResponseDefect.allCases.count)
    }

    @Test
    func `The parser refuses what llhttp refuses, and reads what llhttp reads`() {
        var comparison = ParserComparison()
        for seed in 1...4_000 {
            comparison.compare(seed: UInt64(seed))
        }
        #expect(comparison.differences == [])
        #expect(comparison.acceptedCount > 500)
        #expect(comparison.refusedCount > 500)
    }
}
