// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// The output of `dump` and other uses of reflection.
@Suite
struct ReflectionTests {
    private static let badge = HTTPField.Name("X-Badge")

    private func dumped(_ value: some Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }

    /// Sets a secret in every way that options know.
    private func secret<Level: CallConfigurable>(_ level: Level) throws -> Level {
        let badge = try #require(Self.badge)
        return level.bearer("s3cret-bearer").header(.cookie, "session=s3cret-cookie")
            .header("X-API-Key", "s3cret-key").header("PRIVATE-TOKEN", "s3cret-token")
            .header(badge, "s3cret-badge").credentialFields(badge)
            .option(CallOptionKey<String>("own"), "s3cret-option")
            .authentication(.bearer(TokenSource(AccessToken("s3cret-access")) { _ in AccessToken("s3cret-fresh") }))
            .timeout(.seconds(7))
    }

    private func expectNoSecret(
        _ value: some Any,
        showing visible: String,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let text = dumped(value)
        #expect(!text.contains("s3cret"), sourceLocation: location)
        #expect(text.contains(visible), sourceLocation: location)
        // The same value inside another one.
        let nested = dumped(["key": [value]])
        #expect(!nested.contains("s3cret"), sourceLocation: location)
        #expect(nested.contains(visible), sourceLocation: location)
    }

    @Test
    func `a dump of a node, an API, a server, options or an environment shows no secret`() throws {
        let node = try secret(
            RequestNode(Int.self).get().endpoint("/a?token=s3cret-query").query(["access_token": "s3cret-item"])
        )
        expectNoSecret(node, showing: "GET /a")
        expectNoSecret(node, showing: "timeout: 7.0 seconds")
        expectNoSecret(
            try secret(RequestNode(Int.self).url("https://kim:s3cret@a.example/?sig=s3cret")),
            showing: "a.example"
        )
        expectNoSecret(
            try secret(RequestNode(Int.self).post().endpoint("/a").requestModel(["password": "s3cret-body"])),
            showing: "POST /a"
        )
        let api = try secret(API(.get, "/a/{id}?key=s3cret", defaults: ["id": "s3cret-default"]))
        expectNoSecret(api, showing: "GET /a/{id}")
        let server = try secret(Server("https://kim:s3cret@api.example.com/?key=s3cret"))
        expectNoSecret(server, showing: "api.example.com")
        expectNoSecret(try secret(CallOptions()), showing: "timeout: 7.0 seconds")
        var environment = try secret(ClientEnvironment(servers: ["store": server]))
        let alias: APIAlias<Int> = "orders"
        environment.apis[alias] = api
        environment.dogmas["own"] = RawDogma()
        expectNoSecret(environment, showing: "orders")
        expectNoSecret(environment, showing: "api.example.com")
        expectNoSecret(try secret(RestClientManager.Configuration()), showing: "timeout: 7.0 seconds")
    }

    @Test
    func `a dump of what goes over the wire shows no secret`() async throws {
        let outgoing = Recorder<OutgoingRequest>()
        let client = StubbedClient(
            answering: .text("7", headers: [.setCookie: "session=s3cret-session", .contentLength: "1"])
        )
        let node = try secret(client.manager.request(Int.self).endpoint("/a").query(["sig": "s3cret-item"]))
            .attemptInterceptors(Capture(seen: outgoing))
        let response = try await node.response()
        let request = try #require(outgoing.elements.first)
        expectNoSecret(request, showing: "api.example.com/v1/a")
        expectNoSecret(request.call, showing: "timeout: 7.0 seconds")
        expectNoSecret(try #require(client.requests.first), showing: "X-Badge: <redacted>")
        expectNoSecret(response, showing: "model: 7")
        expectNoSecret(response.raw, showing: "Content-Length: 1")
    }

    private struct Capture: Interceptor {
        let seen: Recorder<OutgoingRequest>

        func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
            seen.record(request)
            return try await next(request)
        }
    }

    @Test
    func `a transport that keeps a request keeps nothing of its call alive`() async throws {
        final class Payload: Sendable {}
        let client = StubbedClient()
        weak var released: Payload?
        do {
            let payload = Payload()
            released = payload
            _ = try await client.sent { $0.option(CallOptionKey<Payload>("payload"), payload) }
        }
        #expect(client.requests.count == 1)
        #expect(released == nil)
    }

    @Test
    func `a dump of a transport's configuration shows no private key`() {
        var configuration = AsyncHTTPClientTransport.Configuration()
        configuration.clientPrivateKey = "s3cret-key"
        expectNoSecret(configuration, showing: Redaction.mask)
    }

    @Test
    func `a dump of an error shows no secret`() async throws {
        let client = StubbedClient(answering: .status(.unauthorized, headers: [.setCookie: "session=s3cret"]))
        let error = await client.failure { $0.endpoint("/a").query(["token": "s3cret-item"]).bearer("s3cret-bearer") }
        expectNoSecret(try #require(error), showing: "unacceptableStatus")
    }

    @Test
    func `a dump of the request and the response of a dummy shows no secret`() {
        let request = DummyRequest(
            method: .get,
            url: "https://a.example/?token=s3cret",
            headers: [.authorization: "s3cret"],
            body: nil,
            api: nil
        )
        expectNoSecret(request, showing: "a.example")
        expectNoSecret(DummyResponse(status: 200, headers: [.setCookie: "s3cret"]), showing: "Set-Cookie")
    }
}
