// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

@Suite
struct CacheKeyTests {
    private static let secret = CacheSecret(bytes: Data(repeating: 7, count: 32))

    /// The key under which a call of a fresh manager stores its response.
    private func key(
        _ describe: (RequestNode<Void>) -> RequestNode<Void>
    ) async throws -> String {
        let capture = CapturingInterceptor()
        let client = StubbedClient { $0 = $0.interceptors(capture) }
        _ = try await client.sent { describe($0.endpoint("/a")) }
        let request = try #require(capture.requests.elements.first)
        return CacheKey(request.method, request, secret: Self.secret).text
    }

    typealias Describe = @Sendable (RequestNode<Void>) -> RequestNode<Void>

    /// Two requests, and whether one key serves both.
    struct Pair: Sendable {
        let left: Describe
        let right: Describe
        let areEqual: Bool

        init(_ left: @escaping Describe, _ right: @escaping Describe, _ areEqual: Bool) {
            self.left = left
            self.right = right
            self.areEqual = areEqual
        }
    }

    private static let pairs = [
        // The URL as it is sent (RFC 9111, section 4).
        Pair({ $0.endpoint("/a?a=1&b=2") }, { $0.endpoint("/a?a=1&b=2") }, true),
        Pair({ $0.query(["a": 1, "b": 2]) }, { $0.query(["b": 2, "a": 1]) }, false),
        Pair({ $0.query(["a": 1, "b": 2]) }, { $0.endpoint("/a?b=2&a=1") }, false),
        Pair({ $0.url("https://h/a?a&&b") }, { $0.url("https://h/a?a&b") }, false),
        Pair({ $0.url("https://h/a?a&") }, { $0.url("https://h/a?a") }, false),
        Pair({ $0.url("https://h/a?a") }, { $0.url("https://h/a?a=") }, false),
        Pair({ $0.url("https://h/a?") }, { $0.url("https://h/a") }, false),
        Pair({ $0.url("https://h/a?a=1&a=1") }, { $0.url("https://h/a?a=1") }, false),
        Pair({ $0.url("https://h/a?x=1") }, { $0.url("https://h/a?x=%31") }, false),
        Pair({ $0.url("https://h/a%2Fb") }, { $0.url("https://h/a%2fb") }, false),
        Pair({ $0.url("https://h/a?b+c") }, { $0.url("https://h/a?b%20c") }, false),
        Pair({ $0.url("HTTPS://H:443/a?b") }, { $0.url("https://h/a?b") }, true),
        Pair(
            { $0.endpoint("/a?a=1&b=2").cache(.http.keyedInAnyQueryOrder()) },
            { $0.endpoint("/a?b=2&a=1").cache(.http.keyedInAnyQueryOrder()) },
            true
        ),
        Pair(
            { $0.endpoint("/a?k=1&k=2").cache(.http.keyedInAnyQueryOrder()) },
            { $0.endpoint("/a?k=2&k=1").cache(.http.keyedInAnyQueryOrder()) },
            false
        ),
        Pair(
            { $0.endpoint("/a?a&&b&t=1").cache(.http.keyed(ignoringQuery: "t")) },
            { $0.endpoint("/a?a&b&t=2").cache(.http.keyed(ignoringQuery: "t")) },
            false
        ),
        Pair({ $0.query(["k": 1]).query(["k": 2]) }, { $0.query(["k": 2]).query(["k": 1]) }, false),
        Pair({ $0.query(["a": "1&b=2"]) }, { $0.query(["a": 1, "b": 2]) }, false),
        Pair({ $0.query(["a": "x/y"]) }, { $0.query(["a": "x%2Fy"]) }, false),
        Pair({ $0.query(["a": ""]) }, { $0 }, false),
        Pair({ $0.values(["a": 1, "b": 2]) }, { $0.values(["b": 2, "a": 1]) }, true),
        Pair({ $0.post().values(["a": 1]) }, { $0.post().values(["a": "1"]) }, false),
        Pair({ $0.post().values(["a": true]) }, { $0.post().values(["a": "true"]) }, false),
        Pair(
            { $0.post().values(["a": ["b": [1, 2]]]) },
            { $0.post().values(["a": ["b": [2, 1]]]) },
            false
        ),
        Pair(
            { $0.post().values(["o": ["x": 1, "y": ["p": 1, "q": 2]] as JSONValue]) },
            { $0.post().values(["o": ["y": ["q": 2, "p": 1], "x": 1] as JSONValue]) },
            true
        ),
        Pair({ $0 }, { $0.head() }, false),
        Pair({ $0.post() }, { $0.put() }, false),
        Pair({ $0 }, { $0.endpoint("/b") }, false),
        Pair({ $0 }, { $0.endpoint("/a/") }, false),
        Pair({ $0 }, { $0.serverAddress("other.example/v1").endpoint("/a") }, false),
        Pair({ $0 }, { $0.serverAddress("http://api.example.com/v1").endpoint("/a") }, false),
        Pair({ $0 }, { $0.serverAddress("API.example.com:443/v1/").endpoint("a") }, true),
        Pair({ $0 }, { $0.url("https://api.example.com/v1/a#part") }, true),
        Pair({ $0 }, { $0.dogma(.raw) }, false),
        Pair({ $0 }, { $0.header(.acceptLanguage, "ko") }, false),
        Pair({ $0.header(.acceptLanguage, "ko, en") }, { $0.header(.acceptLanguage, "EN,ko") }, true),
        Pair({ $0 }, { $0.header(.range, "bytes=0-1") }, true),
        Pair({ $0 }, { $0.header(.userAgent, "x") }, true),
        Pair({ $0 }, { $0.callIdentifier("x").timeout(.seconds(600)).cacheTags("t") }, true),
        Pair({ $0 }, { $0.bearer("kim") }, false),
        Pair({ $0.bearer("kim") }, { $0.bearer("lee") }, false),
        Pair({ $0.header(.cookie, "kim") }, { $0.header(.authorization, "kim") }, false),
        Pair({ $0.bearer("old").cachePartition("kim") }, { $0.bearer("new").cachePartition("kim") }, true),
        Pair({ $0.cachePartition("kim") }, { $0.cachePartition("lee") }, false),
        Pair({ $0.cachePartition("kim") }, { $0 }, false),
    ]

    @Test(arguments: pairs)
    func `equal requests have one key, and any difference that counts makes another`(pair: Pair) async throws {
        let left = try await key(pair.left)
        let right = try await key(pair.right)
        #expect((left == right) == pair.areEqual)
    }

    @Test
    func `another manager gives the same key`() async throws {
        let first = try await key { $0.post().values(["a": ["b": 1]]).bearer("t") }
        let second = try await key { $0.post().values(["a": ["b": 1]]).bearer("t") }
        #expect(first == second)
    }

    @Test
    func `the key of a request never changes from one process to the next`() async throws {
        let text = try await key { $0.post().query(["b": 2, "a": 1]).values(["x": 1]).bearer("t0ken") }
        let parts = text.split(separator: ".")
        #expect(parts.first == "2f79d4a2b24b90ef6264fc02d337cbe9")
        #expect(parts.last == "d01d65a9cbce274b6f0c4a33f93a17d448d0936e40b16fb112ecb0a0db6287dd")
    }

    @Test
    func `a key shows nothing of the request but which URL is the same`() async throws {
        let text = try await key { $0.bearer("t0ken") }
        #expect(text.count == 97)
        #expect(text.allSatisfy { $0 == "." || ($0.isHexDigit && !$0.isUppercase) })
        #expect(text.hasPrefix(CacheKey.prefix(of: "https://api.example.com/v1/a")))
        let other = try await key { $0.post().values(["a": 1]).cachePartition("kim") }
        #expect(text.prefix(33) == other.prefix(33))
        #expect(text != other)
    }

    @Test
    func `a user's key cannot be found by trying credentials, without the cache's secret`() async throws {
        let capture = CapturingInterceptor()
        let client = StubbedClient { $0 = $0.interceptors(capture) }
        _ = try await client.sent { $0.endpoint("/a").bearer("guess") }
        let request = try #require(capture.requests.elements.first)
        let other = CacheSecret(bytes: Data(repeating: 8, count: 32))
        #expect(CacheKey(.get, request, secret: Self.secret) != CacheKey(.get, request, secret: other))
    }

    @Test(arguments: [
        (#"{"q": 1, "id": 7}"#, #"{"id": 8, "q": 1}"#, ["id"], true),
        (#"{"q": 1, "id": 7}"#, #"{"q": 2, "id": 7}"#, ["id"], false),
        (#"{"q": 1, "id": 7}"#, #"{"q": 1, "id": 8}"#, [], false),
        (#"{"v": {"id": 7, "a": 1}}"#, #"{"v": {"a": 1}}"#, ["v.id"], true),
        (#"{"v": [{"id": 7}, {"id": 8}]}"#, #"{"v": [{}, {}]}"#, ["v.id"], true),
        (#"{"id": {"id": 7}}"#, #"{"id": {}}"#, ["id.id"], true),
        ("no json", "no json", ["id"], true), ("no json", "other", ["id"], false),
    ])
    func `members that do not count are left out of a body's digest`(
        left: String,
        right: String,
        ignored: [String],
        areEqual: Bool
    ) {
        let left = BodyDigest.input(Data(left.utf8), ignoring: Set(ignored))
        let right = BodyDigest.input(Data(right.utf8), ignoring: Set(ignored))
        #expect((left == right) == (areEqual && !ignored.isEmpty))
    }

    @Test
    func `no two lists of parts run into each other`() {
        func key(_ url: String, _ dogma: DogmaAlias, _ varying: [String], _ partition: String?) -> String {
            CacheKey(method: .get, url: url, body: Data(), dogma: dogma, varying: varying, partition: partition).text
        }
        let keys = [
            key("ab", "c", [], nil), key("a", "bc", [], nil), key("a", "b", ["c"], nil), key("a", "b", [], "c"),
            key("a", "b", ["c", ""], nil), key("a", "b", ["", "c"], nil),
        ]
        #expect(Set(keys).count == keys.count)
    }

    @Test(arguments: [
        ("https://h/a", "https://h/a"),
        ("https://h/a?b", "https://h/a?b"),
        ("https://h/a?b=1&a=2", "https://h/a?a=2&b=1"),
        ("https://h/a?b=2&a=1&b=1", "https://h/a?a=1&b=2&b=1"),
        ("https://h/a?b&a#c?d&e", "https://h/a?a&b"),
        ("https://h/a?b&&a", "https://h/a?&a&b"),
        ("https://h/a?ab=1&a=2", "https://h/a?a=2&ab=1"),
    ])
    func `the items of a query are sorted by their names`(url: String, sorted: String) {
        #expect(QueryItems.sorting(url) == sorted)
    }

    @Test(arguments: [
        ("https://h/a?x=1&y=2", "https://h/a?y=2&x=1", true), ("https://h/a?x=1", "https://h/a?x=%31", true),
        ("https://h/%61#f", "https://h/a", true), ("https://h/a?x=1", "https://h/a?x=2", false),
        ("https://h/a", "https://h/a?x", false), ("https://h/a", "https://i/a", false),
    ])
    func `all spellings of a URL are invalidated together`(left: String, right: String, areEqual: Bool) {
        #expect((CacheKey.prefix(of: left) == CacheKey.prefix(of: right)) == areEqual)
    }
}
