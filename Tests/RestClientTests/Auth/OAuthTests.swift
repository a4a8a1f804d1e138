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
