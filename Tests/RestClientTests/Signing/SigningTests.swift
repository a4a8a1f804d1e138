// SPDX-License-Identifier: MIT

import Crypto
import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

@Suite
struct SigningTests {
    /// Signs with a number that counts, and with what the request had when it was signed.
    private struct Counter: RequestSigner {
        var identity = "key 1"
        var isInQuery = false
        let requests = Recorder<OutgoingRequest>()

        func sign(_ request: OutgoingRequest) async throws -> RequestSignature {
            requests.record(request)
            let text = "\(identity), \(requests.count)"
            return isInQuery
                ? RequestSignature(query: [("sig&", text)]) : RequestSignature(headers: [.authorization: text])
        }
    }

    private struct Broken: RequestSigner {
        struct NoKey: Error {}

        let identity = "none"

        func sign(_ request: OutgoingRequest) async throws -> RequestSignature { throw NoKey() }
    }

    private struct Stamp: Interceptor {
        func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
            var request = request
            request.headers[.from] = "stamp"
            return try await next(request)
        }
    }

    private let signer = Counter()

    private func signatures(_ client: StubbedClient) -> [String?] {
        client.requests.map { $0.headers[.authorization] }
    }

    @Test
    func `each attempt is signed anew, behind interceptors and providers`() async throws {
        let client = StubbedClient(answering: .status(.serviceUnavailable), .text("a"))
        var policy = RetryPolicy(attempts: 2)
        policy.backoff.first = .zero

        try await client.manager.run(
            client.manager.request(Void.self).endpoint("/a").retry(policy).signing(signer)
                .interceptors(Stamp(), perAttempt: true).header(.acceptLanguage) { "de" }
        )

        #expect(signatures(client) == ["key 1, 1", "key 1, 2"])
        #expect(signer.requests.elements.map { $0.headers[.from] } == ["stamp", "stamp"])
        #expect(signer.requests.elements.map { $0.headers[.acceptLanguage] } == ["de", "de"])
        #expect(signer.requests.elements.map { $0.headers[.authorization] } == [nil, nil])
    }

    @Test(
        arguments: [
            ("/v1/b", "key 1, 2"), ("https://api.example.com/v1/b", "key 1, 2"), ("https://api.example.com/v2", nil),
            ("https://api.example.com:8443/v1/b", nil), ("https://other.example.com/v1/b", nil),
        ] as [(String, String?)]
    )
    func `a redirect is signed within the server, and never across`(location: String, signature: String?) async throws {
        let client = StubbedClient(answering: .redirect(307, to: location), .text("a"))
        // Another server of the same origin owns the other path.
        client.manager.servers["other"] = "https://api.example.com/v2"

        try await client.manager.run(client.manager.request(Void.self).endpoint("/a").signing(signer))

        #expect(signatures(client) == ["key 1, 1", signature])
    }

    @Test
    func `a redirect that leaves encryption and comes back is not signed`() async throws {
        let client = StubbedClient(
            answering: .redirect(302, to: "http://api.example.com/v1/b"),
            .redirect(302, to: "https://api.example.com/v1/c"),
            .text("a")
        )

        try await client.manager.run(
            client.manager.request(Void.self).endpoint("/a").signing(signer).redirects(.follow.allowingPlainHTTP())
        )

        #expect(signatures(client) == ["key 1, 1", nil, nil])
    }

    @Test
    func `a redirect back from another server is not signed`() async throws {
        let client = StubbedClient(
            answering: .redirect(307, to: "https://other.example.com/b"),
            .redirect(307, to: "https://api.example.com/v1/c"),
            .text("a")
        )

        let response = try await client.manager.request(Void.self).endpoint("/a").signing(signer).response()

        #expect(signatures(client) == ["key 1, 1", nil, nil])
        #expect(response.explain().contains("the request to another server was not signed"))
    }

    @Test(arguments: [("", "?"), ("?b=1", "&"), ("?", "")])
    func `items of a signature follow the query`(query: String, separator: String) async throws {
        let client = StubbedClient()
        let url = "https://api.example.com/v1/a\(query)"

        try await client.manager.run(
            client.manager.request(Void.self).url(url).signing(Counter(isInQuery: true))
        )

        #expect(client.requests.first?.url == "\(url)\(separator)sig%26=key%201%2C%201")
    }

    @Test
    func `a signer of the manager signs for registered servers, and that of a call for any`() async throws {
        let client = StubbedClient()
        client.manager.options = client.manager.options.signing(signer)
        let node = client.manager.request(Void.self)

        try await client.manager.run(node.endpoint("/a"))
        try await client.manager.run(node.url("https://elsewhere.example.com/a"))
        try await client.manager.run(node.url("https://elsewhere.example.com/a").signing(signer))
        try await client.manager.run(node.endpoint("/a").signing(nil))

        #expect(signatures(client) == ["key 1, 1", nil, "key 1, 2", nil])
    }

    @Test
    func `stored responses belong to the key that signed for them`() async throws {
        let client = StubbedClient(answering: .text("a"), .text("b"))
        let node = client.manager.request(String.self).endpoint("/a").cache(.elseNetwork(maxAge: .seconds(60)))

        let first = try await client.manager.run(node.signing(signer))
        let again = try await client.manager.run(node.signing(signer))
        let other = try await client.manager.run(node.signing(Counter(identity: "key 2")))

        #expect([first, again, other] == ["a", "a", "b"])
        #expect(client.requests.count == 2)
    }

    @Test
    func `a request that cannot be signed is not sent, and its failure says so`() async throws {
        let client = StubbedClient()

        let error = await client.failure { $0.post().endpoint("/a").signing(Broken()) }

        #expect(error?.code == .signingFailed)
        #expect(error?.underlying is Broken.NoKey)
        #expect(error?.isUnsent == true)
        #expect(client.requests.isEmpty)
    }

    @Test
    func `the failure of another call that a signer makes is not that of the call`() async throws {
        struct Asking: RequestSigner {
            let identity = "asking"

            func sign(_ request: OutgoingRequest) async throws -> RequestSignature {
                throw RestClientError(.unacceptableStatus, "", response: .status(.serviceUnavailable))
            }
        }
        let client = StubbedClient()

        let error = await client.failure { $0.endpoint("/a").retry(.standard).signing(Asking()) }

        #expect(error?.code == .signingFailed)
        #expect(error?.status == nil)
        #expect((error?.underlying as? RestClientError)?.status == .serviceUnavailable)
        #expect(client.requests.isEmpty)
    }

    @Test
    func `explanations name the signer and its key`() async throws {
        let client = StubbedClient()
        client.manager.options = client.manager.options.signing(signer)
        let node = client.manager.request(Void.self)

        let response = try await node.endpoint("/a").response()
        let other = try await node.url("https://elsewhere.example.com/a").response()

        #expect(response.explainOptions().contains { "\($0)".contains("Counter as key 1") })
        #expect(response.explain().contains("Requests to the server are signed by Counter as key 1."))
        #expect(other.explain().contains("The request is not signed, because it goes to no registered server"))
    }

    @Test
    func `a signer of the manager without servers is found by lint`() async {
        let manager = StubbedClient().manager
        manager.options = manager.options.signing(signer)
        #expect(await manager.lint().isEmpty)
        manager.defaultServer = nil
        manager.servers.removeAll()

        #expect(await manager.lint().map(\.kind) == [.ineffectiveOption])
    }

    @Test
    func `a dummy receives the signed request`() async throws {
        let client = StubbedClient()
        let seen = Recorder<String?>()
        client.manager.dummies.mode = .strict
        client.manager.dummies.register(.get, "/a") { request in
            seen.record(request.headers[.authorization])
            return .status(.ok)
        }

        try await client.manager.run(client.manager.request(Void.self).endpoint("/a").signing(signer))

        #expect(seen.elements == ["key 1, 1"])
        #expect(client.requests.isEmpty)
    }

    // MARK: - Digests

    private static func digest(_ text: String) -> Data { Data(SHA256.hash(data: Data(text.utf8))) }

    /// The digest of a body as a signer gets it.
    private func digest(of body: RequestBody?, compressed: Bool = false) async throws -> Data? {
        let client = StubbedClient()
        var node = client.manager.request(Void.self).post().endpoint("/a").signing(signer)
        if let body {
            node = node.body(body)
        }
        if compressed {
            node = node.compressingBody(.gzip)
        }
        try await client.manager.run(node)
        return try await signer.requests.elements.first?.bodyDigest()
    }

    @Test
    func `the digest of a body is that of what is sent`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.url.appendingPathComponent("a.txt")
        try Data("file".utf8).write(to: file)

        #expect(try await digest(of: nil) == Self.digest(""))
        signer.requests.removeAll()
        #expect(try await digest(of: .bytes(Data("a".utf8))) == Self.digest("a"))
        signer.requests.removeAll()
        #expect(try await digest(of: .file(file.path)) == Self.digest("file"))
        signer.requests.removeAll()
        let coded = try await digest(of: .bytes(Data("a".utf8)), compressed: true)
        #expect(coded != Self.digest("a") && coded?.count == 32)
    }

    @Test
    func `a stream that can be read once has no digest`() async throws {
        let once = RequestBody.stream(AsyncStream<Data> { $0.finish() })

        #expect(try await digest(of: once) == nil)
    }
}
