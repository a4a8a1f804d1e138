// SPDX-License-Identifier: MIT

import NIOCore
import Testing

@testable import TestSupport

@Suite
struct RequestExtentTests {
    private static let chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"

    private static func extent(_ text: String) -> RequestExtent? {
        RequestExtent(ByteBuffer(string: text).readableBytesView)
    }

    @Test(arguments: [
        ("5\r\nhello\r\n0\r\n\r\n", true), ("5;a=b\r\nhello\r\nA\r\n0123456789\r\n0\r\n\r\n", true),
        ("", false), ("5", false), ("5\r\n", false), ("5\r\nhell", false), ("5\r\nhello", false),
        ("5\r\nhello\r\n", false),
        ("5\r\nhello\r\n0\r\n", false), ("x\r\nhello\r\n0\r\n\r\n", false), ("0\r\n\r\n", true),
        ("7fffffffffffffff\r\nhello\r\n", false), ("ffffffffffffffffffff\r\nhello\r\n", false),
    ])
    func `a body in chunks ends behind the empty one`(body: String, isComplete: Bool) throws {
        let text = Self.chunked + body

        let extent = try #require(Self.extent(text))

        #expect(extent.end == (isComplete ? text.utf8.count : nil))
        #expect(extent.bodyCount == body.utf8.count)
        // The next request is no part of it.
        #expect(!isComplete || Self.extent(text + "GET")?.end == text.utf8.count)
    }

    @Test(arguments: [
        ("0", "", 0), ("3", "abc", 3), ("3", "abcde", 3), ("x", "", 0), ("-1000", "", 0), ("-1000", "abc", 0),
        ("-44", "", 0), ("-9223372036854775808", "", 0), ("99999999999999999999", "", 0),
    ])
    func `a body of a known length ends there`(length: String, body: String, count: Int) throws {
        let head = "POST / HTTP/1.1\r\nContent-Length: \(length)\r\n\r\n"

        #expect(try #require(Self.extent(head + body)).end == head.utf8.count + count)
        #expect(count == 0 || Self.extent(head + body.prefix(count - 1)).map { $0.end == nil } == true)
    }

    @Test
    func `a request without its whole head has no extent`() {
        #expect(Self.extent("GET / HTTP/1.1\r\nHost: h\r\n") == nil)
    }
}
