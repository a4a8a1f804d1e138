// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

/// RFC 9110, section 14.4.
@Suite
struct ContentRangeTests {
    @Test(arguments: [
        ("bytes 42-1233/1234", ContentRange.bytes(42..<1_234, of: 1_234)),
        ("bytes 42-1233/*", .bytes(42..<1_234, of: nil)),
        ("bytes */1234", .unsatisfied(of: 1_234)), ("bytes 0-0/1", .bytes(0..<1, of: 1)),
        ("BYTES */0", .unsatisfied(of: 0)),
        ("  bytes 0-1/2 ", .bytes(0..<2, of: 2)),
    ])
    func `a range is read`(value: String, expected: ContentRange) {
        #expect(ContentRange(value) == expected)
    }

    @Test(arguments: [
        "", "bytes", "bytes 0-1", "bytes 1-0/5", "bytes 0-5/5", "bytes */*", "bytes -1/5", "bytes 0-/5", "bytes 0-1/",
        "bytes=0-1/2", "items 0-1/2", "bytes 0-1/2/3", "bytes +0-1/2", "bytes 0-1/x", "bytes 0 - 1/2",
        "bytes 0-9223372036854775807/*", "bytes 0-99999999999999999999/*", "bytes ٠-١/٢",
    ])
    func `what is malformed or contradicts itself is none`(value: String) {
        #expect(ContentRange(value) == nil)
    }
}
