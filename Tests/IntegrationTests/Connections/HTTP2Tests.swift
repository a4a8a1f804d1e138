// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

/// Calls over HTTP/2.
@Suite(.timeLimit(.minutes(5)))
struct HTTP2Tests {
    private let identity: TestIdentity

    init() throws {
        identity = try TestIdentity()
    }

    @Test(arguments: [200, 201, 404, 503])
    func `status, header fields and body arrive`(status: Int) async throws {
        try await LoopbackClient.with(.http2(identity)) { client in
            client.server.onAny { _ in .text("body", status: status, headers: ["X-Mark": "1", "X-Mark": "2"]) }
            let response = try await client.request(.get, "/a/b").query(["q": "x y"]).accepting(.any).response()
            #expect(response.status.code == status)
            #expect(response.headers[values: .init("X-Mark")!] == ["1", "2"])
            #expect(response.body == Data("body".utf8))
            let request = try #require(client.server.requests.first)
            #expect(request.version == .http2)
            #expect(request.target == "/a/b?q=x%20y")
            #expect(request.authority == "127.0.0.1:\(client.server.port)")
        }
    }

    @Test(arguments: [0, 1, 100_000, 1_000_000])
    func `a body arrives whole, both ways`(count: Int) async throws {
        let bytes = Data((0..<count).map { UInt8(truncatingIfNeeded: $0) })
        try await LoopbackClient.with(.http2(identity)) { client in
            client.server.onAny { request in .bytes(request.body) }
            let answer = try await client.request(.post, "/").body(bytes).send()
            #expect(answer == bytes)
        }
    }

    @Test
    func `a hundred calls at once share one connection`() async throws {
        try await LoopbackClient.with(.http2(identity)) { configuration, _ in
            configuration.workerCount = 0
        } _: { client in
            let gate = Gate()
            client.server.on(.get, "/{id}") { request in
                LoopbackResponse.text(request.parameters["id"] ?? "").after(gate)
            }
            // The connection is made, and its limit of streams known, before they all ask for it.
            gate.pass()
            _ = try await client.request(.get, "/warm").send()

            let nodes = (0..<100).map { client.request(String.self, .get, "/{id}").parameter("id", $0) }
            async let report = client.manager.concurrently(nodes)
            try await gate.waitForWaiters(count: 100)
            gate.open()
            let values = await report.values
            #expect(values == (0..<100).map(String.init))
            #expect(client.server.connectionCount == 1)
        }
    }

    @Test
    func `a cancelled call resets its stream and leaves the connection`() async throws {
        try await LoopbackClient.with(.http2(identity)) { client in
            client.server.on(.get, "/slow") { _ in .chunks(["first", .wait(Gate())]) }
            client.server.on(.get, "/next") { _ in .text("next") }
            let call = Task { try await client.request(.get, "/slow").send() }
            try await client.server.waitForRequests()
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            try await client.server.waitForEvent(.aborted(request: 1))
            _ = try await client.request(.get, "/next").send()
            #expect(client.server.requests.map(\.connection) == [1, 1])
        }
    }

    @Test(arguments: [false, true])
    func `a call ends with its time limit`(withHead: Bool) async throws {
        try await LoopbackClient.with(.http2(identity)) { client in
            client.server.on(.get, "/") { _ in withHead ? .chunks(["first", .wait(Gate())]) : .never }
            let error = await #expect(throws: RestClientError.self) {
                try await client.request(.get, "/").timeout(.milliseconds(150)).send()
            }
            #expect(error?.code == .timeout)
        }
    }

    @Test
    func `trailer fields do not disturb the body`() async throws {
        try await LoopbackClient.with(.http2(identity)) { client in
            client.server.on(.get, "/") { _ in .chunks(["one", "two"]).trailers(["X-Checksum": "abc"]) }
            let answer = try await client.request(.get, "/").send()
            #expect(answer == Data("onetwo".utf8))
        }
    }

    @Test
    func `a compressed body is unfolded`() async throws {
        try await LoopbackClient.with(.http2(identity)) { client in
            let text = String(repeating: "words ", count: 1_000)
            client.server.on(.get, "/") { _ in .text(text).encoded(.gzip) }
            let answer = try await client.request(String.self, .get, "/").send()
            #expect(answer == text)
        }
    }

    /// Responses that end too early.
    static let cutAnswers: [String: LoopbackResponse] = [
        "closed before the head": .close,
        "reset before the head": .reset,
        "closed in the body": .chunks(["half"]).ending(.close),
        "reset in the body": .chunks(["half"]).ending(.reset),
        "its stream refused": LoopbackResponse.never.ending(.resetStream(code: 7)),
        "its stream reset in the body": .chunks(["half"]).ending(.resetStream(code: 2)),
        "its stream cancelled in the body": .text("half").ending(.resetStream(code: 8)),
    ]

    @Test(arguments: cutAnswers.keys.sorted())
    func `a cut response is a closed connection, never a short body`(answer: String) async throws {
        let response = try #require(Self.cutAnswers[answer])
        try await LoopbackClient.with(.http2(identity)) { client in
            client.server.on(.get, "/cut") { _ in response }
            client.server.on(.get, "/next") { _ in .text("next") }
            let error = await #expect(throws: RestClientError.self) { try await client.request(.get, "/cut").send() }
            #expect(error?.code == .connectionClosed)
        }
    }

    @Test
    func `a body shorter than its announced length is an error`() async throws {
        try await LoopbackClient.with(.http2(identity)) { client in
            client.server.on(.get, "/") { _ in
                var response = LoopbackResponse.text("half")
                response.headers["Content-Length"] = "100"
                return response
            }
            await #expect(throws: RestClientError.self) { try await client.request(.get, "/").send() }
        }
    }

    @Test(arguments: [0, 99])
    func `a status below 100 is malformed`(status: Int) async throws {
        try await LoopbackClient.with(.http2(identity)) { client in
            client.server.on(.get, "/bad") { _ in .text("odd", status: status) }
            client.server.on(.get, "/next") { _ in .text("next") }
            let error = await #expect(throws: RestClientError.self) { try await client.request(.get, "/bad").send() }
            #expect(error?.code == .malformedResponse)
            let next = try await client.request(.get, "/next").send()
            #expect(next == Data("next".utf8))
        }
    }

    @Test
    func `bytes that are no HTTP/2 end the call with an error`() async throws {
        try await LoopbackClient.with(.http2(identity)) { client in
            client.server.on(.get, "/") { _ in .raw("this is no frame, and will never be one\r\n") }
            await #expect(throws: RestClientError.self) {
                try await client.request(.get, "/").timeout(.seconds(30)).send()
            }
        }
    }
}
