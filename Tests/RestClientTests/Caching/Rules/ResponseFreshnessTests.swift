// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SeededRandom
import Testing

@testable import RestClient

/// RFC 9111, section 4.2.
@Suite
struct ResponseFreshnessTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private static func date(_ offset: Double) -> String {
        HTTPDate.text(now.addingTimeInterval(offset))
    }

    private func freshness(_ headers: HTTPFields, _ code: Int = 200) -> ResponseFreshness {
        ResponseFreshness(
            status: .init(code: code),
            headers: headers,
            control: CacheControl(headers),
            responseTime: Self.now
        )
    }

    @Test(
        arguments: [
            ([.cacheControl: "max-age=60"], 60, .maxAge),
            ([.cacheControl: "max-age=60", .expires: date(-100)], 60, .maxAge),
            ([.cacheControl: "max-age=0", .expires: date(100)], 0, .maxAge),
            ([.cacheControl: "max-age=x", .expires: date(100), .lastModified: date(-1_000)], 0, .none),
            ([.cacheControl: "s-maxage=60"], 0, .none),
            ([.cacheControl: "s-maxage=60", .expires: date(10), .date: date(0)], 10, .expires),
            ([.expires: date(100), .date: date(0)], 100, .expires),
            ([.expires: date(100), .date: date(40)], 60, .expires),
            ([.expires: date(100)], 100, .expires),
            ([.expires: date(100), .date: "foo"], 100, .expires),
            ([.expires: date(300), .date: date(400)], 0, .expires),
            ([.expires: date(0), .date: date(0)], 0, .expires),
            ([.expires: "0", .date: date(0)], 0, .none),
            ([.expires: "-1", .lastModified: date(-1_000)], 0, .none),
            ([.lastModified: date(-1_000), .date: date(0)], 100, .heuristic),
            ([.lastModified: date(-1_000)], 100, .heuristic),
            ([.lastModified: date(-10_000_000)], 86_400, .heuristic),
            ([.lastModified: date(10)], 0, .none),
            ([.lastModified: date(0), .date: date(0)], 0, .none),
            ([.lastModified: date(-1), .date: date(0)], 0.1, .heuristic),
            ([.lastModified: "yesterday"], 0, .none),
            ([:], 0, .none),
        ] as [(HTTPFields, Double, ResponseFreshness.Basis)]
    )
    func `RFC 9111, 4.2.1: max-age comes before Expires, and that before a guess`(
        headers: HTTPFields,
        seconds: Double,
        basis: ResponseFreshness.Basis
    ) {
        #expect(freshness(headers) == ResponseFreshness(lifetime: .seconds(seconds), basis: basis))
    }

    @Test
    func `RFC 9111, 5.3: an Expires that comes twice is none, and lies in the past`() {
        var headers: HTTPFields = [.date: Self.date(0)]
        headers.append(HTTPField(name: .expires, value: Self.date(100)))
        headers.append(HTTPField(name: .expires, value: Self.date(200)))
        #expect(freshness(headers).lifetime == .zero)
    }

    @Test(arguments: [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501])
    func `RFC 9110, 15.1: these statuses may be guessed about`(code: Int) {
        #expect(freshness([.lastModified: Self.date(-1_000)], code).lifetime == .seconds(100))
    }

    @Test(arguments: [201, 202, 302, 303, 307, 400, 401, 403, 429, 500, 502, 503, 504, 599])
    func `RFC 9111, 4.2.2: others may not, unless they are public`(code: Int) {
        let headers: HTTPFields = [.lastModified: Self.date(-1_000)]
        #expect(freshness(headers, code).lifetime == .zero)
        #expect(freshness([.lastModified: Self.date(-1_000), .cacheControl: "public"], code).lifetime == .seconds(100))
    }

    @Test(
        arguments: [
            ([.date: date(0)], 0, 0, 0),
            ([.date: date(0)], 0, 30, 30),
            ([.date: date(-50)], 0, 30, 80),
            ([.date: date(50)], 0, 30, 30),
            ([.age: "20"], 0, 30, 50),
            ([.age: "20", .date: date(-50)], 0, 30, 80),
            ([.age: "60", .date: date(-50)], 0, 30, 90),
            ([.age: "20"], 4, 30, 54),
            ([:], 4, 30, 34),
            ([.age: "7200, 0"], 0, 0, 7_200),
            ([.age: "0, 7200"], 0, 0, 0),
            ([.age: "abc"], 0, 5, 5),
            ([.age: "-7200"], 0, 5, 5),
            ([.age: "7200.0"], 0, 5, 5),
            ([.age: "2147483648"], 0, 5, 2_147_483_653),
        ] as [(HTTPFields, Double, Double, Int)]
    )
    func `RFC 9111, 4.2.3: the age is what the server, the way and the store add up to`(
        headers: HTTPFields,
        delay: Double,
        resident: Double,
        age: Int
    ) {
        let found = ResponseFreshness.age(
            of: headers,
            requestTime: Self.now.addingTimeInterval(-delay),
            responseTime: Self.now,
            now: Self.now.addingTimeInterval(resident)
        )
        #expect(found == .seconds(age))
    }

    @Test
    func `RFC 9111, 5.1: of several lines of Age the first counts`() {
        var headers: HTTPFields = [:]
        headers.append(HTTPField(name: .age, value: "7200"))
        headers.append(HTTPField(name: .age, value: "0"))
        let age = ResponseFreshness.age(of: headers, requestTime: Self.now, responseTime: Self.now, now: Self.now)
        #expect(age == .seconds(7_200))
    }

    @Test
    func `the age is never negative with any clocks, and grows with time`() {
        var generator = SeededGenerator(seed: 1)
        func offset() -> Double { Double(Int.random(in: -1_000_000...1_000_000, using: &generator)) }
        for _ in 0..<3_000 {
            var headers: HTTPFields = [:]
            if Bool.random(using: &generator) { headers[.date] = Self.date(offset()) }
            if Bool.random(using: &generator) { headers[.age] = String(Int(offset())) }
            let requestTime = Self.now.addingTimeInterval(offset())
            let responseTime = Self.now.addingTimeInterval(offset())
            let now = Self.now.addingTimeInterval(offset())
            let age = ResponseFreshness.age(
                of: headers,
                requestTime: requestTime,
                responseTime: responseTime,
                now: now
            )
            let later = ResponseFreshness.age(
                of: headers,
                requestTime: requestTime,
                responseTime: responseTime,
                now: now.addingTimeInterval(10)
            )
            #expect(age >= .zero)
            #expect(later >= age)
        }
    }
}
