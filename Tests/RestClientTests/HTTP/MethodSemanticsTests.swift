// SPDX-License-Identifier: MIT

import HTTPTypes
import Testing

@testable import RestClient

@Suite
struct MethodSemanticsTests {
    private func method(_ name: String) throws -> HTTPRequest.Method {
        try #require(HTTPRequest.Method(rawValue: name))
    }

    @Test(arguments: ["GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "REPORT", "SEARCH", "QUERY"])
    func `a safe method is idempotent`(name: String) throws {
        #expect(try method(name).isSafe)
        #expect(try method(name).isIdempotent)
    }

    @Test(arguments: [("PUT", true), ("DELETE", true), ("POST", false), ("PATCH", false), ("LOCK", false)])
    func `an unsafe method may be idempotent`(name: String, isIdempotent: Bool) throws {
        #expect(try !method(name).isSafe)
        #expect(try method(name).isIdempotent == isIdempotent)
    }

    @Test(arguments: [("GET", true), ("HEAD", true), ("QUERY", false), ("POST", false), ("OPTIONS", false)])
    func `only GET and HEAD are retrievals`(name: String, isRetrieval: Bool) throws {
        #expect(try method(name).isRetrieval == isRetrieval)
    }
}
