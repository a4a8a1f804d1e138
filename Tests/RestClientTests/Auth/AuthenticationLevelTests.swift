// SPDX-License-Identifier: MIT

import HTTPTypes
import TestSupport
import Testing

@testable import RestClient

/// Which of several ways of authentication holds for a call, and what it means for stored responses.
@Suite(.timeLimit(.minutes(5)))
struct AuthenticationLevelTests {
    private let client = StubbedClient(answering: .text("7"))

    private let own: APIAlias<Void> = "own"
    private let open: APIAlias<Void> = "open"

    private func bearer(_ token: String) -> Authentication {
        .bearer(TokenSource(AccessToken(token)) { _ in AccessToken("fresh") })
    }

    private func field(_ describe: (RequestNode<Void>) -> RequestNode<Void>) async throws -> String? {
        try await client.sent(describe).headers[.authorization]
    }

    private var manager: RestClientManager { client.manager }

    @Test
    func `the call's wins over the API's, that over the server's, and that over the manager's`() async throws {
        manager.servers["plain"] = "https://plain.example.com"
        manager.servers["own"] = Server("https://own.example.com").authentication(bearer("server"))
        manager.apis[open] = API(.get, "/a", server: "own").authentication(.anonymous)
        manager.apis[own] = API(.get, "/a", server: "own").authentication(bearer("api"))
        manager.options = manager.options.authentication(bearer("manager"))
        #expect(try await field { $0.server("plain") } == "Bearer manager")
        #expect(try await field { $0.server("own") } == "Bearer server")
        #expect(try await field { $0.api(own) } == "Bearer api")
        #expect(try await field { $0.api(open) } == nil)
        #expect(try await field { $0.api(own).authentication(bearer("call")) } == "Bearer call")
        #expect(try await field { $0.api(own).authentication(.anonymous) } == nil)
    }

    @Test
    func `the manager's goes to registered servers only`() async throws {
        manager.options = manager.options.authentication(bearer("manager"))
        #expect(try await field { $0.url("https://elsewhere.example.net/a") } == nil)
        #expect(try await field { $0.serverAddress("elsewhere.example.net") } == nil)
        #expect(
            try await field { $0.url("https://elsewhere.example.net/a").authentication(bearer("call")) }
                == "Bearer call"
        )
    }

    @Test
    func `a field that is set nearer to the call wins, one that is set farther away does not`() async throws {
        manager.options = manager.options.header(.authorization) { "provided" }
        manager.servers["own"] = Server(
            "https://own.example.com"
        )
        .headers([.authorization: "server's field"]).authentication(bearer("server"))
        manager.apis[own] = API(.get, "/a", server: "own").headers([.authorization: "API's field"])
        #expect(try await field { $0.server("own") } == "Bearer server")
        #expect(try await field { $0.api(own) } == "API's field")
        #expect(try await field { $0.server("own").bearer("own") } == "Bearer own")
        #expect(try await field { $0.server("own").authentication(.anonymous) } == "server's field")
        #expect(try await field { $0.server("store") } == "provided")
    }

    @Test
    func `a token may stand in any field`() async throws {
        let name = try #require(HTTPField.Name("X-Api-Key"))
        let source = TokenSource(AccessToken("k")) { _ in AccessToken("fresh") }
        let request = try await client.sent { $0.authentication(.header(name, prefix: "key=", source)) }
        #expect(request.headers[name] == "key=k")
        #expect(request.headers[.authorization] == nil)
    }

    @Test
    func `a source may stand in place of a token`() async throws {
        let source = TokenSource(AccessToken("a")) { _ in AccessToken("fresh") }
        #expect(try await field { $0.bearer(source) } == "Bearer a")
    }

    // MARK: - Stored responses

    @Test
    func `stored responses are kept apart by token, and by user where the token names one`() async throws {
        let name = try #require(HTTPField.Name("X-Ticket"))
        for authentication in [Authentication.bearer, { .header(name, $0) }] as [(TokenSource) -> Authentication] {
            let client = StubbedClient(answering: .text("7"))
            let source = TokenSource(AccessToken("a")) { _ in AccessToken("fresh") }
            let node = client.node.authentication(authentication(source)).cache(.elseNetwork())
            func countAfterSending(with token: AccessToken) async throws -> Int {
                source.current = token
                _ = try await node.send()
                return client.requests.count
            }
            #expect(try await countAfterSending(with: AccessToken("a")) == 1)
            #expect(try await countAfterSending(with: AccessToken("a")) == 1)
            #expect(try await countAfterSending(with: AccessToken("b")) == 2)
            #expect(try await countAfterSending(with: AccessToken("c", user: "kim")) == 3)
            #expect(try await countAfterSending(with: AccessToken("d", user: "kim")) == 3)
            #expect(try await countAfterSending(with: AccessToken("e", user: "lou")) == 4)
            #expect(try await node.cachePartition("kim").send() == 7)
            #expect(client.requests.count == 4)
        }
    }

    @Test
    func `a stored response needs no refresh of an expired token`() async throws {
        let refreshes = Counter()
        let source = TokenSource(AccessToken("a")) { _ in
            refreshes.next()
            return AccessToken("fresh")
        }
        let node = client.node.authentication(.bearer(source))
        _ = try await node.cache(.elseNetwork()).send()
        source.invalidate()
        #expect(try await node.cache(.cacheOnly()).send() == 7)
        #expect(refreshes.value == 0)
    }

    @Test
    func `a call of the cache alone gets no first token`() async throws {
        let refreshes = Counter()
        let source = TokenSource { _ in
            refreshes.next()
            return AccessToken("first")
        }
        let error = await client.failure { $0.authentication(.bearer(source)).cache(.cacheOnly()) }
        #expect(error?.code == .notCached)
        #expect(refreshes.value == 0)
    }

    @Test
    func `a stored response of a source without a token is that of its first one`() async throws {
        let source = TokenSource { _ in AccessToken("first") }
        let node = client.node.authentication(.bearer(source)).cache(.elseNetwork())
        let events = EventRecorder(manager)
        _ = try await node.send()
        _ = try await node.send()
        #expect(client.requests.map { $0.headers[.authorization] } == ["Bearer first"])
        #expect(events.events.count { $0.kind.name == .tokenRefreshed } == 1)
        #expect(try await manager.cache.remove(node))
    }
}
