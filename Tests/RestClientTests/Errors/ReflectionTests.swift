// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// The output of `dump` and other uses of reflection.
@Suite(.timeLimit(.minutes(5)))
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
            try secret(RequestNode(Int.self).post().endpoint("/a").values(["password": "s3cret-body"])),
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
            .interceptors(Capture(seen: outgoing), perAttempt: true)
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

    enum Sending: Sendable, CaseIterable {
        case whole, streamed, measured
    }

    @Test(arguments: Sending.allCases)
    func `a transport that keeps a request keeps nothing of its call alive`(_ sending: Sending) async throws {
        let client = StubbedClient()
        let observation = client.manager.observe { _ in }
        let released = Gate()
        do {
            let payload = ReleaseWatch(released)
            let node = client.manager.request(Void.self).post().endpoint("/a").body(.bytes(Data("text".utf8)))
                .option(CallOptionKey<ReleaseWatch>("payload"), payload)
            switch sending {
            case .whole: try await node.send()
            case .streamed: for try await _ in try await node.stream().bytes {}
            case .measured:
                try await node.progressEvents().onProgress { _ in withExtendedLifetime(payload) {} }.send()
            }
        }
        #expect(client.requests.count == 1)
        try await released.wait()
        withExtendedLifetime(observation) {}
    }

    @Test
    func `a dump of a transport's configuration shows no private key`() {
        var configuration = DirectTransport.Configuration()
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

    // MARK: - Positions, links and contents

    /// Expects that neither the description of a value nor its dump shows a secret.
    private func expectNoSecretPrinted(
        _ value: some Any,
        showing visible: String,
        _ location: SourceLocation = #_sourceLocation
    ) {
        expectNoSecret(value, showing: visible, location)
        for text in ["\(value)", String(reflecting: value), "\([value])"] {
            #expect(!text.contains("s3cret"), sourceLocation: location)
            #expect(text.contains(visible), sourceLocation: location)
        }
    }

    @Test
    func `a position of a listing shows no secret, and its stored form is whole`() throws {
        let url = PagePosition.url("https://kim:s3cret@a.example/?page=2&api_key=s3cret")
        for position in [url, .cursor("s3cret-cursor")] {
            let state = PagingState(position: position, pageCount: 3, itemCount: 40)
            expectNoSecretPrinted(position, showing: position == url ? "a.example/?page=2" : "cursor(13 bytes)")
            expectNoSecretPrinted(state, showing: "after 3 pages with 40 items")
            let stored = try JSONEncoder().encode(state)
            #expect(String(decoding: stored, as: UTF8.self).contains("s3cret"))
            #expect(try JSONDecoder().decode(PagingState.self, from: stored) == state)
        }
        let positions: [PagePosition] = [.start, .offset(7), .number(2)]
        #expect(positions.map(\.description) == ["start", "offset(7)", "number(2)"])
        #expect("\(PagingState(position: nil))" == "the end after 0 pages with 0 items")
        let pages = try RequestNode([Int].self).endpoint("/a").pages(.nextURL { _ in nil as String? }) { $0 }
            .starting(from: PagingState(position: url))
        expectNoSecret(pages, showing: "page=2")
    }

    @Test
    func `a link shows no secret`() {
        let text =
            "</a?api_key=s3cret>; rel=\"next\"; anchor=\"/?token=s3cret\"; title=\"x\"; token=\"s3cret\"; "
            + "see=\"https://a.example/?sig=s3cret\""
        let links = WebLink.links(in: [text])
        #expect(links.first?.target == "/a?api_key=s3cret")
        expectNoSecretPrinted(links, showing: "</a?api_key=<redacted>>; rel=")
    }

    @Test
    func `what carries header fields, bodies or texts of a server shows no secret`() async throws {
        let fields: HTTPFields = [
            .setCookie: "session=s3cret", .location: "/b?token=s3cret", .contentLength: "6",
        ]
        expectNoSecretPrinted(InterimResponse(status: .init(code: 103), headers: fields), showing: "Content-Length: 6")
        expectNoSecretPrinted(DownloadedFile(length: 7, headers: fields), showing: "7 bytes")
        expectNoSecretPrinted(ServerSentEvent(type: "ping", data: "s3cret"), showing: "ping of 6 bytes")
        expectNoSecretPrinted(EncodedBody(Data("s3cret".utf8), contentType: "text/a"), showing: "6 bytes of text/a")
        expectNoSecretPrinted(
            EnvelopeError(code: "7", message: "see https://a.example/?token=s3cret"),
            showing: "code 7: see https://a.example/?token="
        )
        let form = MultipartForm().field("password", "s3cret")
            .data("file", Data("s3cret".utf8), headers: ["X-Token": "s3cret", "X-Own": "seen"])
        expectNoSecretPrinted(form, showing: "password, file")
        expectNoSecretPrinted(form.parts, showing: "6 bytes")
        expectNoSecretPrinted(form.parts[1].headers, showing: "X-Own: seen")
        expectNoSecretPrinted(form.parts[0].content, showing: "6 bytes")
        expectNoSecretPrinted(RequestBody.multipart(form), showing: "password, file")
        expectNoSecretPrinted(RequestBody.bytes(Data("s3cret".utf8)), showing: "6 bytes")
    }

    @Test
    func `a dogma that prints its request shows no secret`() async throws {
        let requests = Recorder<DogmaRequest>()
        let client = StubbedClient(answering: .text("7"))
        client.manager.dogmas["printing"] = PrintingDogma(requests: requests)
        let tenant = try #require(HTTPField.Name("X-Tenant"))
        _ = try await client.manager.request(Int.self).endpoint("/a").query(["sig": "s3cret"]).bearer("s3cret")
            .headers([tenant: "s3cret", .accept: "seen"]).credentialFields(tenant).dogma("printing").send()

        let request = try #require(requests.elements.last)
        expectNoSecretPrinted(request, showing: "GET ")
        #expect(request.description.contains("seen"))
    }

    private struct PrintingDogma: Dogma {
        let requests: Recorder<DogmaRequest>

        var acceptedContentType: String? { nil }

        func encode(_ model: some Encodable, for request: DogmaRequest) throws -> EncodedBody {
            requests.record(request)
            return EncodedBody(Data(), contentType: nil)
        }

        func decode<Model: Decodable>(
            _ type: Model.Type,
            from response: RawResponse,
            for request: DogmaRequest
        ) throws -> Model {
            requests.record(request)
            return try JSONDecoder().decode(type, from: response.body)
        }
    }

    @Test
    func `a stored response shows no secret of its URLs`() async throws {
        let fields: HTTPFields = [
            .cacheControl: "max-age=60", .setCookie: "a=s3cret", .contentLocation: "/a?access_key=s3cret",
        ]
        let client = StubbedClient(answering: .text("7", headers: fields))
        _ = try await client.manager.request(Int.self).endpoint("/a").query(["sig": "s3cret"]).cache(.http).send()

        let stored = try await client.manager.cache.entries()
        #expect(stored.count == 1)
        #expect(stored.first?.headers[.contentLocation] == "/a?access_key=<redacted>")
        expectNoSecretPrinted(stored, showing: "sig=<redacted>")
    }
}
