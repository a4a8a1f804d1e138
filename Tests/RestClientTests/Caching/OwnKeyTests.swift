// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

private typealias Describe = @Sendable (RequestNode<String>) -> RequestNode<String>

/// Pairs of calls that must never share a response.
private let differences: [(Describe, Describe)] = [
    ({ $0.bearer("of kim") }, { $0.bearer("of lee") }),
    ({ $0.bearer("of kim") }, { $0 }),
    ({ $0.cachePartition("kim") }, { $0.cachePartition("lee") }),
    ({ $0.header("X-API-Key", "1") }, { $0.header("X-API-Key", "2") }),
    ({ $0.query(["access_token": "1"]) }, { $0.query(["access_token": "2"]) }),
    ({ $0.query(["access_token": "1"]) }, { $0 }),
    ({ $0.apiKey(.query("own-key-test", "1")) }, { $0.apiKey(.query("own-key-test", "2")) }),
    ({ $0.url("https://kim.example.com/a") }, { $0.url("https://lee.example.com/a") }),
    ({ $0.url("https://kim.example.com/a") }, { $0.url("https://kim.example.com:8443/a") }),
    ({ $0.url("https://kim.example.com/a") }, { $0.url("http://kim.example.com/a") }),
    ({ $0.header(.acceptLanguage, "en") }, { $0.header(.acceptLanguage, "de") }),
    ({ $0.header("X-Page", "1") }, { $0.header("X-Page", "2") }),
    ({ $0.dogma(.raw) }, { $0.dogma(.json) }),
]

/// Responses that are stored under a key of the user's own.
@Suite(.timeLimit(.minutes(5)))
struct OwnKeyTests {
    /// A client whose responses are the numbers of their requests.
    private func client(headers: HTTPFields = [.cacheControl: "max-age=60"]) -> StubbedClient {
        let count = Recorder<Void>()
        return StubbedClient(
            StubTransport { _ in
                count.record(())
                return .text("\(count.count)", headers: headers)
            }
        )
    }

    private func send(
        _ client: StubbedClient,
        _ path: PathTemplate = "/a",
        _ policy: CachePolicy = .http.keyed(as: "x"),
        _ describe: Describe = { $0 }
    ) async throws -> String {
        try await describe(client.manager.request(String.self).endpoint(path).cache(policy)).send()
    }

    @Test(arguments: [CachePolicy.http, .elseNetwork()])
    func `calls of several URLs share a response, which says where it is from`(policy: CachePolicy) async throws {
        let client = client()
        let node = client.manager.request(String.self).cache(policy.keyed(as: "x"))

        let first = try await node.endpoint("/a").query(["t": 1]).response()
        let second = try await node.endpoint("/b/c").response()
        let third = try await node.endpoint("/a").query(["t": 1]).response()

        #expect([first, second, third].map(\.model) == ["1", "1", "1"])
        #expect(client.requests.map(\.url) == ["https://api.example.com/v1/a?t=1"])
        let url = "https://api.example.com/v1/a?t=1"
        #expect([first, second, third].map(\.details.raw.url) == [nil, url, nil])
    }

    @Test
    func `a call that recalls its response knows where it is from, like the one that looked it up`() async throws {
        let client = client()
        let photo: APIAlias<String> = "photo"
        client.manager.apis[photo] = API(.get, "/a").cache(.http.keyed(as: "x"))
        let own = client.manager.request(photo).query(["t": 1])
        let other = client.manager.request(photo).query(["t": 2])
        var urls: [[String?]] = []

        for _ in 0..<4 {
            urls.append([try await own.response().details.raw.url, try await other.response().details.raw.url])
        }

        let isRecalled = [try await client.manager.recalls(own), try await client.manager.recalls(other)]
        #expect(isRecalled == [true, true])
        #expect(urls == Array(repeating: [nil, "https://api.example.com/v1/a?t=1"], count: 4))
        #expect(client.requests.count == 1)
    }

    @Test
    func `any text is a key, and different texts are different keys`() async throws {
        let client = client()
        let keys = [
            "", " ", "a", "A", "a#b", "a#c", "a?b=1&a=2", "a?a=2&b=1", "a/b", "a%2Fb", "ä",
            "https://api.example.com/v1/a",
        ]
        var models: [String] = []

        for key in keys + keys {
            models.append(try await send(client, "/a", .http.keyed(as: key)))
        }

        let numbers = (1...keys.count).map { "\($0)" }
        #expect(models == numbers + numbers)
    }

    @Test
    func `calls without the key see nothing of it, and their own responses stay`() async throws {
        let client = client()

        let plain = try await send(client, "/a", .http)
        let keyed = try await send(client, "/a", .http.keyed(as: "https://api.example.com/v1/a"))
        let again = try await send(client, "/a", .http)
        let other = try await send(client, "/b", .http)

        #expect([plain, keyed, again, other] == ["1", "2", "1", "3"])
    }

    // MARK: - What still tells responses apart

    @Test(arguments: differences.indices)
    func `users, origins and varying fields never share a response`(index: Int) async throws {
        let client = client(headers: [.cacheControl: "max-age=60", .vary: "X-Page"])
        let (first, second) = differences[index]

        let models = [
            try await send(client, "/a", describe: first), try await send(client, "/b", describe: second),
            try await send(client, "/c", describe: first), try await send(client, "/d", describe: second),
        ]

        #expect(models == ["1", "2", "1", "2"])
    }

    private func send(_ client: StubbedClient, _ path: PathTemplate, describe: Describe) async throws -> String {
        try await send(client, path, .http.keyed(as: "x"), describe)
    }

    @Test
    func `a secret item that the policy leaves out tells nothing apart`() async throws {
        let client = client()
        let policy = CachePolicy.http.keyed(as: "x").keyed(ignoringQuery: "access_token")

        let first = try await send(client, "/a", policy) { $0.query(["access_token": "1"]) }
        let second = try await send(client, "/b", policy) { $0.query(["access_token": "2"]) }

        #expect([first, second] == ["1", "1"])
    }

    @Test
    func `a part of the key tells responses of one key apart`() async throws {
        let client = client()

        let first = try await send(client, "/a", .http.keyed(as: "x").keyed(adding: "beta"))
        let second = try await send(client, "/b", .http.keyed(as: "x"))

        #expect([first, second] == ["1", "2"])
    }

    // MARK: - Changes

    @Test(arguments: [
        (CachePolicy?.none, "1"), (.some(.http.keyed(as: "y")), "1"), (.some(.http.keyed(as: "x")), "3"),
        (.some(.networkOnly.keyed(as: "x")), "3"),
    ])
    func `a change invalidates what is stored under a key if its policy has the key`(
        policy: CachePolicy?,
        expected: String
    ) async throws {
        let client = client()
        let first = try await send(client)
        let change = client.manager.request(Void.self).put().endpoint("/other")

        try await (policy.map { change.cache($0) } ?? change).send()

        #expect(first == "1")
        #expect(try await send(client, "/b") == expected)
    }

    @Test
    func `a change at another origin invalidates nothing under the key`() async throws {
        let client = client()
        _ = try await send(client)

        try await client.manager.request(Void.self).put().url("https://evil.example.com/a")
            .cache(.http.keyed(as: "x")).send()

        #expect(try await send(client) == "1")
    }

    @Test
    func `responses under a key are selected by tag and path`() async throws {
        let client = client()
        _ = try await send(client) { $0.cacheTags("photos") }

        try await client.manager.cache.invalidate(.tag("photos"))
        #expect(try await send(client, "/b") == "2")
        try await client.manager.cache.remove(.path("/v1/b"))
        #expect(try await send(client) == "3")
    }

    @Test
    func `a change of a URL invalidates a response that leaves items of that URL out of its key`() async throws {
        let client = client()
        let policy = CachePolicy.http.keyed(ignoringQuery: "t")
        _ = try await send(client, "/a", policy) { $0.query(["t": 1]) }

        try await client.manager.request(Void.self).put().endpoint("/a").query(["t": 2]).cache(policy).send()

        #expect(try await send(client, "/a", policy) == "3")
    }
}
