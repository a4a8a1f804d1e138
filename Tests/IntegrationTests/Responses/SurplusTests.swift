// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

/// Servers that send more than the response.
@Suite(.timeLimit(.minutes(5)))
struct SurplusTests {
    /// Responses with bytes behind their end, by what comes behind it.
    static let responses = [
        "a body longer than its length": "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokevil",
        "a chunk behind the last one":
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n4\r\nevil\r\n",
        "a second response":
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
        "a last response": "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nokevil",
    ]

    @Test(arguments: responses.keys.sorted())
    func `it is an event of the call and part of its story, and the response is delivered`(
        surplus: String
    ) async throws {
        let raw = try #require(Self.responses[surplus])
        try await LoopbackClient.with { client in
            client.server.on(.get, "/first") { _ in .raw(raw, ending: .complete) }
            client.server.on(.get, "/next") { _ in .text("next") }
            let log = EventRecorder(client.manager)

            let first = try await client.request(.get, "/first").response()
            let next = try await client.request(.get, "/next").response()

            #expect(first.model == Data("ok".utf8))
            #expect(first.explain().contains("sent more than the response"))
            #expect(log.count(of: .surplusReceived) == 1)
            #expect(log.events.first { $0.kind.name == .surplusReceived }?.callID == first.callID)
            #expect(next.model == Data("next".utf8))
            #expect(!next.explain().contains("sent more than the response"))
            #expect(client.server.requests.map(\.connection) == [1, 2])
        }
    }

    @Test(arguments: responses.keys.sorted())
    func `a streamed body says so at its end`(surplus: String) async throws {
        let raw = try #require(Self.responses[surplus])
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .raw(raw, ending: .complete) }
            let log = EventRecorder(client.manager)
            var body = Data()

            for try await chunk in try await client.request(.get, "/").stream().bytes {
                body += chunk
            }

            #expect(body == Data("ok".utf8))
            #expect(log.names.suffix(2) == [.surplusReceived, .callSucceeded])
        }
    }

    @Test
    func `so does a call whose progress is reported`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in
                .raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokevil", ending: .complete)
            }
            let log = EventRecorder(client.manager)

            _ = try await client.request(.get, "/").onProgress { _ in }.send()

            #expect(log.count(of: .surplusReceived) == 1)
        }
    }

    @Test
    func `a body where none may be is surplus, too`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .raw("HTTP/1.1 204 Odd\r\n\r\nevil", ending: .complete) }
            let log = EventRecorder(client.manager)

            try await client.manager.request(Void.self).endpoint("/").send()

            #expect(log.count(of: .surplusReceived) == 1)
        }
    }

    @Test
    func `a response that ends where it says is no event`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .text("ok") }
            let log = EventRecorder(client.manager)

            _ = try await client.request(.get, "/").send()
            for try await _ in try await client.request(.get, "/").stream().bytes {}

            #expect(log.count(of: .surplusReceived) == 0)
        }
    }
}
