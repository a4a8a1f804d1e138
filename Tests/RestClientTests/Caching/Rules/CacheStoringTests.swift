// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import Testing

@testable import RestClient

/// The storing of responses: RFC 9111, section 3.
@Suite
struct CacheStoringTests {
    private func storing(
        _ code: Int,
        _ headers: HTTPFields,
        _ request: HTTPFields = [:],
        _ method: HTTPRequest.Method = .get,
        policy: CachePolicy = .http
    ) -> CacheStoring {
        let response = RawResponse(status: .init(code: code), headers: headers, body: Data("12345".utf8))
        let fetched = FetchedResponse(response, requestTime: CacheFixture.now, responseTime: CacheFixture.now)
        return CacheEngine.storing(CacheFixture.request(request, method), fetched, policy)
    }

    private static let stored = CacheStoring.store(variedBy: [])

    @Test(
        arguments: [
            (200, [:], stored), (404, [:], stored), (501, [:], stored), (301, [:], stored),
            (201, [:], .leave(.status)), (302, [:], .leave(.status)), (500, [:], .leave(.status)),
            (302, [.cacheControl: "max-age=5"], stored), (500, [.cacheControl: "max-age=5"], stored),
            (599, [.expires: "x"], stored), (403, [.cacheControl: "public"], stored),
            (403, [.cacheControl: "private"], stored), (403, [.cacheControl: #"private="set-cookie""#], stored),
            (200, [.cacheControl: #"private="a", no-store"#], .leave(.serverForbids)),
            (200, [.cacheControl: #"no-cache="a", max-age=5"#], stored),
            (304, [.cacheControl: "max-age=5"], .leave(.status)),
            (103, [.cacheControl: "max-age=5"], .leave(.status)),
            (199, [.cacheControl: "max-age=5"], .leave(.status)), (600, [.cacheControl: "max-age=5"], .leave(.status)),
            (200, [.cacheControl: "no-store"], .leave(.serverForbids)),
            (200, [.cacheControl: "max-age=5, No-Store"], .leave(.serverForbids)),
            (200, [.cacheControl: "no-store, must-understand"], stored),
            (599, [.cacheControl: "max-age=5, must-understand"], .leave(.status)),
            (599, [.cacheControl: "max-age=5, no-store, must-understand"], .leave(.status)),
            (200, [.vary: "*"], .leave(.variesByAnything)),
            (200, [.vary: "Foo, Accept"], .store(variedBy: ["accept", "foo"])),
            (206, [.contentRange: "bytes 0-4/10"], .leave(.partial)),
        ] as [(Int, HTTPFields, CacheStoring)]
    )
    func `RFC 9111, 3: the response says whether it may be stored`(
        code: Int,
        headers: HTTPFields,
        decision: CacheStoring
    ) {
        #expect(storing(code, headers) == decision)
    }

    @Test(arguments: 200...599)
    func `RFC 9111, 5.2.2.3: must-understand stores the statuses whose rules are known here`(code: Int) {
        let known = [200...206, 300...303, 307...308, 400...417, 421...422, 426...426, 428...429, 431...431, 451...451]
        let isKnown = (known + [500...505]).contains { $0.contains(code) }
        // That of a 206 is not stored for another reason: it does not say which part it is.
        let expected: CacheStoring = code == 206 ? .leave(.partial) : isKnown ? Self.stored : .leave(.status)
        #expect(storing(code, [.cacheControl: "max-age=5, must-understand"]) == expected)
    }

    @Test(arguments: [500, 502, 503, 504])
    func `RFC 5861, 4: a server that fails is one that says so`(code: Int) {
        #expect(CachePolicy.http.failures.include(HTTPResponse.Status(code: code)))
    }

    @Test(arguments: [200, 404, 429, 499, 501, 505, 599])
    func `RFC 5861, 4: other statuses are no failure of the server`(code: Int) {
        #expect(!CachePolicy.http.failures.include(HTTPResponse.Status(code: code)))
    }

    private static let parts: [(HTTPFields, CacheStoring)] = [
        ([.contentRange: "bytes 0-4/10"], stored),
        ([.contentRange: "bytes 0-3/10"], .leave(.partial)),
        ([.contentType: "multipart/byteranges; boundary=x"], .leave(.partial)),
        ([.contentRange: "bytes 0-4/10", .contentEncoding: "gzip"], .leave(.partial)),
    ]

    @Test(arguments: parts)
    func `RFC 9111, 3.3: a part is stored when it says which it is`(headers: HTTPFields, decision: CacheStoring) {
        #expect(storing(206, headers, [.range: "bytes=0-4"]) == decision)
    }

    @Test
    func `RFC 9111, 5.2.1.5: the request may forbid to store`() {
        let headers: HTTPFields = [.cacheControl: "max-age=5"]
        #expect(storing(200, headers, [.cacheControl: "no-store"]) == .leave(.requestForbids))
    }

    @Test
    func `RFC 9110, 9.3.3: the response to a POST is stored when it says for how long`() {
        #expect(storing(200, [:], [:], .post) == .leave(.method))
        #expect(storing(200, [.cacheControl: "max-age=5"], [:], .post) == Self.stored)
        #expect(storing(200, [.cacheControl: "max-age=5"], [:], .put) == .leave(.method))
        #expect(storing(200, [:], [:], .post, policy: .http.keyedByBody()) == Self.stored)
        #expect(storing(200, [:], [:], .post, policy: .http.storing(for: .seconds(5))) == Self.stored)
        #expect(storing(200, [.expires: "x"], [:], .post) == Self.stored)
    }

    @Test(
        arguments: [
            (.patch, 200, [.cacheControl: "max-age=5"], .reusable), (.patch, 200, [.expires: "x"], .reusable),
            (.post, 201, [.cacheControl: "max-age=5"], .reusable),
            (.patch, 404, [.cacheControl: "max-age=5", .eTag: "\"a\""], nil),
            (.patch, 200, [.eTag: "\"a\""], .onceConfirmed), (.patch, 200, [:], nil),
            (.post, 200, [.eTag: "\"a\""], nil),
            (.put, 200, [.eTag: "\"a\""], .onceConfirmed), (.put, 201, [.eTag: "W/\"a\""], .onceConfirmed),
            // A lifetime does not make it one that needs no confirmation.
            (.put, 200, [.cacheControl: "max-age=5", .eTag: "\"a\""], .onceConfirmed),
            (.put, 200, [.cacheControl: "max-age=5"], nil), (.put, 202, [.eTag: "\"a\""], nil),
            (.put, 206, [.eTag: "\"a\""], nil), (.put, 412, [.eTag: "\"a\""], nil),
            (.put, 200, [.lastModified: CacheFixture.date(-3_600), .date: CacheFixture.date(0)], nil),
            (.delete, 200, [.cacheControl: "max-age=5", .eTag: "\"a\""], nil),
        ] as [(HTTPRequest.Method, Int, HTTPFields, WrittenUse?)]
    )
    func `RFC 9110, 8.7 and 9.3.4: the body of a write is a copy of the state, which the server has to confirm`(
        method: HTTPRequest.Method,
        code: Int,
        headers: HTTPFields,
        use: WrittenUse?
    ) {
        let response = RawResponse(status: .init(code: code), headers: headers, body: Data("12345".utf8))
        let fetched = FetchedResponse(response, requestTime: CacheFixture.now, responseTime: CacheFixture.now)

        #expect(CacheEngine.written(method, fetched, .http) == use)
        #expect((storing(code, headers, [:], method) == Self.stored) == (use != nil))
    }

    @Test
    func `a write without a body says nothing of the state`() {
        let response = RawResponse(headers: [.eTag: "\"a\""])
        let fetched = FetchedResponse(response, requestTime: CacheFixture.now, responseTime: CacheFixture.now)
        #expect(CacheEngine.written(.put, fetched, .http) == nil)
    }

    @Test(
        arguments: [
            (200, [:], stored), (201, [:], stored), (204, [:], stored), (206, [:], .leave(.status)),
            (301, [:], .leave(.status)), (404, [.cacheControl: "max-age=5"], .leave(.status)),
            (200, [.cacheControl: "no-store"], .leave(.serverForbids)), (200, [.vary: "*"], .leave(.variesByAnything)),
            (200, [.cacheControl: "max-age=5, no-cache, private"], stored),
            (200, [.vary: "Accept"], .store(variedBy: ["accept"])),
        ] as [(Int, HTTPFields, CacheStoring)]
    )
    func `the application's modes store complete successes that neither side forbids`(
        code: Int,
        headers: HTTPFields,
        decision: CacheStoring
    ) {
        #expect(storing(code, headers, policy: .elseNetwork()) == decision)
        #expect(storing(code, headers, policy: .reload) == decision)
    }

    @Test
    func `those who know better store despite no-store`() {
        for policy in [CachePolicy.http, .elseNetwork()] {
            let insisting = policy.storingDespiteNoStore()
            #expect(storing(200, [.cacheControl: "no-store"], policy: insisting) == Self.stored)
            #expect(storing(200, [:], [.cacheControl: "no-store"], policy: insisting) == Self.stored)
            #expect(storing(200, [.vary: "*"], policy: insisting) == .leave(.variesByAnything))
        }
    }

    // MARK: - Bringing up to date

    private let later = CacheFixture.now.addingTimeInterval(100)

    private func fetched(_ headers: HTTPFields, _ code: Int = 304) -> FetchedResponse {
        let response = RawResponse(status: .init(code: code), headers: headers)
        return FetchedResponse(response, requestTime: later, responseTime: later)
    }

    @Test
    func `RFC 9111, 4.3.4: a 304 brings head and times up to date, unless it means another state`() throws {
        let stored = CacheFixture.stored([.eTag: #""1""#, .contentType: "a/b"], isInvalidated: true).head
        let confirmed = try #require(
            CacheEngine.confirmed(stored, by: fetched([.eTag: #""1""#, .date: "x"]))
        )
        #expect(confirmed.headers == [.eTag: #""1""#, .contentType: "a/b", .date: "x"])
        #expect(confirmed.responseTime == later)
        #expect(confirmed.bodyID == stored.bodyID)
        #expect(!confirmed.isInvalidated)
        let other = CacheEngine.confirmed(stored, by: fetched([.eTag: #""2""#]))
        #expect(other == nil)
    }

    @Test(
        arguments: [
            (200, [.eTag: #""1""#, .contentLength: "10"], false),
            (200, [.eTag: #""1""#], false),
            (200, [.eTag: #""2""#], true),
            (200, [.eTag: #""1""#, .contentLength: "11"], true),
            (200, [:], true),
            (410, [.eTag: #""1""#], nil),
            (200, [.eTag: #""1""#, .lastModified: "x"], true),
        ] as [(Int, HTTPFields, Bool?)]
    )
    func `RFC 9111, 4.3.5: the response to a HEAD brings that to a GET up to date, or makes it untrue`(
        code: Int,
        headers: HTTPFields,
        isInvalidated: Bool?
    ) {
        let stored = CacheFixture.stored([.eTag: #""1""#, .contentLength: "10", .contentType: "a/b"])
        let informed = CacheEngine.informed(stored, by: fetched(headers, code))
        #expect(informed?.isInvalidated == isInvalidated)
        #expect(informed == nil || informed?.headers[.contentType] == "a/b")
    }

    @Test(
        arguments: [
            ([(301, [.cacheControl: "max-age=60"])], 60),
            ([(302, [.cacheControl: "max-age=60"]), (308, [.cacheControl: "max-age=20, private"])], 20),
            ([(302, [:])], nil), ([(301, [:])], nil), ([(302, [.cacheControl: "no-store, max-age=9"])], nil),
            ([(302, [.cacheControl: "no-cache, max-age=9"])], nil),
            ([(302, [.cacheControl: "max-age=9", .vary: "Cookie"])], nil),
            ([(302, [.cacheControl: "max-age=9", .age: "10"])], nil),
            ([(302, [.cacheControl: "max-age=9", .age: "9"])], nil),
            ([(302, [.cacheControl: "max-age=60", .age: "10"])], 50),
        ] as [([(Int, HTTPFields)], Double?)]
    )
    func `a response after redirects is stored for as long as all of them are fresh`(
        hops: [(Int, HTTPFields)],
        seconds: Double?
    ) {
        let hops = hops.map { RedirectHop(status: .init(code: $0.0), headers: $0.1, time: CacheFixture.now) }
        let limit = CacheEngine.limit(of: hops, requestTime: CacheFixture.now)
        #expect(limit == seconds.map { CacheFixture.now.addingTimeInterval($0) })
    }
}
