// SPDX-License-Identifier: MIT

import HTTPTypes
import HTTPWire
import RestEssentials
import Testing

@testable import RestClient

@Suite
struct RateHintsTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private static func hints(_ status: Int, _ lines: [(String, String)]) throws -> RateHints {
        var headers: HTTPFields = [:]
        for (name, value) in lines {
            headers.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        return RateHints(status: .init(code: status), headers: headers, now: now)
    }

    static let quotas: [([(String, String)], Int?, Int?)] = [
        ([("RateLimit", "\"default\";r=50;t=30")], 50, 30),
        ([("RateLimit", "\"a\";r=50;t=30, \"b\";r=2;t=60")], 2, 60),
        ([("RateLimit", "\"a\";r=50;t=30"), ("RateLimit", "\"b\";r=0;t=5")], 0, 5),
        ([("RateLimit", "\"a;r=1\";r=50;t=30")], 50, 30),
        ([("RateLimit", "\"a\";r=2;t=5, \"b\";r=2;t=60, \"c\";r=2;t=9")], 2, 60),
        ([("RateLimit", "\"a\";r==50;t=30")], nil, nil),
        ([("RateLimit", "\"a\";r=50")], nil, nil),
        ([("RateLimit", "\"a;r=1;t=2\";r=50;t=30")], 50, 30),
        ([("RateLimit", "\"a\\\";r=1\" ; r=50; t=30")], 50, 30),
        ([("RateLimit", "\"a;r=50;t=30")], nil, nil),
        ([("RateLimit", "\"a\\\";r=1;t=2;x\"")], nil, nil),
        ([("RateLimit", "\"a\";r=7"), ("RateLimit-Policy", "\"a\";q=100;w=60")], 7, 60),
        ([("RateLimit", "a;r=7"), ("RateLimit-Policy", "\"a\";w=60")], 7, 60),
        ([("RateLimit", "\"a\";r=7;t=9"), ("RateLimit-Policy", "\"a\";q=100;w=60")], 7, 9),
        ([("RateLimit", "\"a\";r=7"), ("RateLimit-Policy", "\"b\";q=100;w=60")], nil, nil),
        ([("RateLimit", "\"a\";r=7"), ("RateLimit-Policy", "\"a\";q=100")], nil, nil),
        ([("RateLimit", "\"a\";r=7"), ("RateLimit-Policy", "\"a\";q=100;w=0")], nil, nil),
        ([("RateLimit", "\"a\";r=7"), ("RateLimit-Policy", "\"a\";q=9;w=90000")], 7, 86_400),
        (
            [("RateLimit", "\"a\";r=7, \"b\";r=3"), ("RateLimit-Policy", "\"a\";w=5, \"b\";q=100;w=60")],
            3, 60
        ),
        (
            [
                ("RateLimit", "\"bytes\";r=1;t=9, \"b\";r=3;t=4"),
                ("RateLimit-Policy", "\"bytes\";q=100;qu=\"content-bytes\";w=60"),
            ], 3, 4
        ),
        ([("RateLimit", "\"a\";r=7"), ("RateLimit-Policy", "\"a\";qu=\"requests\";w=60")], 7, 60),
        // One that needs only the time of one call is overruled by one with a time of its own.
        (
            [("RateLimit", "\"a\";r=0, \"b\";r=0;t=5"), ("RateLimit-Policy", "\"a\";q=100;w=60, \"b\";q=1;w=9")],
            0, 5
        ),
        ([("RateLimit-Policy", "\"a\";q=100;w=60")], nil, nil),
        ([("RateLimit", "\"a\";r=-5;t=3")], nil, nil),
        ([("RateLimit", "\"a\";r=abc;t=3")], nil, nil),
        ([("RateLimit", "limit=100, remaining=7, reset=9")], 7, 9),
        ([("RateLimit", "limit=100, remaining==7, reset=9")], nil, nil),
        ([("RateLimit-Limit", "100"), ("RateLimit-Remaining", "3"), ("RateLimit-Reset", "8")], 3, 8),
        ([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "12")], 0, 12),
        ([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "1800000020")], 0, 20),
        ([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "1700000000")], 0, 0),
        ([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "1000000000")], 0, 0),
        ([("X-RateLimit-Remaining", "123456789012345"), ("X-RateLimit-Reset", "3")], 123_456_789_012_345, 3),
        ([("X-RateLimit-Remaining", "1234567890123456"), ("X-RateLimit-Reset", "3")], nil, nil),
        ([("X-Rate-Limit-Remaining", "4"), ("X-Rate-Limit-Reset", "6")], 4, 6),
        ([("X-RateLimit-Remaining", "1")], nil, nil),
        ([("X-RateLimit-Remaining", "1.5"), ("X-RateLimit-Reset", "3")], nil, nil),
        ([("X-RateLimit-Remaining", "99999999999999999999"), ("X-RateLimit-Reset", "3")], nil, nil),
        ([("X-RateLimit-Remaining", ""), ("X-RateLimit-Reset", "")], nil, nil),
        ([("RateLimit", "")], nil, nil),
        ([], nil, nil),
    ]

    @Test(arguments: quotas.indices)
    func `each form of the quota is read, and nothing else`(index: Int) throws {
        let (lines, remaining, reset) = Self.quotas[index]
        let hints = try Self.hints(200, lines)
        #expect(hints.quota?.remaining == remaining)
        #expect(hints.quota?.reset == reset.map { .seconds($0) })
        #expect(hints.pause == nil)
    }

    static let resets: [(String, Double?)] = [
        // The time of day is Fri, 15 Jan 2027 08:00:00 GMT.
        ("0", 0), ("30", 30), ("1.5", 1.5), ("0.25", 0.25), ("604800", 86_400), ("604801", nil), ("86400000", nil),
        ("999999999", nil), ("1800000020", 20), ("1800000020.5", 20.5), ("1700000000", 0), ("1000000000", 0),
        ("1800000002000", 2), ("1800000002500", 2.5), ("1700000000000", 0), ("1800000002000000", 2),
        ("1800000002000000000", 2), ("1800604800", 86_400), ("1801000000", nil), ("1801000000000", nil),
        ("4102444800", nil), ("99999999999999999999999", nil), ("Fri, 15 Jan 2027 08:00:10 GMT", 10),
        ("Friday, 15-Jan-27 08:00:10 GMT", 10), ("Fri Jan 15 08:00:10 2027", 10),
        ("Fri, 15 Jan 2027 07:00:00 GMT", 0), ("Mon, 15 Feb 2027 08:00:10 GMT", nil), ("2027-01-15T08:00:10Z", 10),
        ("2027-01-15T08:00:10.500Z", 10.5), ("2027-01-15T09:00:10+01:00", 10), ("2027-01-15T07:00:00Z", 0),
        ("-5", nil), ("+5", nil), ("1e9", nil), (".5", nil), ("1.", nil), ("1.2.3", nil), ("soon", nil), ("", nil),
        ("inf", nil), ("nan", nil), ("0x10", nil),
    ]

    @Test(arguments: ["RateLimit", "X-RateLimit", "X-Rate-Limit"], resets.indices)
    func `a time of any form counts, unless it is too far ahead`(prefix: String, index: Int) throws {
        let (text, seconds) = Self.resets[index]
        let wait = seconds.map { Duration.seconds($0) }

        #expect(try Self.hints(200, [(prefix + "-Remaining", "0"), (prefix + "-Reset", text)]).quota?.reset == wait)
        #expect(
            try Self.hints(200, [(prefix + "-Remaining", "0"), (prefix + "-Reset-After", text)]).quota?.reset == wait
        )
    }

    @Test(arguments: [("30", 30.0), ("1800000020", 20), ("1800000002000", 2), ("99999999", nil)])
    func `a time in a structured field may be a moment, too`(text: String, seconds: Double?) throws {
        let wait = seconds.map { Duration.seconds($0) }

        #expect(try Self.hints(200, [("RateLimit", "\"a\";r=0;t=\(text)")]).quota?.reset == wait)
        #expect(try Self.hints(200, [("RateLimit", "limit=9, remaining=0, reset=\(text)")]).quota?.reset == wait)
    }

    @Test
    func `a time to wait is more exact than the time of day`() throws {
        let lines = [
            ("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "1800000009"), ("X-RateLimit-Reset-After", "1.25"),
        ]

        #expect(try Self.hints(200, lines).quota?.reset == .milliseconds(1250))
        #expect(try Self.hints(200, lines.dropLast() + [("X-RateLimit-Reset-After", "x")]).quota?.reset == .seconds(9))
    }

    static let renewals: [([(String, String)], Int?, Int?)] = [
        ([("RateLimit", "\"a\";r=7;t=9"), ("RateLimit-Policy", "\"a\";q=100;w=60")], 100, 60),
        ([("RateLimit", "\"a\";r=7"), ("RateLimit-Policy", "\"b\";q=1;w=2, \"a\";q=100;w=60")], 100, 60),
        ([("RateLimit", "\"a\";r=7;t=9"), ("RateLimit-Policy", "\"a\";q=100;w=90000")], 100, 86_400),
        ([("RateLimit", "\"a\";r=7;t=9"), ("RateLimit-Policy", "\"a\";q=1;w=1")], 1, 1),
        ([("RateLimit", "\"a\";r=7;t=9"), ("RateLimit-Policy", "\"a\";q=100")], nil, nil),
        ([("RateLimit", "\"a\";r=7;t=9"), ("RateLimit-Policy", "\"a\";w=60")], nil, nil),
        ([("RateLimit", "\"a\";r=7;t=9"), ("RateLimit-Policy", "\"a\";q=0;w=60")], nil, nil),
        ([("RateLimit", "\"a\";r=7;t=9"), ("RateLimit-Policy", "\"a\";q=-1;w=60")], nil, nil),
        ([("RateLimit", "\"a\";r=7;t=9"), ("RateLimit-Policy", "\"b\";q=100;w=60")], nil, nil),
        ([("RateLimit", "limit=100, remaining=7, reset=9"), ("RateLimit-Policy", "100;w=60")], 100, 60),
        ([("RateLimit", "limit=100, remaining=7, reset=9"), ("RateLimit-Policy", "10;w=1, 100;w=60")], 100, 60),
        ([("RateLimit", "limit=100, remaining=7, reset=9"), ("RateLimit-Policy", "10;w=1")], nil, nil),
        (
            [
                ("RateLimit-Limit", "100"), ("RateLimit-Remaining", "3"), ("RateLimit-Reset", "8"),
                ("RateLimit-Policy", "100;w=60"),
            ], 100, 60
        ),
        ([("RateLimit", "\"a\";r=7;t=9")], nil, nil),
    ]

    @Test(arguments: renewals.indices)
    func `the policy of the same name says what follows`(index: Int) throws {
        let (lines, count, window) = Self.renewals[index]
        let quota = try #require(try Self.hints(200, lines).quota)
        #expect(quota.renewal?.count == count)
        #expect(quota.renewal?.window == window.map { .seconds($0) })
    }

    @Test(
        arguments: [
            ("\"a\";r=0", "\"a\";q=100;w=60", 600), ("\"a\";r=7", "\"a\";q=100;w=60", 600),
            ("\"a\";r=0", "\"a\";q=1;w=60", 60_000), ("\"a\";r=0", "\"a\";q=9;w=90000", 9_600_000),
            ("\"a\";r=0;t=30", "\"a\";q=100;w=60", nil), ("\"a\";r=0;t=0", "\"a\";q=100;w=60", nil),
            ("\"a\";r=0", "\"a\";w=60", nil), ("limit=100, remaining=0, reset=9", "100;w=60", nil),
        ] as [(String, String, Int?)]
    )
    func `a quota without a time is renewed bit by bit`(limit: String, policy: String, milliseconds: Int?) throws {
        let hints = try Self.hints(200, [("RateLimit", limit), ("RateLimit-Policy", policy)])

        #expect(hints.quota != nil)
        #expect(hints.quota?.pace == milliseconds.map { .milliseconds($0) })
    }

    @Test(arguments: quotas.indices)
    func `a response that may say something is recognized by its names, in every form of its head`(index: Int) throws {
        let lines = [("Content-Type", "text/plain")] + Self.quotas[index].0.map { ($0.0.uppercased(), $0.1) }
        var fields: HTTPFields = [:]
        for (name, value) in lines {
            fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        let text = "HTTP/1.1 200 OK\r\n" + lines.map { "\($0.0): \($0.1)\r\n" }.joined() + "\r\n"
        var parser = ResponseParser()
        var offset = 0
        let bytes = Array(text.utf8)
        _ = try parser.next(bytes.span, &offset)
        let head = parser.takeHead()
        let whole = try #require(head)

        for head in [ResponseHead.fields(fields), .stored(fields, age: 3), .bytes(whole)] {
            let response = RawResponse(RawResponse.Parts(status: .ok, head: head, body: Data()))
            #expect(RateHints.areLikely(response) == !Self.quotas[index].0.isEmpty)
        }
    }

    @Test
    func `names that begin otherwise say nothing, and refusals always may`() {
        #expect(!RateHints.areLikely(RawResponse(headers: [.retryAfter: "3", .range: "rate", .accept: "x-rate"])))
        #expect(RateHints.areLikely(RawResponse(status: .tooManyRequests)))
        #expect(RateHints.areLikely(RawResponse(status: .serviceUnavailable)))
    }

    @Test(
        arguments: [
            (429, [:], true), (503, [:], true), (200, [:], false), (430, [:], false), (504, [:], false),
            (200, [.retryAfter: "3", .contentType: "a/b", .xContentTypeOptions: "nosniff"], false),
        ] as [(Int, HTTPFields, Bool)]
    )
    func `a response without a word of it is passed over`(status: Int, headers: HTTPFields, isLikely: Bool) {
        #expect(RateHints.areLikely(RawResponse(status: .init(code: status), headers: headers)) == isLikely)
    }

    @Test(arguments: ["RateLimit", "ratelimit-remaining", "X-RateLimit-Reset", "x-rate-limit-remaining"])
    func `a field of a quota is noticed`(name: String) throws {
        let headers: HTTPFields = [.contentType: "a/b", try #require(HTTPField.Name(name)): "1"]

        #expect(RateHints.areLikely(RawResponse(headers: headers)))
    }

    @Test
    func `a response with a quota, a pause or both says something`() throws {
        let quota = [("RateLimit", "\"a\";r=1;t=2")]

        #expect(try !Self.hints(200, quota).isEmpty)
        #expect(try !Self.hints(429, [("Retry-After", "3")]).isEmpty)
        #expect(try !Self.hints(429, quota + [("Retry-After", "3")]).isEmpty)
        #expect(try Self.hints(200, []).isEmpty)
    }

    @Test(arguments: [
        (429, "3", 3), (503, "3", 3), (429, "Fri, 15 Jan 2027 08:00:10 GMT", 10),
        (503, "Fri, 15 Jan 2027 07:00:00 GMT", 0),
        (429, "2027-01-15T08:00:10Z", 10), (503, "2027-01-15T07:00:00Z", 0), (429, "2027-01-15T09:00:10+01:00", 10),
        (429, "2027-01-17T08:00:00Z", 86_400), (429, "2027-03-15T08:00:00Z", nil), (429, "9999-12-31T23:59:59Z", nil),
        (429, "2027-01-15", nil), (429, "soonT", nil), (200, "2027-01-15T08:00:10Z", nil),
        (429, "99999999", nil), (429, "100000", 86_400), (429, "1.5", 2), (429, "1800000020000", 20), (200, "3", nil),
        (500, "3", nil), (429, "soon", nil), (429, "-3", nil),
    ])
    func `a pause is read from refusals alone`(status: Int, value: String, seconds: Int?) throws {
        let hints = try Self.hints(status, [("Retry-After", value)])
        #expect(hints.pause == seconds.map { .seconds($0) })
        #expect(hints.isEmpty == (seconds == nil))
    }

    @Test(
        arguments: ["retry-after-ms", "x-ms-retry-after-ms"],
        [
            ("1500", 1500), ("250.5", 250.5), ("0", 0), (" 20 ", 20), ("172800000", 86_400_000), ("604800001", nil),
            ("1800000002000", nil), ("99999999999999999999999", nil), ("-5", nil), ("1e3", nil), ("soon", nil),
            ("", nil), ("nan", nil), ("1, 2", nil),
        ] as [(String, Double?)]
    )
    func `a pause may be in milliseconds`(name: String, value: (text: String, milliseconds: Double?)) throws {
        let pause = value.milliseconds.map { Duration.seconds($0 / 1_000) }

        #expect(try Self.hints(429, [(name, value.text)]).pause == pause)
        #expect(try Self.hints(200, [(name, value.text)]).pause == nil)
    }

    @Test(arguments: [("1500", 1.5), ("soon", 3), ("-5", 3), ("", 3)])
    func `a pause in milliseconds is more exact, and one that is none is passed over`(
        text: String,
        seconds: Double
    ) throws {
        for name in ["Retry-After-Ms", "x-ms-retry-after-ms"] {
            #expect(try Self.hints(503, [("Retry-After", "3"), (name, text)]).pause == .seconds(seconds))
        }
    }
}
