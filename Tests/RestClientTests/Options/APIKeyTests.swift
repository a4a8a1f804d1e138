// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

@Suite(.timeLimit(.minutes(5)))
struct APIKeyTests {
    private let secret = "k3y-of-the-test"

    @Test
    func `a key in the query is added once, encoded, at any level`() async throws {
        let client = StubbedClient()
        client.manager.servers["store"] = Server("https://api.example.com/v1").apiKey(.query("appid", "a&b"))
        try await client.manager.request(Void.self).endpoint("/a").query("x", 1).send()
        try await client.manager.request(Void.self).url("https://api.example.com/v1/a?appid=other").send()
        try await client.manager.request(Void.self).endpoint("/a").apiKey(.query("appid", "own")).send()

        #expect(client.requests.map(\.query) == ["x=1&appid=a%26b", "appid=other", "appid=own"])
    }

    @Test(arguments: ["slot%5B0%5D", "slot%5b0%5d", "slot[0]", "%73lot%5B0]"])
    func `a key that the URL of a next page has in another encoding is not added again`(name: String) async throws {
        let link = try #require(HTTPField.Name("Link"))
        let first = RawResponse.text("[1]", headers: [link: "</v1/list?\(name)=theirs&page=2>; rel=next"])
        let client = StubbedClient(answering: first, .text("[2]"))
        client.manager.servers["store"] = Server("https://api.example.com/v1").apiKey(.query("slot[0]", "own"))

        for try await _ in client.manager.request([Int].self).endpoint("/list").pages(.link).items {}

        let items = client.requests.map { QueryItems.decode($0.query ?? "").map { "\($0.name)=\($0.value)" } }
        #expect(items == [["slot[0]=own"], ["slot[0]=theirs", "page=2"]])
    }

    @Test(arguments: [true, false])
    func `the key of the manager goes to registered servers only`(isQuery: Bool) async throws {
        let client = StubbedClient()
        let field = try #require(HTTPField.Name("X-Maps"))
        let key = isQuery ? APIKey.query("mapid", secret) : .header(field, secret)
        client.manager.options = client.manager.options.apiKey(key)

        try await client.manager.request(Void.self).endpoint("/a").send()
        try await client.manager.request(Void.self).url("https://elsewhere.example.org/a").send()

        let carries = client.requests.map { $0.url.contains(secret) || $0.headers[field] == secret }
        #expect(carries == [true, false])
    }

    @Test(arguments: [true, false])
    func `a key follows no redirect to another origin`(isQuery: Bool) async throws {
        let client = StubbedClient(
            answering: .redirect(307, to: "https://elsewhere.example.org/b"),
            .status(.noContent)
        )
        let field = try #require(HTTPField.Name("X-Maps"))
        let key = isQuery ? APIKey.query("mapid", secret) : .header(field, secret)

        try await client.manager.request(Void.self).endpoint("/a").apiKey(key).send()

        #expect(client.requests.count == 2)
        #expect(client.requests.last?.url == "https://elsewhere.example.org/b")
        #expect(client.requests.last?.headers[field] == nil)
    }

    @Test(arguments: [true, false])
    func `a key is masked in errors, events, descriptions and dumps`(isQuery: Bool) async throws {
        let client = StubbedClient(answering: .status(.notFound))
        let field = try #require(HTTPField.Name("X-Maps"))
        let key = isQuery ? APIKey.query("plainname", secret) : .header(field, secret)
        let log = EventRecorder(client.manager)
        let node = client.manager.request(Void.self).endpoint("/a").apiKey(key)

        let error = await #expect(throws: RestClientError.self) { try await node.send() }

        let sent = try #require(client.requests.first)
        #expect(sent.url.contains(secret) || sent.headers[field] == secret)
        var texts = ["\(node)", "\(key)", "\(try #require(error))"] + log.events.map { "\($0)" }
        var dumped = ""
        dump(node, to: &dumped)
        dump(key, to: &dumped)
        dump(error, to: &dumped)
        texts.append(dumped)
        #expect(texts.filter { $0.contains(secret) }.isEmpty)
    }

    @Test
    func `keys keep stored responses apart`() async throws {
        let client = StubbedClient(answering: .text("1"), .text("2"))
        var values: [Int] = []
        for key in ["a", "b", "a"] {
            let node = client.manager.request(Int.self).endpoint("/a").cache(.elseNetwork())
            values.append(try await node.apiKey(.query("appid", key)).send())
        }
        #expect(values == [1, 2, 1])
    }
}
