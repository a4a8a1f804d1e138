// SPDX-License-Identifier: MIT

import NIOHTTP1
import Testing

@testable import RestClient

@Suite
struct FramingRuleTests {
    private func defect(
        _ lines: [String],
        _ version: HTTPVersion = .http1_1,
        field: String = "Transfer-Encoding"
    ) -> String? {
        var headers = HTTPHeaders([("Content-Type", "text/plain"), ("X-Some-Other-Name", "gzip, foo")])
        for line in lines {
            headers.add(name: field, value: line)
        }
        return FramingRule.defect(of: HTTPResponseHead(version: version, status: .ok, headers: headers))
    }

    @Test(arguments: [[], ["chunked"], ["Chunked"], [" chunked "], [",chunked,"]])
    func `no coding, and chunked alone, frame a body`(lines: [String]) {
        #expect(defect(lines) == nil)
        #expect(defect(lines, field: "transfer-encoding") == nil)
    }

    @Test(arguments: [
        ["foo"], ["gzip"], ["identity"], ["gzip, chunked"], ["gzip", "chunked"], ["chunked, gzip"],
        ["chunked", "gzip"],
        ["chunked, chunked"], ["chunked", "chunked"], [""], ["xchunked"], ["chunked;q=1"], ["\"chunked\""],
    ])
    func `every other coding is a defect`(lines: [String]) {
        #expect(defect(lines) != nil)
        #expect(defect(lines, field: "TRANSFER-ENCODING") != nil)
    }

    @Test
    func `a coding in HTTP 1.0 is a defect`() {
        #expect(defect(["chunked"], .http1_0)?.contains("1.0") == true)
    }

    @Test
    func `the defect says that chunked must be last`() {
        #expect(defect(["chunked, gzip"])?.contains("last") == true)
        #expect(defect(["gzip, chunked"])?.contains("did not ask") == true)
        #expect(defect([String(repeating: "x", count: 500)])?.utf8.count ?? 0 < 200)
    }
}
