// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClientTesting
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

@Suite
struct OAuthTests {
    /// A client whose token server gives `t1`, `t2`, … and whose API refuses the tokens of a set.
    private func client(refusing refused: Set<String> = []) -> StubbedClient {
        let count = Recorder<Void>()
        return StubbedClient(
            StubTransport { request in
                guard request.url == "https://id.example.com/token" else {
                    let token = request.headers[.authorization] ?? ""
                    return refused.contains(token) ? .status(.unauthorized) : .text(token)
                }
                count.record(())
                return .text(
                    #"{"access_token":"t\#(count.count)","token_type":"Bearer","expires_in":3600,"#
                        + #""refresh_token":"r\#(count.count)"}"#
                )
            }
        )
    }

    private func endpoint(_ client: StubbedClient) -> RequestNode<TokenResponse> {
        client.manager.request(TokenResponse.self).url("https://id.example.com/token")
    }

    @Test
    func `a client's own tokens are requested as RFC 6749 specifies`() async throws {
        let client = client()
        let tokens = TokenSource(
            clientCredentials: OAuthClient(id: "night ly", secret: "p:&ü"),
            scope: "read write",
            at: endpoint(client)
        )
        client.manager.servers["store"] = Server("https://api.example.com/v1").bearer(tokens)

        #expect(try await client.manager.request(String.self).endpoint("/a").send() == "Bearer t1")
        #expect(try await client.manager.request(String.self).endpoint("/a").send() == "Bearer t1")

        let request = try #require(client.requests.first)
        #expect(client.requests.count == 3)
        #expect(request.method == .post)
        #expect(request.headers[.contentType] == "application/x-www-form-urlencoded")
        #expect(
            request.headers[.authorization] == "Basic " + Data("night%20ly:p%3A%26%C3%BC".utf8).base64EncodedString()
        )
        #expect(request.bodyText == "grant_type=client_credentials&scope=read%20write")
    }

    @Test
    func `a refresh token gets the next token, and the one that comes with it the one after`() async throws {
        let client = client(refusing: ["Bearer old", "Bearer t1"])
        let tokens = TokenSource(
            AccessToken("old", refreshToken: "r0"),
            refreshTokensOf: OAuthClient(id: "app"),
            at: endpoint(client)
        )
        client.manager.servers["store"] = Server("https://api.example.com/v1").bearer(tokens)

        _ = try? await client.manager.request(String.self).endpoint("/a").send()
        #expect(try await client.manager.request(String.self).endpoint("/a").send() == "Bearer t2")

        let forms = client.requests.filter { $0.url.hasPrefix("https://id.") }.map(\.bodyText)
        #expect(
            forms == [
                "grant_type=refresh_token&refresh_token=r0&client_id=app",
                "grant_type=refresh_token&refresh_token=r1&client_id=app",
            ]
        )
    }

    @Test
    func `without a refresh token the error says what to do`() async {
        let client = client()
        let tokens = TokenSource(refreshTokensOf: OAuthClient(id: "app"), at: endpoint(client))

        let error = await client.failure { $0.endpoint("/a").bearer(tokens) }

        #expect(error?.code == .tokenRefreshFailed)
        #expect(client.requests.isEmpty)
    }

    @Test
    func `client and secret may stand in the form`() async throws {
        let client = client()
        let tokens = TokenSource(
            clientCredentials: OAuthClient(id: "a", secret: "s&", place: .form),
            at: endpoint(client)
        )

        #expect(try await tokens.token().value == "t1")
        #expect(client.requests.first?.bodyText == "grant_type=client_credentials&client_id=a&client_secret=s%26")
        #expect(client.requests.first?.headers[.authorization] == nil)
    }

    /// A client whose token server redirects to a place, which gives a token.
    private func redirecting(_ code: Int, to location: String) -> StubbedClient {
        StubbedClient(
            StubTransport { request in
                request.url == "https://id.example.com/token"
                    ? .redirect(code, to: location) : .text(#"{"access_token":"t","token_type":"Bearer"}"#)
            }
        )
    }

    @Test(
        arguments: [307, 308, 302, 303],
        ["https://evil.example/token", "http://id.example.com/token", "https://id.example.com:8443/token"]
    )
    func `the secrets of a token request follow no redirect to another origin`(code: Int, location: String) async throws
    {
        let expired = AccessToken("old", expiresAt: Date(timeIntervalSince1970: 0), refreshToken: "r0")
        for place in [OAuthClient.SecretPlace.form, .header] {
            let client = redirecting(code, to: location)
            // Not even if the policy would lead there.
            let endpoint = endpoint(client).redirects(.follow.allowingPlainHTTP())
            let secret = OAuthClient(id: "app", secret: "s3cret", place: place)
            let sources = [
                TokenSource(expired, refreshTokensOf: secret, at: endpoint),
                TokenSource(clientCredentials: secret, at: endpoint),
            ]
            for source in sources {
                let error = await #expect(throws: RestClientError.self) { try await source.token() }
                #expect(error?.code == .tokenRefreshFailed)
                #expect((error?.underlying as? RestClientError)?.code == .redirectRefused)
                #expect(String(describing: error).contains("s3cret") == false)
            }
            #expect(client.requests.map(\.url) == Array(repeating: "https://id.example.com/token", count: 2))
        }
    }

    @Test
    func `a token request follows a redirect within its origin, with its form`() async throws {
        let client = redirecting(307, to: "/token/")
        let tokens = TokenSource(
            clientCredentials: OAuthClient(id: "a", secret: "s", place: .form),
            at: endpoint(client)
        )

        #expect(try await tokens.token().value == "t")
        #expect(client.requests.map(\.url) == ["https://id.example.com/token", "https://id.example.com/token/"])
        #expect(client.requests.map(\.bodyText).allSatisfy { $0?.contains("client_secret=s") == true })
    }

    @Test
    func `an endpoint that refuses all redirects still does`() async throws {
        let client = redirecting(307, to: "/token/")
        let tokens = TokenSource(
            clientCredentials: OAuthClient(id: "a"),
            at: endpoint(client).redirects(.refuse)
        )

        await #expect(throws: RestClientError.self) { try await tokens.token() }
        #expect(client.requests.count == 1)
    }

    @Test
    func `a source does not keep the manager alive that holds it`() async throws {
        weak var manager: RestClientManager?
        let tokens: TokenSource
        do {
            let client = client()
            tokens = TokenSource(clientCredentials: OAuthClient(id: "a"), at: endpoint(client))
            client.manager.servers["store"] = Server("https://api.example.com/v1").bearer(tokens)
            manager = client.manager
        }
        #expect(manager == nil)
        let error = await #expect(throws: RestClientError.self) { try await tokens.token() }
        #expect(error?.code == .tokenRefreshFailed)
    }

    @Test
    func `a secret is not shown`() {
        var text = ""
        let client = OAuthClient(id: "a", secret: "MARKER")
        dump(client, to: &text)
        #expect(!(text + "\(client)" + String(reflecting: client)).contains("MARKER"))
    }

    @Test
    func `basic authentication is a field, and a user name with a colon is refused`() async throws {
        let request = try await sent { $0.endpoint("/a").basic(user: "Aladdin", password: "open sesame") }
        #expect(request.headers[.authorization] == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")

        let error = await failure { $0.endpoint("/a").basic(user: "a:b", password: "c") }
        #expect(error?.code == .invalidHeader)
    }
}
