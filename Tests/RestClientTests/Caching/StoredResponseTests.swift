// SPDX-License-Identifier: MIT

import HTTPTypes
import Testing

@testable import RestClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite
struct StoredResponseTests {
    private static let head = StoredResponse(
        status: .created,
        url: "https://example.com/é",
        headers: [.eTag: #""1""#, .contentType: "text/plain", .acceptLanguage: ""]
    )

    @Test
    func `a head is read as it was written`() {
        #expect(StoredResponse(decoding: Self.head.encoded()) == Self.head)
        let bare = StoredResponse(status: .ok, url: nil, headers: [:])
        #expect(StoredResponse(decoding: bare.encoded()) == bare)
    }

    @Test
    func `a session that a server opened is not stored`() throws {
        let head = StoredResponse(status: .ok, url: nil, headers: [.setCookie: "session=1", .eTag: "x"])
        let read = try #require(StoredResponse(decoding: head.encoded()))
        #expect(read.headers == [.eTag: "x"])
    }

    @Test
    func `a head that is cut anywhere is none, and no trap`() {
        let bytes = Self.head.encoded()
        for length in 0..<bytes.count {
            let cut = StoredResponse(decoding: bytes.prefix(length))
            #expect(cut == nil || cut?.headers.count ?? 0 < Self.head.headers.count)
        }
    }

    @Test
    func `bytes of any other origin are no trap`() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<2_000 {
            let count = Int.random(in: 0..<64, using: &generator)
            var bytes = Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
            if Bool.random(using: &generator), !bytes.isEmpty {
                bytes[0] = 1
            }
            _ = StoredResponse(decoding: bytes)
        }
        #expect(StoredResponse(decoding: Data()) == nil)
        #expect(StoredResponse(decoding: Data([2, 200, 0, 0, 0, 0, 0])) == nil)
        #expect(StoredResponse(decoding: Data([1, 200, 0, 255, 255, 255, 255])) == nil)
        #expect(StoredResponse(decoding: Data([1, 0, 0, 0, 0, 0, 0])) == nil)
    }

    @Test
    func `a slice of other bytes is read from its own start`() {
        let bytes = Data([9, 9, 9]) + Self.head.encoded()
        #expect(StoredResponse(decoding: bytes.dropFirst(3)) == Self.head)
    }
}
