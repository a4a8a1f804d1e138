// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

/// Statuses, and the errors that are made of them.
@Suite(.timeLimit(.minutes(5)), .eachTransport)
struct StatusTests {
    private struct Problem: Decodable, Equatable {
        var title: String
    }

    @Test(arguments: [200, 201, 202, 206])
    func `a success with a body becomes a model`(status: Int) async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .json(#"{"title": "fine"}"#, status: status, headers: ["ETag": "\"1\""]) }
            let response = try await client.request(Problem.self, .get, "/").response()
            #expect(response.model == Problem(title: "fine"))
            #expect(response.status.code == status)
            #expect(response.headers[.eTag] == "\"1\"")
            #expect(response.source == .network)
            #expect(response.attempts == 1)
            #expect(response.body == Data(#"{"title": "fine"}"#.utf8))
        }
    }

    @Test
    func `a success without a body becomes nothing, and no other model`() async throws {
        try await LoopbackClient.with { client in
            client.server.on(.get, "/204") { _ in .status(204) }
            client.server.on(.get, "/200") { _ in .status(200) }
            for path in ["/204", "/200"] as [PathTemplate] {
                try await client.manager.request(Void.self).endpoint(path).send()
                let optional = try await client.request(Problem?.self, .get, path).send()
                let bytes = try await client.request(.get, path).send()
                let error = await #expect(throws: RestClientError.self) {
                    try await client.request(Problem.self, .get, path).send()
                }
                #expect(optional == nil)
                #expect(bytes.isEmpty)
                #expect(error?.code == .decodingFailed)
            }
        }
    }

    static let categories: [(status: Int, category: FailureClass)] = [
        (304, .status), (400, .status), (401, .unauthorized), (403, .status), (404, .status), (409, .status),
        (422, .status), (429, .status), (500, .status), (502, .status), (503, .serverUnavailable), (599, .status),
    ]

    @Test(arguments: categories)
    func `a failure keeps status, header fields and body`(
        status: Int,
        category: FailureClass
    ) async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .json(#"{"title": "odd"}"#, status: status, headers: ["Retry-After": "3"]) }
            let error = try #require(
                await #expect(throws: RestClientError.self) {
                    try await client.request(Problem.self, .get, "/orders").callIdentifier("c-1").send()
                }
            )
            #expect(error.code == .unacceptableStatus)
            #expect(error.failureClass == category)
            #expect(error.status?.code == status)
            #expect(error.response?.headers[.retryAfter] == "3")
            #expect(error.decodedBody(as: Problem.self) == (status == 304 ? nil : Problem(title: "odd")))
            #expect(error.attempts == 1)
            #expect(error.request?.url == client.server.url + "/orders")
            #expect(error.request?.callIdentifier == "c-1")
            #expect(client.server.requests.count == 1)
        }
    }

    @Test
    func `a call says itself what it accepts`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { request in .text("body", status: Int(request.path.dropFirst()) ?? 500) }
            let missing = try await client.request(String.self, .get, "/404").accepting([.ok, .notFound]).response()
            #expect(missing.status == .notFound)
            #expect(missing.model == "body")
            let error = await #expect(throws: RestClientError.self) {
                try await client.request(.get, "/200").accepting([.notFound]).send()
            }
            #expect(error?.status == .ok)
        }
    }

    @Test
    func `a response that is no model keeps its bytes`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .text("<html>oops</html>", headers: ["Content-Type": "text/html"]) }
            let error = await #expect(throws: RestClientError.self) {
                try await client.request(Problem.self, .get, "/").send()
            }
            #expect(error?.code == .decodingFailed)
            #expect(error?.response.map { String(decoding: $0.body, as: UTF8.self) } == "<html>oops</html>")
            #expect(error?.status == .ok)
        }
    }

    @Test
    func `an error's body becomes an error of one's own`() async throws {
        struct Rejected: Error {
            let title: String
        }
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .json(#"{"title": "no stock"}"#, status: 409) }
            let error = await #expect(throws: Rejected.self) {
                try await client.request(.post, "/")
                    .mapError { error in
                        if let problem = error.decodedBody(as: Problem.self) {
                            Rejected(title: problem.title)
                        } else {
                            error
                        }
                    }
                    .send()
            }
            #expect(error?.title == "no stock")
        }
    }

    @Test
    func `descriptions of failures hold no credentials`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .text("no", status: 401, headers: ["Set-Cookie": "session=s3cret"]) }
            let error = try #require(
                await #expect(throws: RestClientError.self) {
                    try await client.request(.get, "/").bearer("s3cret").query(["api_key": "s3cret"]).send()
                }
            )
            #expect(!error.description.contains("s3cret"))
            #expect(!"\(error)".contains("s3cret"))
            #expect(!String(reflecting: error).contains("s3cret"))
        }
    }
}
