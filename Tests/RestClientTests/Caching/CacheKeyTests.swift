// SPDX-License-Identifier: MIT

import HTTPTypes
import TestSupport
import Testing

@testable import RestClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite
struct CacheKeyTests {
    /// The key under which a call of a fresh manager stores its answer.
    private func key(
        authorizedBy header: AutomaticHeader? = nil,
        _ describe: (RequestNode<Void>) -> RequestNode<Void>
    ) async throws -> String {
        let capture = CapturingInterceptor()
        let client = StubbedClient { $0.callInterceptors = [capture] }
        client.manager.automaticHeaders[.authorization] = header
        _ = try await client.sent { describe($0.endpoint("/a")) }
        let request = try #require(capture.requests.elements.first)
        return try await CacheKey.of(request, clock: ClientClock(ContinuousClock())).text
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
        Pair({ $0.query(["a": 1, "b": 2]) }, { $0.query(["b": 2, "a": 1]) }, true),
        Pair({ $0.query(["a": 1, "b": 2]) }, { $0.endpoint("/a?b=2&a=1") }, true),
        Pair({ $0.query(["k": 1]).query(["k": 2]) }, { $0.query(["k": 2]).query(["k": 1]) }, false),
        Pair({ $0.query(["a": "1&b=2"]) }, { $0.query(["a": 1, "b": 2]) }, false),
        Pair({ $0.query(["a": "x/y"]) }, { $0.query(["a": "x%2Fy"]) }, false),
        Pair({ $0.query(["a": ""]) }, { $0 }, false),
        Pair({ $0.requestModel(["a": 1, "b": 2]) }, { $0.requestModel(["b": 2, "a": 1]) }, true),
        Pair({ $0.post().requestModel(["a": 1]) }, { $0.post().requestModel(["a": "1"]) }, false),
        Pair({ $0.post().requestModel(["a": true]) }, { $0.post().requestModel(["a": "true"]) }, false),
        Pair(
            { $0.post().requestModel(["a": ["b": [1, 2]]]) },
            { $0.post().requestModel(["a": ["b": [2, 1]]]) },
            false
        ),
        Pair(
            { $0.post().requestModel(["o": ["x": 1, "y": ["p": 1, "q": 2]]]) },
            { $0.post().requestModel(["o": ["y": ["q": 2, "p": 1], "x": 1]]) },
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
        Pair({ $0 }, { $0.dogmaKey(.raw) }, false),
        Pair({ $0 }, { $0.header(.acceptLanguage, "ko") }, false),
        Pair({ $0 }, { $0.header(.range, "bytes=0-1") }, false),
        Pair({ $0 }, { $0.header(.userAgent, "x") }, true),
        Pair({ $0 }, { $0.callIdentifier("x").timeout(.seconds(1)).cacheTags("t") }, true),
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
        let first = try await key { $0.post().requestModel(["a": ["b": 1]]).bearer("t") }
        let second = try await key { $0.post().requestModel(["a": ["b": 1]]).bearer("t") }
        #expect(first == second)
    }

    @Test
    func `the key of a request never changes from one process to the next`() async throws {
        let text = try await key { $0.post().query(["b": 2, "a": 1]).requestModel(["x": 1]).bearer("t0ken") }
        #expect(text == "fb307d49b3a59afa9964adda467171b3d902ef247f7c61797bee90b025d73171")
    }

    @Test
    func `a key shows nothing of the request`() async throws {
        let text = try await key { $0.bearer("t0ken") }
        #expect(text.count == 64)
        #expect(text.allSatisfy { $0.isHexDigit && !$0.isUppercase })
    }

    @Test
    func `credentials that are provided for each try keep users apart`() async throws {
        let user = WallClock()
        let header = AutomaticHeader.provider { "\(user.now)" }
        let first = try await key(authorizedBy: header) { $0 }
        let again = try await key(authorizedBy: header) { $0 }
        user.advance(by: 1)
        let other = try await key(authorizedBy: header) { $0 }
        let anonymous = try await key { $0 }
        #expect(first == again)
        #expect(first != other)
        #expect(first != anonymous)
    }

    @Test
    func `no two lists of parts run into each other`() {
        func key(_ url: String, _ dogma: DogmaKey, _ varying: [String], _ partition: String?) -> String {
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
        ("https://h/a?ab=1&a=2", "https://h/a?a=2&ab=1"),
    ])
    func `a URL is put into canonical form`(url: String, canonical: String) {
        #expect(CacheKey.canonical(url) == canonical)
    }
}
