// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// Stored and shared responses when the token changes during a call: no call receives another user's response.
@Suite(.timeLimit(.minutes(5)))
struct AuthenticatedCacheTests {
    /// Responds with the token that it was sent, and with 304 when the client has something stored.
    private let client = StubbedClient(
        StubTransport { request in
            let token = request.headers[.authorization]?.dropFirst("Bearer ".count) ?? "nobody"
            guard !request.headers.contains(.ifNoneMatch) else {
                return .status(.notModified, headers: [.eTag: "\"1\""])
            }
            return .text(String(token), headers: [.eTag: "\"1\"", .cacheControl: "max-age=3600"])
        }
    )

    private static let users = [
        [AccessToken("kim's", user: "kim"), AccessToken("lou's", user: "lou")], [AccessToken("a"), AccessToken("b")],
    ]

    private func source(_ token: AccessToken) -> TokenSource {
        TokenSource(token) { _ in AccessToken("fresh") }
    }

    private func node(_ source: TokenSource, _ policy: CachePolicy) -> RequestNode<String> {
        client.manager.request(String.self).endpoint("/a").dogma(.raw).bearer(source).cache(policy)
    }

    private func tokens() -> [String?] { client.requests.map { $0.headers[.authorization] } }

    /// Sets another token once, after the cache was asked with the first one and before the request goes out.
    private func change(_ source: TokenSource, to token: AccessToken) throws {
        let tries = Counter()
        client.manager.options = client.manager.options.header(try #require(HTTPField.Name("X-Try"))) {
            if tries.next() == 1 {
                source.current = token
            }
            return "try"
        }
    }

    @Test(arguments: ["PRIVATE-TOKEN", "Ocp-Apim-Subscription-Key", "X-Badge"], [CachePolicy.elseNetwork(), .http])
    func `users whose token is in a field of its own share no stored response`(
        field: String,
        policy: CachePolicy
    ) async throws {
        let name = try #require(HTTPField.Name(field))
        let client = StubbedClient(
            StubTransport { request in
                .text(request.headers[name] ?? "nobody", headers: [.cacheControl: "max-age=3600"])
            }
        )
        let node = client.manager.request(String.self).endpoint("/a").dogma(.raw).cache(policy)
            .credentialFields(try #require(HTTPField.Name("X-Badge")))
        for user in ["kim", "lou", "kim"] {
            #expect(try await node.header(name, user).send() == user)
        }
        #expect(client.requests.count == 2)
    }

    @Test(arguments: ["Cookie", "Authorization", "X-Session-Id"], [CachePolicy.elseNetwork(), .http])
    func `users with one token of the app share no stored response, whatever the token's field is called`(
        field: String,
        policy: CachePolicy
    ) async throws {
        let name = try #require(HTTPField.Name(field))
        let client = StubbedClient(
            StubTransport { request in
                .text(request.headers[name] ?? "nobody", headers: [.cacheControl: "max-age=3600"])
            }
        )
        let badge = try #require(HTTPField.Name("X-Badge"))
        let node = client.manager.request(String.self).endpoint("/a").dogma(.raw).cache(policy)
            .authentication(.header(badge, source(AccessToken("the app's"))))
        for user in ["session=a", "session=b", "session=a"] {
            #expect(try await node.header(name, user).send() == user)
        }
        #expect(client.requests.count == 2)
        #expect(client.requests.allSatisfy { $0.headers[badge] == "the app's" })
    }

    @Test
    func `users whose tokens are in a field of any name share no stored response`() async throws {
        let badge = try #require(HTTPField.Name("X-Badge"))
        let client = StubbedClient(
            StubTransport { request in
                .text(request.headers[badge] ?? "nobody", headers: [.cacheControl: "max-age=3600"])
            }
        )
        for user in ["kim", "lou", "kim"] {
            let node = client.manager.request(String.self).endpoint("/a").dogma(.raw).cache(.http)
                .authentication(.header(badge, source(AccessToken(user))))
            #expect(try await node.send() == user)
        }
        #expect(client.requests.count == 2)
    }

    @Test(arguments: users)
    func `a response to the next user is not stored for the one before`(tokens: [AccessToken]) async throws {
        let source = source(tokens[0])
        let node = node(source, .elseNetwork())
        try change(source, to: tokens[1])
        #expect(try await node.send() == tokens[1].value)
        source.current = tokens[0]
        #expect(try await node.send() == tokens[0].value)
        #expect(client.requests.count == 2)
    }

    @Test
    func `a confirmation for the next user does not confirm the previous user's stored response`() async throws {
        let source = source(AccessToken("kim's", user: "kim"))
        _ = try await node(source, .http).send()
        try change(source, to: AccessToken("lou's", user: "lou"))
        #expect(try await node(source, .http).header("Cache-Control", "no-cache").send() == "lou's")
        #expect(client.requests.map { $0.headers[.ifNoneMatch] } == [nil, "\"1\"", nil])
    }

    @Test(arguments: [CachePolicy.elseNetwork(), .http], [nil, "kim"])
    func `a response that came after a refresh is found with the new token`(
        policy: CachePolicy,
        user: String?
    ) async throws {
        let source = source(AccessToken("old", expiresAt: .distantPast, user: user))
        #expect(try await node(source, policy).send() == "fresh")
        #expect(try await node(source, policy).send() == "fresh")
        #expect(tokens() == ["Bearer fresh"])
    }

    @Test
    func `equal calls with an expired token share one refresh and one request`() async throws {
        let server = AuthenticatedServer(issuesAtOnce: false)
        let (client, _) = server.client(AccessToken("old", expiresAt: .distantPast))
        let calls = (0..<50).map { _ in Task { try await client.node.cache(.elseNetwork()).send() } }
        await client.manager.waitForSharedCalls(50)
        try await server.issuing.waitForWaiters(count: 1)
        server.issuing.open()
        for call in calls {
            #expect(try await call.value == 7)
        }
        #expect(server.refreshCount == 1)
        #expect(server.tokens == ["t1"])
    }

    @Test
    func `equal calls with a refused token share the refresh and the second request`() async throws {
        let server = AuthenticatedServer(opensDoor: false)
        let (client, _) = server.client()
        let calls = (0..<50).map { _ in Task { try await client.node.cache(.elseNetwork()).send() } }
        await client.manager.waitForSharedCalls(50)
        try await server.door.waitForWaiters(count: 1)
        server.door.open()
        for call in calls {
            #expect(try await call.value == 7)
        }
        #expect(server.refreshCount == 1)
        #expect(server.tokens == ["t0", "t1"])
    }

    @Test(arguments: [true, false])
    func `calls of two users share no request`(isCached: Bool) async throws {
        let door = Gate()
        let client = StubbedClient(
            StubTransport { request in
                try await door.wait()
                return .text(request.headers[.authorization] ?? "")
            }
        )
        let source = source(AccessToken("kim's", user: "kim"))
        let plain = client.manager.request(String.self).endpoint("/a").dogma(.raw).bearer(source)
        let node = isCached ? plain.cache(.elseNetwork()) : plain.sharingFlight()
        let first = Task { try await node.send() }
        try await door.waitForWaiters(count: 1)
        source.current = AccessToken("lou's", user: "lou")
        let second = Task { try await node.send() }
        try await door.waitForWaiters(count: 2)
        door.open()
        #expect(try await first.value == "Bearer kim's")
        #expect(try await second.value == "Bearer lou's")
    }

    @Test
    func `a shared request that went out as the next user is not for those who meant the one before`() async throws {
        let issuing = Gate()
        let source = TokenSource(AccessToken("a", expiresAt: .distantPast)) { _ in
            try await issuing.wait()
            return AccessToken("fresh")
        }
        let node = node(source, .elseNetwork())
        let calls = (0..<3).map { _ in Task { try await node.send() } }
        await client.manager.waitForSharedCalls(3)
        try await issuing.waitForWaiters(count: 1)
        source.current = AccessToken("b")
        for call in calls {
            #expect(try await call.value == "b")
        }
        source.current = AccessToken("a")
        #expect(try await node.send() == "a")
    }
}
