// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import Testing

@testable import RestClient

@Suite
struct StatusRulesTests {
    @Test(arguments: [200, 201, 202, 204, 206, 299])
    func `every 2xx status succeeds`(code: Int) async throws {
        let client = StubbedClient(answering: .text("body", .init(code: code)))
        let response = try await client.manager.request().endpoint("/a").response()
        #expect(response.status.code == code)
        #expect(response.body == Data("body".utf8))
        #expect(response.source == .network)
        #expect(response.attempts == 1)
        #expect(response.request.url == "https://api.example.com/v1/a")
    }

    @Test(arguments: [199, 300, 304, 400, 401, 403, 404, 409, 418, 422, 429, 500, 502, 503, 504, 599])
    func `every other status fails and keeps status, header fields and body`(code: Int) async throws {
        let answer = RawResponse.text(#"{"detail":"why"}"#, .init(code: code), headers: [.retryAfter: "7"])
        let client = StubbedClient(answering: answer)
        let thrown = await client.failure { $0.endpoint("/a").callIdentifier("mine") }
        let error = try #require(thrown)
        #expect(error.code == .unacceptableStatus)
        #expect(error.status?.code == code)
        #expect(error.message.contains("\(code)"))
        #expect(error.response?.headers[.retryAfter] == "7")
        #expect(error.response?.body == Data(#"{"detail":"why"}"#.utf8))
        #expect(error.decodedBody(as: [String: String].self) == ["detail": "why"])
        #expect(error.attempts == 1)
        #expect(error.request?.method == .get)
        #expect(error.request?.url == "https://api.example.com/v1/a")
        #expect(error.request?.server == "store")
        #expect(error.request?.callIdentifier == "mine")
    }

    @Test(arguments: [
        (401, FailureClass.unauthorized), (503, .serverUnavailable), (500, .status), (404, .status),
    ])
    func `a refused status has its category`(code: Int, category: FailureClass) async {
        let error = await StubbedClient(answering: .status(.init(code: code))).failure { $0.endpoint("/a") }
        #expect(error?.failureClass == category)
    }

    @Test
    func `a call may accept other statuses`() async throws {
        let missing = StubbedClient(answering: .status(.notFound)).manager.request(Void.self).endpoint("/a")
        #expect(try await missing.accepting([.ok, .notFound]).response().status == .notFound)
        #expect(try await missing.accepting(StatusSet(200..<500)).response().status == .notFound)
        #expect(try await missing.accepting(.any).response().status == .notFound)
    }

    @Test
    func `a call may refuse statuses that others accept`() async {
        let error = await StubbedClient(answering: .status(.created)).failure { $0.endpoint("/a").accepting([.ok]) }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.status == .created)
    }

    @Test
    func `an error mapper turns the failure into the user's, and leaves others alone`() async throws {
        struct Problem: Error, Decodable, Equatable {
            var detail: String
        }
        struct Unplugged: Error {}
        let refused = StubbedClient(answering: .text(#"{"detail":"why"}"#, .conflict))
        let broken = StubbedClient(StubTransport { _ in throw Unplugged() })
        func node(_ client: StubbedClient) -> RequestNode<Void> {
            client.manager.request(Void.self).endpoint("/a")
                .mapError { error in
                    if let problem = error.decodedBody(as: Problem.self) { problem } else { error }
                }
        }
        let problem = await #expect(throws: Problem.self) { try await node(refused).send() }
        #expect(problem == Problem(detail: "why"))
        await #expect(throws: Unplugged.self) { try await node(broken).send() }
    }

    @Test
    func `what a transport throws as its own error reaches the caller with the request`() async {
        let client = StubbedClient(StubTransport { _ in throw RestClientError(.connectionFailed, "no route") })
        let error = await client.failure { $0.endpoint("/a") }
        #expect(error?.code == .connectionFailed)
        #expect(error?.failureClass == .network)
        #expect(error?.attempts == 1)
        #expect(error?.request?.url == "https://api.example.com/v1/a")
    }

    @Test
    func `an error before the wire has no attempts`() async {
        let error = await failure { $0.server("unknown").endpoint("/a").callIdentifier("mine") }
        #expect(error?.attempts == 0)
        #expect(error?.response == nil)
        #expect(error?.request?.callIdentifier == "mine")
        #expect(error?.request?.template == "/a")
        #expect(error?.request?.server == "unknown")
    }

    @Test
    func `limits of the body and the time are passed to the transport`() async throws {
        let client = StubbedClient { configuration in
            configuration.clock = ManualClock()
            configuration = configuration.limits(body: 100)
            configuration = configuration.timeout(nil)
        }
        let byManager = try await client.sent { $0.endpoint("/a") }
        let byCall = try await client.sent { $0.endpoint("/a").limits(body: 7).timeout(.seconds(5)) }
        #expect(byManager.responseLimit == 100)
        #expect(byManager.timeout == nil)
        #expect(byCall.responseLimit == 7)
        #expect(byCall.timeout == .seconds(5))
    }

    @Test
    func `the body of an error is decoded by the dogma of its call, else as JSON`() async throws {
        struct Problem: Error, Codable, Equatable {
            var errorCode: Int
        }
        let client = StubbedClient(
            answering: .text(#"{"error_code":7}"#, .conflict),
            .text(#"{"errorCode":8}"#, .conflict)
        )
        client.manager.dogmas["snake"] = JSONDogma(configureDecoder: { $0.keyDecodingStrategy = .convertFromSnakeCase })
        let node = client.manager.request(Void.self).endpoint("/a").dogma("snake")
        let problem = await #expect(throws: Problem.self) {
            try await node.mapError { error in
                if let problem = error.decodedBody(as: Problem.self) { problem } else { error }
            }
            .send()
        }
        #expect(problem == Problem(errorCode: 7))
        let error = await #expect(throws: RestClientError.self) { try await node.dogma(.raw).send() }
        #expect(error?.decodedBody(as: Problem.self) == Problem(errorCode: 8))
    }
}
