// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SeededRandom
import Testing

@testable import RestClient

@Suite
struct StoredRowTests {
    private static let secret = CacheSecret(bytes: Data(repeating: 7, count: 32))

    private static func head(_ headers: HTTPFields = [.eTag: #""1""#, .contentType: "text/plain"]) -> StoredHead {
        StoredHead(
            bodyID: 0x0123_4567_89AB_CDEF,
            status: .created,
            headers: headers,
            method: .get,
            requestURL: "https://example.com/é",
            url: "https://example.com/other",
            requestTime: Date(timeIntervalSince1970: 1_800_000_000.25),
            responseTime: Date(timeIntervalSince1970: 1_800_000_001.5),
            selecting: SelectingFields([.init(name: "accept", value: ""), .init(name: "foo", value: nil)]),
            requestedRange: "bytes=0-1",
            limit: Date(timeIntervalSince1970: 1_900_000_000),
            isInvalidated: true,
            isDecodable: false
        )
    }

    private func encoded(_ row: StoredRow, secret: CacheSecret = secret, key: String = "k") throws -> Data {
        try row.encoded(with: secret, key: key)
    }

    private func decoded(_ bytes: Data, secret: CacheSecret = secret, key: String = "k") -> StoredRow? {
        StoredRow(decoding: bytes, with: secret, key: key)
    }

    @Test
    func `a row is read as it was written`() throws {
        #expect(try decoded(encoded(.response(Self.head()))) == .response(Self.head()))
        #expect(try decoded(encoded(.pointer([["a", "b"], ["c"]]))) == .pointer([["a", "b"], ["c"]]))
        var bare = Self.head([:])
        bare.url = nil
        bare.limit = nil
        bare.changedAt = Date(timeIntervalSince1970: 1_850_000_000)
        bare.requestedRange = nil
        bare.selecting = SelectingFields([])
        #expect(try decoded(encoded(.response(bare))) == .response(bare))
    }

    @Test
    func `bytes that are not UTF-8 come back`() throws {
        let tag = HTTPField(name: .eTag, value: [0x22, 0xE9, 0x22] as [UInt8])
        let head = Self.head(HTTPFields([tag, HTTPField(name: .setCookie, value: [0x61, 0xFF] as [UInt8])]))

        #expect(try decoded(encoded(.response(head))) == .response(head))
    }

    @Test
    func `a selecting field is read as it was written, whatever its value begins with`() throws {
        var head = Self.head()
        head.selecting = SelectingFields([.init(name: "foo", value: "\u{301}x")])
        #expect(try decoded(encoded(.response(head))) == .response(head))
    }

    @Test
    func `a session lies in the row, but not for everyone to read`() throws {
        let head = Self.head([.setCookie: "session=t0psecret", .eTag: "x"])
        let bytes = try encoded(.response(head))
        #expect(bytes.firstRange(of: Data("t0psecret".utf8)) == nil)
        #expect(decoded(bytes) == .response(Self.head([.eTag: "x", .setCookie: "session=t0psecret"])))
    }

    @Test
    func `a URL that holds a secret is sealed`() throws {
        var head = Self.head()
        head.requestURL = "https://example.com/a?token=t0psecret"
        head.url = "https://example.com/b?api_key=t0psecret"
        let bytes = try encoded(.response(head))
        #expect(bytes.firstRange(of: Data("t0psecret".utf8)) == nil)
        #expect(decoded(bytes) == .response(head))
    }

    @Test
    func `without the secret, or in another row, the rest is read and the session is gone`() throws {
        let bytes = try encoded(.response(Self.head([.setCookie: "session=1", .eTag: "x"])))
        let other = CacheSecret(bytes: Data(repeating: 8, count: 32))
        #expect(decoded(bytes, secret: other) == .response(Self.head([.eTag: "x"])))
        #expect(decoded(bytes, key: "other") == .response(Self.head([.eTag: "x"])))
    }

    @Test
    func `a row is marked as invalid, with the time of the latest invalidation`() throws {
        let (first, second) = (Date(timeIntervalSince1970: 1_850_000_000), Date(timeIntervalSince1970: 1_850_000_009))
        var head = Self.head()
        head.isInvalidated = false
        let marked = try #require(StoredRow.invalidated(encoded(.response(head)), at: first))
        head.isInvalidated = true
        head.changedAt = first
        #expect(marked.wasValid)
        #expect(decoded(marked.bytes) == .response(head))
        let again = try #require(StoredRow.invalidated(marked.bytes, at: second))
        head.changedAt = second
        #expect(!again.wasValid)
        #expect(decoded(again.bytes) == .response(head))
        #expect(try StoredRow.invalidated(encoded(.pointer([["a"]])), at: first) == nil)
        for bytes in [Data(), Data([2, 0]), Data([2, 16]) + Data(repeating: 0, count: 30)] {
            #expect(StoredRow.invalidated(bytes, at: first) == nil)
        }
    }

    @Test(
        arguments: [
            (0, nil, 1, nil, true), (1, nil, 0, nil, false), (0, 2, 1, nil, false), (0, 1, 2, nil, true),
            // Of the same time, by their dates.
            (1, nil, 1, nil, true), (1, nil, 1, -5, false), (1, nil, 1, 5, true),
            // Before the clock was set back.
            (100, nil, 1, nil, true), (0, 100, 1, nil, true),
        ] as [(TimeInterval, TimeInterval?, TimeInterval, TimeInterval?, Bool)]
    )
    func `nothing older replaces something newer`(
        requested: TimeInterval,
        changed: TimeInterval?,
        otherRequested: TimeInterval,
        otherDate: TimeInterval?,
        isReplaceable: Bool
    ) throws {
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        var (stored, other) = (Self.head([.date: HTTPDate.text(start)]), Self.head())
        stored.requestTime = start + requested
        stored.changedAt = changed.map { start + $0 }
        other.requestTime = start + otherRequested
        other.headers[.date] = otherDate.map { HTTPDate.text(start + $0) }

        #expect(stored.isReplaceable(by: other, now: start + 10) == isReplaceable)
    }

    /// A `Date` counts from 2001, and is finer than the seconds since 1970 that a row keeps.
    @Test(arguments: 0..<8)
    func `the response to the request that changed a resource replaces the former one`(tick: Int) throws {
        let secret = CacheSecret.random()
        let time = Date(timeIntervalSinceReferenceDate: 800_000_000 + Double(tick) * 0x1p-23)
        let bytes = try StoredRow.response(Self.head()).encoded(with: secret, key: "k")
        let changed = try #require(StoredRow.invalidated(bytes, at: time)).bytes
        guard case .response(let stored) = StoredRow(decoding: changed, with: secret, key: "k") else {
            Issue.record("the row cannot be read")
            return
        }
        var other = Self.head()
        other.requestTime = time

        #expect(stored.isReplaceable(by: other, now: time + 1))
    }

    /// Each is the time of the request and that of the last change, such as a confirmation.
    @Test(
        arguments: [
            ((3, nil), (1, 4), true), ((3, nil), (1, 2), false), ((0, 5), (1, 4), false), ((0, 5), (1, 6), true),
            ((0, 5), (6, nil), true), ((4, 2), (3, nil), false), ((4, 2), (3, 1), false), ((0, 5), (1, 5), true),
            // Before the clock was set back.
            ((0, 11), (1, 4), true),
        ] as [((TimeInterval, TimeInterval?), (TimeInterval, TimeInterval?), Bool)]
    )
    func `what was changed later is newer, whenever it was requested`(
        stored: (TimeInterval, TimeInterval?),
        other: (TimeInterval, TimeInterval?),
        isReplaceable: Bool
    ) {
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        func head(_ times: (TimeInterval, TimeInterval?)) -> StoredHead {
            var head = Self.head()
            head.requestTime = start + times.0
            head.changedAt = times.1.map { start + $0 }
            return head
        }

        #expect(head(stored).isReplaceable(by: head(other), now: start + 10) == isReplaceable)
    }

    @Test
    func `a row that is cut anywhere is none, and no trap`() throws {
        for row in [StoredRow.response(Self.head()), .pointer([["a"]])] {
            let bytes = try encoded(row)
            for length in 0..<bytes.count {
                let cut = decoded(bytes.prefix(length))
                #expect(cut != row)
            }
        }
    }

    @Test
    func `bytes of any other origin are no trap`() throws {
        var generator = SeededGenerator(seed: 7)
        let valid = try encoded(.response(Self.head([.setCookie: "a", .eTag: "b"])))
        for _ in 0..<3_000 {
            let count = Int.random(in: 0..<96, using: &generator)
            var bytes = Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
            if Bool.random(using: &generator) {
                bytes = valid
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            } else if !bytes.isEmpty {
                bytes[0] = 2
            }
            _ = decoded(bytes)
            _ = StoredRow.invalidated(bytes, at: .distantFuture)
        }
        #expect(decoded(Data([1, 200, 0, 0, 0, 0, 0])) == nil)
    }

    @Test
    func `a slice of other bytes is read from its own start`() throws {
        let bytes = try Data([9, 9, 9]) + encoded(.response(Self.head()))
        #expect(decoded(bytes.dropFirst(3)) == .response(Self.head()))
    }

    @Test
    func `a time that no calendar reaches is no time`() throws {
        var writer = ByteWriter()
        for seconds in [Double.nan, .infinity, -.infinity, 1e300] {
            writer.append(seconds.bitPattern)
        }
        var reader = ByteReader(writer.data)
        for _ in 0..<4 {
            #expect(reader.date() == nil)
        }
        #expect(reader.isAtEnd)
    }
}
