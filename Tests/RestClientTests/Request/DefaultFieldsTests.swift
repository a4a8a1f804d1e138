// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// The fields that a call has unless a level sets them.
@Suite(.timeLimit(.minutes(5)))
struct DefaultFieldsTests {
    private static let agent = "swift-rest-client/1"

    /// A kind of call, and the media types for which it asks.
    struct Kind: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let accept: String?
        let send: @Sendable (RestClientManager) async throws -> Void

        init<Model>(
            _ testDescription: String,
            _ accept: String?,
            _ node: @escaping @Sendable (RestClientManager) -> RequestNode<Model>
        ) {
            self.testDescription = testDescription
            self.accept = accept
            send = { _ = try await node($0).endpoint("/a").send() }
        }

        init(
            _ testDescription: String,
            _ accept: String?,
            send: @escaping @Sendable (RestClientManager) async throws -> Void
        ) {
            self.testDescription = testDescription
            self.accept = accept
            self.send = send
        }
    }

    private struct User: Codable, Sendable {
        var name = ""
    }

    static let kinds: [Kind] = [
        Kind("a model", "application/json") { $0.request(User.self) },
        Kind("an optional model", "application/json") { $0.request(User?.self) },
        Kind("a list", "application/json") { $0.request([String].self) },
        Kind("a JSON value", "application/json") { $0.request(JSONValue.self) },
        Kind("a converted model", "application/json") { $0.request(RequestNode(Int.self, from: User.self) { _ in 1 }) },
        Kind("a model of another dogma", "application/x-plist") { $0.request(User.self).dogma("plist") },
        Kind("a model of the raw dogma", nil) { $0.request(User.self).dogma(.raw) },
        Kind("data", "*/*") { $0.request(Data.self) },
        Kind("optional data", "*/*") { $0.request(Data?.self) },
        Kind("no type", "*/*") { $0.request() },
        Kind("text", "*/*") { $0.request(String.self) },
        Kind("optional text", "*/*") { $0.request(String?.self) },
        Kind("nothing", "*/*") { $0.request(Void.self) },
        Kind("data of the raw dogma", "*/*") { $0.request(Data.self).dogma(.raw) },
        Kind("data of another dogma", "*/*") { $0.request(Data.self).dogma("plist") },
        Kind("converted text", "*/*") { $0.request(RequestNode(Int.self, from: String.self) { _ in 1 }) },
        Kind("a closure", "*/*") { $0.request(RequestNode(User.self) { _ in User() }) },
        Kind("a closure in place of the dogma", "*/*") { $0.request(User.self).decode { _ in User() } },
        Kind("a stream", "*/*", send: { _ = try await $0.request(User.self).endpoint("/a").stream() }),
        Kind(
            "a download",
            "*/*",
            send: { manager in
                let folder = try TemporaryDirectory()
                try await manager.request(User.self).endpoint("/a").download(to: folder.path("a").path)
            }
        ),
        Kind("events", "text/event-stream") { manager in
            for try await _ in manager.request(User.self).endpoint("/a").serverSentEvents() {}
        },
        Kind("pages", "application/json") { manager in
            for try await _ in manager.request([User].self).endpoint("/a").pages(.number("page")) {}
        },
        Kind("the field of the manager", "a/b") { manager in
            manager.options = manager.options.header(.accept, "a/b")
            try await manager.request(Void.self).endpoint("/a").send()
        },
        Kind("the field of the server", "a/b") { manager in
            manager.servers["store"]?.options = CallOptions().header(.accept, "a/b")
            try await manager.request(Void.self).endpoint("/a").send()
        },
        Kind("the field of the node", "a/b") { $0.request(Data.self).header(.accept, "a/b") },
    ]

    @Test(arguments: kinds)
    func `a call asks for what its model can be, and says who it is`(kind: Kind) async throws {
        let client = StubbedClient()
        client.manager.dogmas["plist"] = PropertyListDogma()

        _ = try? await kind.send(client.manager)

        let request = try #require(client.requests.first)
        #expect(request.headers[values: .accept] == (kind.accept.map { [$0] } ?? []))
        #expect(request.headers[values: .userAgent] == [Self.agent])
    }

    @Test
    func `calls of one target with other kinds of models are not taken for one`() async throws {
        let client = StubbedClient(answering: .text(#"{"name":"a"}"#))
        for _ in 0..<2 {
            _ = try await client.manager.request(User.self).endpoint("/a").send()
            _ = try await client.manager.request(Data.self).endpoint("/a").send()
        }

        #expect(client.requests.map { $0.headers[.accept] } == ["application/json", "*/*", "application/json", "*/*"])
    }

    @Test
    func `an error of a call that takes anything is decoded`() async {
        let client = StubbedClient(answering: .text(#"{"name":"why"}"#, .badRequest))
        let error = await client.failure { $0.endpoint("/a") }

        #expect(error?.decodedBody(as: User.self)?.name == "why")
    }

    // MARK: - User-Agent

    private enum Level: CaseIterable {
        case manager, server, api, node
    }

    /// Returns the field of a call to which one level gives a value.
    private static func agent(_ value: String?, by level: Level) async throws -> [String] {
        let client = StubbedClient()
        let manager = client.manager
        func set(_ options: CallOptions) -> CallOptions {
            value.map { options.header(.userAgent, $0) } ?? options.header(.userAgent) { nil }
        }
        manager.apis[APIAlias<Void>("a")] = API(.get, "/a")
        switch level {
        case .manager: manager.options = set(manager.options)
        case .server: manager.servers["store"]?.options = set(CallOptions())
        case .api: manager.apis[APIAlias<Void>("a")]?.options = set(CallOptions())
        case .node: break
        }
        let request = try await client.sent { node in
            var node = node.api("a")
            if level == .node {
                node.options = set(node.options)
            }
            return node
        }
        return request.headers[values: .userAgent]
    }

    @Test
    func `each level replaces the user agent or removes it`() async throws {
        for level in Level.allCases {
            #expect(try await Self.agent("app/1", by: level) == ["app/1"])
            #expect(try await Self.agent("", by: level).isEmpty)
            #expect(try await Self.agent(nil, by: level).isEmpty)
        }
    }

    @Test
    func `a node has a user agent again though the manager has none`() async throws {
        let client = StubbedClient()
        client.manager.options = client.manager.options.header(.userAgent, "")

        #expect(try await client.sent { $0.endpoint("/a").header(.userAgent, "app/1") }.headers[.userAgent] == "app/1")
    }

    @Test
    func `the user agent of a server does not follow to another origin, where the usual one is sent`() async throws {
        let client = StubbedClient(answering: .redirect(302, to: "https://other.example.com/b"), .text("there"))
        client.manager.servers["store"]?.options = CallOptions().header(.userAgent, "store/1")
        try await client.manager.request(Void.self).endpoint("/a").send()

        #expect(client.requests.map { $0.headers[.userAgent] } == ["store/1", Self.agent])
    }

    @Test(arguments: [(nil, agent), ("app/1", "app/1"), ("", nil)] as [(String?, String?)])
    func `a probe of a server has the user agent of its calls`(own: String?, sent: String?) async throws {
        let client = StubbedClient()
        if let own {
            client.manager.servers["store"]?.options = CallOptions().header(.userAgent, own)
        }
        try await client.manager.reachability(of: "store").check()

        #expect(try #require(client.requests.first).headers[.userAgent] == sent)
    }

    @Test
    func `a token request has the user agent`() async throws {
        let client = StubbedClient(answering: .text(#"{"access_token":"a"}"#))
        let endpoint = client.manager.request(TokenResponse.self).endpoint("/token")
        _ = try await OAuthClient(id: "c").request(endpoint, [("grant_type", "x")]).send()

        #expect(client.requests.first?.headers[.userAgent] == Self.agent)
        #expect(client.requests.first?.headers[.accept] == "application/json")
    }
}
