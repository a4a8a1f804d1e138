// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import Synchronization
import TestSupport
import Testing

/// Logins of people in a browser, over real connections.
@Suite(.timeLimit(.minutes(5)))
struct OAuthLoginTests {
    /// An authorization server that logs in whoever comes, and issues `a1`, `a2` and so on.
    private final class Issuer: Sendable {
        private struct State {
            var challenge = ""
            var redirect = ""
            var count = 0
            var forms: [[String: String]] = []
            var refusesRefreshes = false
        }

        private let state = Mutex(State())

        /// The forms that came to the endpoints for tokens and revocations.
        var forms: [[String: String]] { state.withLock { $0.forms } }

        func refuseRefreshes() {
            state.withLock { $0.refusesRefreshes = true }
        }

        /// Responds as the server; `iss` is the name that it gives itself in the redirect.
        func install(on server: LoopbackServer, iss: String? = nil, document: String? = nil) {
            let issuer = server.url
            let metadata = """
                {"issuer": "\(issuer)", "authorization_endpoint": "\(issuer)/authorize",
                "token_endpoint": "\(issuer)/token", "revocation_endpoint": "\(issuer)/revoke",
                "code_challenge_methods_supported": ["S256"]}
                """
            server.on(.get, "/.well-known/openid-configuration") { _ in .json(document ?? metadata) }
            server.on(.get, "/authorize") { [self] request in
                let items = Dictionary(request.queryItems.map { ($0.name, $0.value) }) { first, _ in first }
                let state = items["state"] ?? ""
                let redirect = items["redirect_uri"] ?? ""
                self.state.withLock { $0.challenge = items["code_challenge"] ?? "" }
                self.state.withLock { $0.redirect = redirect }
                let name = iss.map { "&iss=\($0)" } ?? ""
                return .redirect(to: "\(redirect)?code=MARKER-code&state=\(state)\(name)")
            }
            server.on(.post, "/token") { [self] request in token(for: Self.form(request)) }
            server.on(.post, "/revoke") { [self] request in
                state.withLock { $0.forms.append(Self.form(request)) }
                return .status(200)
            }
            server.on(.get, "/orders") { request in .json("\"\(request.headers["authorization"] ?? "")\"") }
        }

        private static func form(_ request: LoopbackRequest) -> [String: String] {
            Dictionary(QueryItems.decode(request.text, plusIsSpace: true).map { ($0.name, $0.value) }) { $1 }
        }

        private func token(for form: [String: String]) -> LoopbackResponse {
            state.withLock { state in
                state.forms.append(form)
                if form["grant_type"] == "refresh_token", state.refusesRefreshes {
                    return .json(#"{"error": "invalid_grant"}"#, status: 400)
                }
                guard form["grant_type"] == "refresh_token" || form["redirect_uri"] == state.redirect else {
                    return .json(#"{"error": "invalid_grant", "error_description": "another redirect"}"#, status: 400)
                }
                state.count += 1
                return .json(
                    #"{"access_token": "a\#(state.count)", "refresh_token": "r\#(state.count)", "expires_in": 3600}"#
                )
            }
        }
    }

    private static func orders(_ client: LoopbackClient) async throws -> String {
        try await client.request(String.self, .get, "/orders").send()
    }

    /// A source whose person opens the address in a browser, which is another manager.
    private func source(
        _ client: LoopbackClient,
        issuer: String? = nil,
        pages: Recorder<String> = Recorder(),
        addresses: Recorder<String> = Recorder()
    ) throws -> TokenSource {
        let browser = try RestClientManager.connected()
        let login = OAuthLogin(
            OAuthClient(id: "cli"),
            at: OAuthServer(issuer: issuer ?? client.server.url),
            scope: "orders"
        ) { request in
            addresses.record(request.address)
            pages.record(try await browser.request(String.self).url(request.address).dogma(.raw).send())
        }
        let source = TokenSource(login: login, on: client.manager)
        client.manager.servers[.loopback] = Server(client.server.url).bearer(source)
        return source
    }

    @Test
    func `a person logs in once for all calls, the token is refreshed, and a logout revokes it`() async throws {
        try await LoopbackClient.with { client in
            let issuer = Issuer()
            issuer.install(on: client.server)
            let pages = Recorder<String>()
            let session = try source(client, pages: pages)

            let fields = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<20 {
                    group.addTask { try await Self.orders(client) }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(fields == ["Bearer a1"])
            #expect(pages.count == 1)
            #expect(pages.elements.first?.contains("You may close this window") == true)
            #expect(pages.elements.first?.contains("MARKER") == false)

            session.invalidate()
            #expect(try await Self.orders(client) == "Bearer a2")
            try await session.logOut()
            #expect(session.current == nil)

            let forms = issuer.forms
            #expect(forms.map { $0["grant_type"] } == ["authorization_code", "refresh_token", nil])
            #expect(forms[0]["code"] == "MARKER-code")
            #expect(forms[0]["client_id"] == "cli")
            #expect(forms[0]["code_verifier"]?.count == 43)
            #expect(forms[1]["refresh_token"] == "r1")
            #expect(forms[2] == ["token": "r2", "token_type_hint": "refresh_token", "client_id": "cli"])
        }
    }

    @Test
    func `a person logs in again when the refresh token is dead, as somebody new`() async throws {
        try await LoopbackClient.with { client in
            let issuer = Issuer()
            issuer.install(on: client.server)
            let pages = Recorder<String>()
            let session = try source(client, pages: pages)
            session.current = AccessToken("old", expiresAt: .distantPast, refreshToken: "dead", user: "anna")
            issuer.refuseRefreshes()

            let token = try await session.token()
            #expect(token.value == "a1")
            #expect(token.user == nil)
            #expect(pages.count == 1)
            #expect(issuer.forms.map { $0["grant_type"] } == ["refresh_token", "authorization_code"])
        }
    }

    @Test
    func `a login is kept, sealed, for the next run`() async throws {
        try await LoopbackClient.with { client in
            Issuer().install(on: client.server)
            let key = try SealingKey(bytes: Data(repeating: 7, count: 32))
            let data = SharedData()
            let first = try source(client)
            try first.keep(in: data, as: "session", sealedWith: key)
            _ = try await first.token()

            let pages = Recorder<String>()
            let second = try source(client, pages: pages)
            try second.keep(in: data, as: "session", sealedWith: key)
            #expect(try await second.token().value == "a1")
            #expect(pages.elements.isEmpty)
        }
    }

    @Test
    func `the redirect of another server gets no token, and its code is not shown`() async throws {
        try await LoopbackClient.with { client in
            let issuer = Issuer()
            issuer.install(on: client.server, iss: "https://evil.example")
            let events = Recorder<String>()
            let observation = client.manager.observe { events.record("\($0)") }
            let session = try source(client)

            let error = await #expect(throws: RestClientError.self) { try await session.token() }
            #expect(error?.code == .loginRequired)
            #expect(issuer.forms.isEmpty)
            #expect(!String(reflecting: error).contains("MARKER"))
            observation.cancel()
            #expect(!events.elements.contains { $0.contains("MARKER") })
        }
    }

    @Test
    func `metadata that name another issuer get nothing`() async throws {
        try await LoopbackClient.with { client in
            let issuer = Issuer()
            issuer.install(
                on: client.server,
                document: #"{"issuer": "https://evil.example", "token_endpoint": "https://evil.example/token"}"#
            )
            let addresses = Recorder<String>()
            let session = try source(client, addresses: addresses)
            let error = await #expect(throws: RestClientError.self) { try await session.token() }
            #expect((error?.underlying as? RestClientError)?.message.contains("https://evil.example") == true)
            #expect(addresses.elements.isEmpty)
            #expect(client.server.requests.map(\.path).contains("/token") == false)
        }
    }

    @Test
    func `a program without a person says where to log in, and has the token afterwards`() async throws {
        try await LoopbackClient.with { client in
            Issuer().install(on: client.server)
            let login = OAuthLogin(OAuthClient(id: "job"), at: OAuthServer(issuer: client.server.url))
            client.manager.servers[.loopback] = Server(client.server.url)
                .bearer(TokenSource(login: login, on: client.manager))

            let error = await #expect(throws: RestClientError.self) { try await Self.orders(client) }
            #expect(error?.code == .loginRequired)
            #expect(error?.failureClass == .unauthorized)
            let request = try #require(error?.login)
            #expect(request.userCode == nil)
            #expect(error?.message.contains("log in at \(client.server.url)/authorize") == true)
            // Who has the state could log the program in as somebody else.
            #expect(!String(reflecting: error).contains("state="))

            let again = await #expect(throws: RestClientError.self) { try await Self.orders(client) }
            #expect(again?.login?.address == request.address)
            let browser = try RestClientManager.connected()
            _ = try await browser.request().url(request.address).send()
            #expect(try await Self.orders(client) == "Bearer a1")
        }
    }

    @Test
    func `a login that is cancelled goes on with the next call`() async throws {
        try await LoopbackClient.with { client in
            Issuer().install(on: client.server)
            let addresses = Recorder<String>()
            let login = OAuthLogin(OAuthClient(id: "cli"), at: OAuthServer(issuer: client.server.url)) {
                addresses.record($0.address)
            }
            let session = TokenSource(login: login, on: client.manager)
            let hasty = Task { try await session.token() }
            let address = try #require(try await addresses.waitForCount(1).first)
            hasty.cancel()
            await #expect(throws: CancellationError.self) { try await hasty.value }

            let browser = try RestClientManager.connected()
            _ = try await browser.request().url(address).send()
            #expect(try await session.token().value == "a1")
            #expect(Set(addresses.elements) == [address])
        }
    }
}
