// SPDX-License-Identifier: MIT

import HTTPTypes
import SeededRandom
import Testing

@testable import RestClient

/// The use of a stored response: RFC 9111, section 4.
@Suite
struct CacheLookupTests {
    typealias Row = (stored: HTTPFields, age: Double, word: String)

    @Test(
        arguments: [
            ([.cacheControl: "max-age=60"], 0, "use"),
            ([.cacheControl: "max-age=60"], 59, "use"),
            ([.cacheControl: "max-age=60"], 60, "fetch stale"),
            ([.cacheControl: "max-age=60", .eTag: #""1""#], 60, "revalidate stale"),
            ([.cacheControl: "max-age=60", .lastModified: "x"], 60, "revalidate stale"),
            ([.cacheControl: "max-age=60", .age: "60"], 0, "fetch stale"),
            ([.cacheControl: "max-age=60"], -5, "fetch stale"),
            ([:], 0, "fetch stale"),
            ([.cacheControl: "no-cache, max-age=60"], 0, "fetch noCache"),
            ([.cacheControl: "no-cache", .eTag: #""1""#], 0, "revalidate noCache"),
            ([.cacheControl: #"no-cache="a", max-age=60"#], 0, "use"),
            ([.cacheControl: #"no-cache="set-cookie""#, .eTag: #""1""#], 0, "revalidate stale"),
            ([.cacheControl: "no-cache=a, max-age=60"], 0, "use"),
            ([.cacheControl: #"no-cache=" , ", max-age=60"#], 0, "fetch noCache"),
            ([.cacheControl: #"no-cache="a", no-cache, max-age=60"#], 0, "fetch noCache"),
            ([.cacheControl: "private, max-age=60"], 0, "use"),
            ([.cacheControl: #"private="a", max-age=60"#], 0, "use"),
            ([.cacheControl: "s-maxage=60, max-age=1"], 2, "fetch stale"),
            ([.cacheControl: "max-age=60, must-revalidate"], 0, "use"),
            ([.cacheControl: "max-age=60, stale-while-revalidate=30"], 90, "use and revalidate"),
            ([.cacheControl: "max-age=60, stale-while-revalidate=30"], 91, "fetch stale"),
            ([.cacheControl: "max-age=60, must-revalidate, stale-while-revalidate=30"], 70, "fetch stale"),
            ([.cacheControl: "max-age=60, stale-while-revalidate=x"], 70, "fetch stale"),
            ([.cacheControl: "max-age=60, stale-if-error=30"], 70, "fetch stale"),
        ] as [Row]
    )
    func `RFC 9111, 4.2 and 5.2.2, RFC 5861, 3: the response says for how long it is good`(row: Row) {
        #expect(CacheFixture.lookup(CacheFixture.stored(row.stored, age: row.age)).word == row.word)
    }

    @Test(
        arguments: [
            ("max-age=10", "max-age=60", 10, "use"),
            ("max-age=10", "max-age=60", 11, "revalidate requested"),
            ("max-age=0", "max-age=60", 0, "revalidate requested"),
            ("max-age=x", "max-age=60", 0, "revalidate requested"),
            ("max-age=0", "max-age=60, immutable", 30, "use"),
            ("max-age=0", "max-age=60, immutable", 60, "revalidate requested"),
            ("min-fresh=20", "max-age=60", 40, "use"),
            ("min-fresh=20", "max-age=60", 41, "revalidate requested"),
            ("min-fresh=20", "max-age=60, immutable", 41, "revalidate requested"),
            ("max-stale", "max-age=60", 1_000, "use stale"),
            ("max-stale=10", "max-age=60", 70, "use stale"),
            ("max-stale=10", "max-age=60", 71, "revalidate stale"),
            ("max-stale=x", "max-age=60", 61, "revalidate stale"),
            ("max-stale", "max-age=60, must-revalidate", 61, "revalidate stale"),
            ("max-stale", "max-age=60, no-cache", 61, "revalidate noCache"),
            ("no-cache", "max-age=60", 0, "revalidate requested"),
            ("no-cache", "max-age=60, immutable", 0, "revalidate requested"),
            ("no-store", "max-age=60", 0, "fetch bypassed"),
            ("only-if-cached", "max-age=60", 59, "use"),
            ("only-if-cached", "max-age=60", 60, "refuse stale"),
            ("only-if-cached, max-stale", "max-age=60", 60, "use stale"),
            ("only-if-cached", "max-age=60, stale-while-revalidate=30", 61, "refuse stale"),
        ] as [(String, String, Double, String)]
    )
    func `RFC 9111, 5.2.1: the request says what it accepts`(
        request: String,
        stored: String,
        age: Double,
        word: String
    ) {
        let stored = CacheFixture.stored([.cacheControl: stored, .eTag: #""1""#], age: age)
        #expect(CacheFixture.lookup(stored, [.cacheControl: request]).word == word)
    }

    @Test
    func `RFC 9111, 5.4: Pragma counts where Cache-Control is silent`() throws {
        let pragma = try #require(HTTPField.Name("Pragma"))
        let stored = CacheFixture.stored([.cacheControl: "max-age=60", .eTag: #""1""#])
        #expect(CacheFixture.lookup(stored, [pragma: "no-cache"]).word == "revalidate requested")
        #expect(CacheFixture.lookup(stored, [pragma: "no-cache", .cacheControl: "max-age=9"]).word == "use")
        #expect(CacheFixture.lookup(stored, [pragma: "other"]).word == "use")
    }

    @Test
    func `RFC 9111, 5.2.1.7: a cold cache refuses what may come only from it`() {
        #expect(CacheFixture.lookup(nil, [.cacheControl: "only-if-cached"]).word == "refuse absent")
        #expect(CacheFixture.lookup(nil).word == "fetch absent")
    }

    @Test
    func `RFC 9111, 4.4: what was made untrue is confirmed first`() {
        let stored = CacheFixture.stored([.cacheControl: "max-age=60", .eTag: #""1""#], isInvalidated: true)
        #expect(CacheFixture.lookup(stored).word == "revalidate invalidated")
        #expect(CacheFixture.lookup(stored, policy: .elseNetwork()).word == "revalidate invalidated")
        #expect(CacheFixture.lookup(stored, policy: .cacheOnly()).word == "refuse invalidated")
    }

    @Test
    func `RFC 9111, 4.3.2: a condition of the caller's own is judged here as long as the response is fresh`() {
        let headers: HTTPFields = [.cacheControl: "max-age=60", .eTag: #""1""#]
        func delivery(_ request: HTTPFields, _ age: Double = 0) -> CacheLookup {
            CacheFixture.lookup(CacheFixture.stored(headers, age: age), request)
        }
        guard case .use(let known) = delivery([.ifNoneMatch: #""1""#]),
            case .use(let other) = delivery([.ifNoneMatch: #""2""#])
        else {
            Issue.record("a fresh response is used")
            return
        }
        #expect(known.delivery == .confirmation)
        #expect(other.delivery == .whole)
        #expect(delivery([.ifMatch: #""1""#]).word == "fetch conditional")
        #expect(delivery([.ifNoneMatch: #""1""#], 60).word == "fetch stale")
    }

    @Test(
        arguments: [
            (.elseNetwork(), [:], 0, nil, "use"),
            (.elseNetwork(), [.cacheControl: "no-cache, max-age=0"], 1_000_000, nil, "use"),
            (.elseNetwork(maxAge: .seconds(60)), [:], 60, nil, "use"),
            (.elseNetwork(maxAge: .seconds(60)), [:], 60.5, nil, "fetch stale"),
            (.elseNetwork(maxAge: .seconds(60)), [.eTag: #""1""#], 61, nil, "revalidate stale"),
            (.elseNetwork(maxAge: .seconds(60)), [:], 10, 10, "fetch stale"),
            (.elseNetwork(), [:], 10, 10, "fetch stale"),
            (.elseNetwork(), [:], -1, nil, "fetch stale"),
            (.cacheOnly(), [:], 1_000_000, nil, "use"),
            (.cacheOnly(maxAge: .seconds(60)), [.eTag: #""1""#], 61, nil, "refuse stale"),
            (.networkOnly, [.cacheControl: "max-age=60"], 0, nil, "fetch bypassed"),
            (.reload, [.cacheControl: "max-age=60"], 0, nil, "fetch bypassed"),
            (.http, [:], 9, 10, "use"),
            (.http, [.cacheControl: "no-cache, max-age=0"], 9, 10, "use"),
            (.http, [.cacheControl: "max-age=60"], 10, 10, "fetch stale"),
            (.revalidate, [.cacheControl: "max-age=60", .eTag: #""1""#], 0, nil, "revalidate requested"),
            (.revalidate, [.cacheControl: "max-age=60, immutable", .eTag: #""1""#], 0, nil, "use"),
            (.revalidate, [.cacheControl: "max-age=1, stale-while-revalidate=60"], 2, nil, "fetch requested"),
        ] as [(CachePolicy, HTTPFields, Double, Double?, String)]
    )
    func `the application's own age and time to live come before the server's`(
        policy: CachePolicy,
        headers: HTTPFields,
        age: Double,
        timeToLive: Double?,
        word: String
    ) {
        let stored = CacheFixture.stored(headers, age: age, timeToLive: timeToLive)
        #expect(CacheFixture.lookup(stored, policy: policy).word == word)
    }

    @Test(
        arguments: [
            (.staleWhileRevalidate(), 0, nil, "use and revalidate"),
            (.staleWhileRevalidate(maxAge: .seconds(60)), 60, nil, "use"),
            (.staleWhileRevalidate(maxAge: .seconds(60)), 61, nil, "use and revalidate"),
            (.staleWhileRevalidate(maxAge: .seconds(60)), 10, 10, "use and revalidate"),
            (.thenNetwork, 0, nil, "revalidate requested"), (.networkElseCache(), 0, nil, "revalidate requested"),
        ] as [(CachePolicy, Double, Double?, String)]
    )
    func `a mode that asks the network too says when`(
        policy: CachePolicy,
        age: Double,
        timeToLive: Double?,
        word: String
    ) {
        let stored = CacheFixture.stored([.eTag: #""1""#], age: age, timeToLive: timeToLive)
        #expect(CacheFixture.lookup(stored, policy: policy).word == word)
        #expect(CacheFixture.lookup(nil, policy: policy).word == "fetch absent")
    }

    @Test(arguments: [CachePolicy.elseNetwork(), .cacheOnly(), .staleWhileRevalidate()])
    func `the application's modes deliver what is stored, whatever the caller's condition`(policy: CachePolicy) {
        let stored = CacheFixture.stored([.eTag: #""1""#])
        for condition: HTTPFields in [[.ifNoneMatch: #""1""#], [.ifMatch: #""1""#]] {
            guard case .use(let use) = CacheFixture.lookup(stored, condition, policy: policy) else {
                Issue.record("it is not used")
                return
            }
            #expect(use.delivery == .whole)
        }
    }

    @Test(
        arguments: [(nil, 1_000_000, true), (60, 60, true), (60, 61, false), (60, 0, true)] as [(Int?, Double, Bool)]
    )
    func `a response stands in for a failure up to the age that the policy accepts`(
        maxAge: Int?,
        age: Double,
        standsIn: Bool
    ) {
        let use = CacheEngine.standsIn(
            CacheFixture.stored([:], age: age),
            request: CacheFixture.request(),
            policy: .networkElseCache(maxAge: maxAge.map { .seconds($0) }),
            now: CacheFixture.now
        )
        #expect(use?.staleness == (standsIn ? .onFailure : nil))
        #expect(use?.delivery == (standsIn ? .whole : nil))
    }

    @Test
    func `nothing stored is asked for or refused`() {
        #expect(CacheFixture.lookup(nil, policy: .elseNetwork()).word == "fetch absent")
        #expect(CacheFixture.lookup(nil, policy: .cacheOnly()).word == "refuse absent")
        #expect(CacheFixture.lookup(nil, policy: .reload).word == "fetch bypassed")
    }

    @Test
    func `a response after redirects lives as long as the shortest-lived of them`() {
        let headers: HTTPFields = [.cacheControl: "max-age=60"]
        #expect(CacheFixture.lookup(CacheFixture.stored(headers, age: 9, limit: 10)).word == "use")
        #expect(CacheFixture.lookup(CacheFixture.stored(headers, age: 10, limit: 10)).word == "fetch stale")
    }

    @Test(
        arguments: [
            ("max-age=60, stale-if-error=30", "", 90, true, true),
            ("max-age=60, stale-if-error=30", "", 91, false, false),
            ("max-age=60", "", 61, false, true),
            ("max-age=60", "stale-if-error=30", 90, true, true),
            ("max-age=60", "stale-if-error=30", 91, false, false),
            ("max-age=60, must-revalidate, stale-if-error=30", "", 61, false, false),
            ("max-age=60, must-revalidate", "", 61, false, false),
            ("max-age=60, no-cache, stale-if-error=30", "", 61, false, false),
            ("max-age=60, stale-if-error=30", "no-cache", 61, false, false),
            ("max-age=60, stale-if-error=30", "stale-if-error=50", 110, true, true),
            ("max-age=60, stale-if-error=30", "", 0, true, true),
            ("max-age=60, stale-if-error=30", "", -1, false, false),
        ] as [(String, String, Double, Bool, Bool)]
    )
    func `RFC 9111, 4.2.4, RFC 5861, 4: a stale response stands in for a failing server where that is allowed`(
        stored: String,
        request: String,
        age: Double,
        standsInForFailing: Bool,
        standsInForDisconnected: Bool
    ) {
        for (isDisconnected, standsIn) in [(false, standsInForFailing), (true, standsInForDisconnected)] {
            let use = CacheEngine.standsInForFailure(
                CacheFixture.stored([.cacheControl: stored], age: age),
                request: CacheFixture.request([.cacheControl: request]),
                isDisconnected: isDisconnected,
                now: CacheFixture.now
            )
            #expect((use != nil) == standsIn)
        }
    }

    @Test
    func `what stands in for a failing server is a 304 for a caller that has it, and nothing once it is untrue`() {
        let headers: HTTPFields = [.cacheControl: "max-age=60, stale-if-error=30", .eTag: #""1""#]
        func delivery(_ request: HTTPFields, isInvalidated: Bool = false) -> CacheDelivery? {
            CacheEngine.standsInForFailure(
                CacheFixture.stored(headers, age: 61, isInvalidated: isInvalidated),
                request: CacheFixture.request(request),
                isDisconnected: true,
                now: CacheFixture.now
            )?
            .delivery
        }
        #expect(delivery([:]) == .whole)
        #expect(delivery([:], isInvalidated: true) == nil)
        #expect(delivery([.ifNoneMatch: #""1""#]) == .confirmation)
        #expect(delivery([.ifNoneMatch: #""2""#]) == .whole)
        #expect(delivery([.ifMatch: #""1""#]) == nil)
    }

    private static let first = #""1""#

    @Test(
        arguments: [
            (206, "bytes 0-4/10", [.range: "bytes=0-4"], .whole),
            (206, "bytes 0-4/10", [.range: "bytes=1-2"], .part(1..<3, contentRange: "bytes 1-2/10")),
            (206, "bytes 0-4/10", [.range: "bytes=1-2", .ifRange: first], .part(1..<3, contentRange: "bytes 1-2/10")),
            (206, "bytes 0-4/10", [.range: "bytes=1-2", .ifRange: #""2""#], nil),
            (206, "bytes 0-4/5", [:], .whole), (206, "bytes 0-4/10", [:], nil), (206, "bytes 1-5/6", [:], nil),
            (200, nil, [.range: "bytes=1-2"], .part(1..<3, contentRange: "bytes 1-2/5")),
            (200, nil, [.range: "bytes=1-2", .ifRange: #""2""#], .whole),
            (200, nil, [.range: "bytes=0-1,3-4"], nil), (200, nil, [.range: "bytes=7-"], nil), (200, nil, [:], .whole),
            (404, nil, [.range: "bytes=1-2"], .whole), (404, nil, [.ifNoneMatch: first], .whole),
            (206, "bytes 0-4/5", [.ifNoneMatch: first], .whole), (200, nil, [.ifNoneMatch: first], .confirmation),
        ] as [(Int, String?, HTTPFields, CacheDelivery?)]
    )
    func `RFC 9110, 13 and 14: a response is delivered whole, in part, as a 304, or not at all`(
        status: Int,
        contentRange: String?,
        request: HTTPFields,
        expected: CacheDelivery?
    ) {
        var headers: HTTPFields = [.eTag: Self.first]
        headers[.contentRange] = contentRange
        let delivery = CacheEngine.delivery(
            of: CacheFixture.stored(headers, status: status, body: "01234", requestedRange: "bytes=0-4"),
            for: CacheFixture.request(request),
            judgesConditions: true,
            now: CacheFixture.now
        )
        #expect(delivery == expected)
    }

    @Test
    func `only a GET without a range or condition completes a part`() {
        let part: HTTPFields = [.contentRange: "bytes 0-4/10", .eTag: #""1""#]
        let stored = CacheFixture.stored(part, status: 206, body: "01234")
        func word(_ headers: HTTPFields, _ method: HTTPRequest.Method = .get) -> String {
            CacheEngine.lookup(
                stored,
                request: CacheFixture.request(headers, method),
                policy: .http,
                now: CacheFixture.now
            )
            .word
        }
        #expect(word([:]) == "complete bytes=5-")
        #expect(word([:], .head) == "fetch partial")
        #expect(word([.range: "bytes=2-7"]) == "fetch partial")
        #expect(word([.ifNoneMatch: #""2""#]) == "fetch conditional")
        #expect(word([.cacheControl: "only-if-cached"]) == "refuse partial")
    }

    @Test
    func `RFC 9111, 3.4: a part serves what it holds, and is completed where that is safe`() {
        let part: HTTPFields = [.cacheControl: "max-age=60", .contentRange: "bytes 0-4/10", .eTag: #""1""#]
        let stored = CacheFixture.stored(part, status: 206, body: "01234", requestedRange: "bytes=0-4")
        #expect(CacheFixture.lookup(stored).word == "complete bytes=5-")
        #expect(CacheFixture.lookup(stored, [.range: "bytes=0-4"]).word == "use")
        #expect(CacheFixture.lookup(stored, [.range: "bytes=1-2"]).word == "use")
        #expect(CacheFixture.lookup(stored, [.range: "bytes=1-5"]).word == "fetch partial")
        #expect(CacheFixture.lookup(stored, [.range: "bytes=0-1,3-4"]).word == "fetch partial")
        let weak = CacheFixture.stored([.contentRange: "bytes 0-4/10", .eTag: #"W/"1""#], status: 206, body: "01234")
        #expect(CacheFixture.lookup(weak).word == "fetch partial")
        let coded = CacheFixture.stored([.cacheControl: "max-age=60", .contentEncoding: "gzip"])
        #expect(CacheFixture.lookup(coded, [.range: "bytes=0-1"]).word == "fetch partial")
        #expect(CacheFixture.lookup(coded).word == "use")
        #expect(CacheFixture.lookup(stored, policy: .cacheOnly()).word == "refuse partial")
    }

    @Test
    func `a fresh response is never older than its lifetime, for any directives`() {
        var generator = SeededGenerator(seed: 9)
        let directives = [
            "max-age=60", "max-age=0", "max-age=600", "no-cache", "must-revalidate", "immutable", "private", "public",
            "stale-while-revalidate=30", "stale-if-error=30", "min-fresh=10", "max-stale=10", "max-stale", "max-age=5",
        ]
        func control() -> String {
            directives.filter { _ in Int.random(in: 0..<5, using: &generator) == 0 }.joined(separator: ", ")
        }
        for _ in 0..<5_000 {
            var headers: HTTPFields = [.cacheControl: control()]
            if Bool.random(using: &generator) { headers[.age] = String(Int.random(in: -5..<100, using: &generator)) }
            if Bool.random(using: &generator) {
                headers[.date] = CacheFixture.date(Double(Int.random(in: -200..<200, using: &generator)))
            }
            if Bool.random(using: &generator) {
                headers[.expires] = CacheFixture.date(Double(Int.random(in: -200..<200, using: &generator)))
            }
            let stored = CacheFixture.stored(headers, age: Double(Int.random(in: -50..<700, using: &generator)))
            guard case .use(let use) = CacheFixture.lookup(stored, [.cacheControl: control()]) else {
                continue
            }
            #expect(use.age >= .zero)
            if use.staleness == nil, let lifetime = use.lifetime {
                #expect(use.age < lifetime)
            } else {
                #expect(!stored.control.contains(.mustRevalidate))
            }
        }
    }
}
