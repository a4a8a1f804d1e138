// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

@Suite(.timeLimit(.minutes(5)))
struct KeyingTests {
    private func client() -> StubbedClient {
        StubbedClient(answering: .text("1"), .text("2"), .text("3"))
    }

    private func send(
        _ client: StubbedClient,
        _ policy: CachePolicy,
        _ query: KeyValuePairs<String, any JSONValueConvertible> = [:]
    )
        async throws -> Int
    {
        try await client.manager.request(Int.self).endpoint("/a").query(query).cache(policy).send()
    }

    @Test
    func `query items that are left out do not tell responses apart, and others do`() async throws {
        let client = client()
        let policy = CachePolicy.elseNetwork().keyed(ignoringQuery: "t", "trace id")

        let first = try await send(client, policy, ["t": 1, "page": 1])
        let second = try await send(client, policy, ["page": 1, "trace id": 9])
        let third = try await send(client, policy, ["t": 1, "page": 2])

        #expect([first, second, third] == [1, 1, 2])
        #expect(client.requests.first?.query == "t=1&page=1")
    }

    @Test(arguments: [
        ("https://a/b?t=1", "https://a/b"), ("https://a/b?t", "https://a/b"),
        ("https://a/b?x=1&t=2&y#t", "https://a/b?x=1&y"),
        ("https://a/b?%74=1&x=t", "https://a/b?x=t"), ("https://a/t", "https://a/t"),
        ("https://a/b?tt=1", "https://a/b?tt=1"),
        // Bytes separate items, not characters.
        ("https://a/b?t=1&\u{301}x=2", "https://a/b?\u{301}x=2"), ("https://a/b?t=\u{301}1&x", "https://a/b?x"),
        ("https://a/b?\u{301}x=1&t=2#\u{301}", "https://a/b?\u{301}x=1"),
    ])
    func `items are left out by their decoded names`(url: String, key: String) {
        #expect(CachePolicy.http.keyed(ignoringQuery: "t").keyedURL(url) == key)
    }

    @Test
    func `parts of one's own tell responses apart`() async throws {
        let client = client()

        let first = try await send(client, .elseNetwork().keyed(adding: "beta"))
        let second = try await send(client, .elseNetwork())
        let third = try await send(client, .elseNetwork().keyed(adding: "beta", "2"))
        let fourth = try await send(client, .elseNetwork().keyed(adding: "beta"))

        #expect([first, second, third, fourth] == [1, 2, 3, 1])
    }

    @Test
    func `a response that the closure refuses is not stored, and the response says so`() async throws {
        let client = client()
        let policy = CachePolicy.elseNetwork().storing { $0.body != Data("1".utf8) }
        let node = client.manager.request(Int.self).endpoint("/a").cache(policy)

        let first = try await node.response()
        let second = try await node.response()
        let third = try await node.response()

        #expect([first, second, third].map(\.model) == [1, 2, 2])
        #expect(first.cache.storing == .left(.unwanted))
        #expect(second.cache.storing == .stored)
        #expect(third.source.isCache)
    }

    @Test
    func `a change of the resource invalidates what is stored under a shortened key`() async throws {
        let client = client()
        let policy = CachePolicy.elseNetwork().keyed(ignoringQuery: "t")

        let first = try await send(client, policy, ["t": 1])
        _ = try await client.manager.request(Int.self).post().endpoint("/a").send()
        let second = try await send(client, policy, ["t": 2])

        #expect([first, second] == [1, 3])
    }
}
