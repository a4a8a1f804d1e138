// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

/// One dummy, in the socket's place and on a server: a call cannot tell which.
@Suite(.timeLimit(.minutes(5)))
struct DummyServerTests {
    /// The outcome of a call.
    private enum Outcome: Equatable {
        case answer(status: Int, body: String, tag: String?)
        case failure(RestClientError.Code)
    }

    private static let answers: [String: DummyResponse] = [
        "text": .text("hello", headers: [.eTag: "v1"]),
        "nothing": .status(.noContent),
        "a body where none can be": .text("why", status: .noContent),
        "a status that is refused": .text("why", status: .conflict),
        "a slow body": .text("in pieces").slowly(pieces: 4, every: .milliseconds(1)),
        "a reset": .connectionReset,
        "malformed": .malformed,
        "a body cut in half": .text("half a body").truncated(),
        "a body cut at its beginning": .text("half a body").truncated(after: 0),
        "a slow body cut near its end": .text("half a body").truncated(after: 9)
            .slowly(pieces: 4, every: .milliseconds(1)),
        "an empty body cut": .status(.ok).truncated(),
        "a body over the limit": .text(String(repeating: "x", count: 2_000)),
    ]

    private static func outcome(of client: LoopbackClient, _ node: RequestNode<String>) async throws -> Outcome {
        do {
            let response = try await client.manager.request(node.limits(body: 1_000)).response()
            return .answer(
                status: response.status.code,
                body: response.model,
                tag: response.headers[.eTag]
            )
        } catch let error as RestClientError {
            return .failure(error.code)
        }
    }

    /// Runs one call against a dummy in place of the socket, and one against a server that responds with the same
    /// dummy.
    private static func outcomes(
        _ dummy: Dummy,
        _ mode: LoopbackServer.Mode,
        reachesServer: Bool = true,
        _ describe: (RequestNode<String>) -> RequestNode<String> = { $0 }
    ) async throws -> (dummy: Outcome, server: Outcome) {
        try await LoopbackClient.with(mode) { client in
            let node = describe(client.request(String.self, .get, "/a"))
            let dummies = DummyRegistry()
            dummies.register(dummy)
            client.server.respond(with: dummies)
            let server = try await outcome(of: client, node)
            let inPlace = try await client.manager.withDummies(.strict, [dummy]) { try await outcome(of: client, node) }
            if reachesServer {
                #expect(client.server.requests.count == 1)
                #expect(dummies.calls.count == 1)
            }
            return (inPlace, server)
        }
    }

    @Test(arguments: answers.keys.sorted())
    func `a call over HTTP/1 ends like one to the dummy`(answer: String) async throws {
        let response = try #require(Self.answers[answer])
        let outcomes = try await Self.outcomes(Dummy(.get, "/a").responds(response), .http1)
        #expect(outcomes.dummy == outcomes.server)
    }

    /// Invalid bytes on an HTTP/2 connection end it, which is not a malformed response to one of its streams.
    @Test(arguments: answers.keys.sorted().filter { $0 != "malformed" })
    func `a call over HTTP/2 ends like one to the dummy`(answer: String) async throws {
        let response = try #require(Self.answers[answer])
        let outcomes = try await Self.outcomes(Dummy(.get, "/a").responds(response), .http2Only(TestIdentity()))
        #expect(outcomes.dummy == outcomes.server)
    }

    @Test
    func `no response is a timeout in both places`() async throws {
        // On a busy machine the time may be up before the request has reached the server, which is a timeout as well.
        let outcomes = try await Self.outcomes(Dummy(.get, "/a").responds(.noResponse), .http1, reachesServer: false) {
            $0.timeout(.seconds(1))
        }
        #expect(outcomes.dummy == .failure(.timeout))
        #expect(outcomes.server == .failure(.timeout))
    }

    @Test
    func `a server's dummies see the request, and have sequences, limits and conditions`() async throws {
        try await LoopbackClient.with { client in
            let dummies = DummyRegistry()
            dummies.register {
                Dummy(.post, "/users/{id}").matching(.json(["a": 1]), .query("q", "x y"), .header(.accept, "a/b"))
                    .responds { request in .text("\(request.parameters["id"] ?? "") at \(request.url.suffix(14))") }
                Dummy(.get, "/a").times(1).responds(.text("once"))
                Dummy(.get, "/a").priority(-1).responds(.text("then"))
            }
            client.server.respond(with: dummies)
            let post = client.request(String.self, .post, "/users/{id}").parameter("id", "a/b").query("q", "x y")
                .header(.accept, "a/b").values(["a": 1])
            let posted = try await post.send()
            #expect(posted == "a/b at /a%2Fb?q=x%20y")
            let get = client.request(String.self, .get, "/a")
            let gotten = [try await get.send(), try await get.send()]
            #expect(gotten == ["once", "then"])
            try dummies.verify(Dummy(.post, "/users/{id}").matching(.parameter("id", "a/b")), times: 1)
        }
    }

    @Test
    func `a server's dummy of an API is found by the API's path, and one of a server is for this one`() async throws {
        try await LoopbackClient.with { client in
            let key = APIAlias<String>("user")
            client.manager.apis[key] = API(.get, "/users/{id}", server: .loopback)
            let dummies = DummyRegistry()
            dummies.register(Dummy(key, responding: "kim"))
            dummies.register(Dummy(.get, "/b", server: "elsewhere").responds(.text("b")))
            client.server.respond(with: dummies, of: client.manager)
            let texts = [
                try await client.manager.request(key).parameter("id", 7).send(),
                try await client.request(String.self, .get, "/b").send(),
            ]
            #expect(texts == ["kim", "b"])
        }
    }

    @Test
    func `a server without a dummy for a request says which were near`() async throws {
        try await LoopbackClient.with { client in
            let dummies = DummyRegistry()
            dummies.register(Dummy(.post, "/users/{id}"))
            client.server.respond(with: dummies)
            let error = await #expect(throws: RestClientError.self) {
                try await client.request(String.self, .get, "/users/7").send()
            }
            #expect(error?.status == .notImplemented)
            let text = String(decoding: error?.response?.body ?? Data(), as: UTF8.self)
            #expect(text.contains("nearest: 'POST /users/{id}' (method: GET instead of POST)"))
        }
    }

    @Test
    func `a server's dummy that throws is an error of the server`() async throws {
        struct Odd: Error {}
        try await LoopbackClient.with { client in
            let dummies = DummyRegistry()
            dummies.register(.get, "/a") { _ in throw Odd() }
            client.server.respond(with: dummies)
            let error = await #expect(throws: RestClientError.self) {
                try await client.request(String.self, .get, "/a").send()
            }
            #expect(error?.status == .internalServerError)
        }
    }

    @Test
    func `a delay of a server's dummy is measured with its clock`() async throws {
        let clock = ManualClock()
        try await LoopbackClient.with { client in
            let dummies = DummyRegistry()
            dummies.register(.get, "/a", delay: .seconds(30)) { _ in .text("late") }
            client.server.respond(with: dummies, clock: clock)
            let call = Task { try await client.request(String.self, .get, "/a").send() }
            try await clock.waitForSleepers(count: 1)
            clock.advance(by: .seconds(30))
            let text = try await call.value
            #expect(text == "late")
        }
    }
}
