// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

/// Responses whose bytes two readers could read in two ways, and those that exceed a limit.
@Suite(.timeLimit(.minutes(5)))
struct TransportLimitTests {
    static let framings: [String: String] = [
        "an unknown transfer coding": "HTTP/1.1 200 OK\r\nTransfer-Encoding: foo\r\n\r\nevil",
        "gzip that nobody asked for":
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n4\r\nevil\r\n0\r\n\r\n",
        "chunked that is not the last one":
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n\r\n4\r\nevil\r\n0\r\n\r\n",
        "chunked in two lines":
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "chunked in HTTP/1.0": "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nevil\r\n0\r\n\r\n",
        "an empty transfer coding": "HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n\r\nevil",
        "both framings":
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n4\r\nevil\r\n0\r\n\r\n",
        "an upgrade that nobody asked for":
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: chat\r\nConnection: Upgrade\r\n\r\nevil",
        "an upgrade without a word": "HTTP/1.1 101 Switching Protocols\r\n\r\nevil",
        "a flood of interim responses":
            String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", count: 101)
            + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
    ]

    private func failure(
        of request: TransportRequest,
        on transport: any Transport,
        isStreamed: Bool
    ) async -> RestClientError? {
        do {
            let response = try await isStreamed ? transport.open(request) : transport.send(request)
            Issue.record("answered \(response.status.code)")
            return nil
        } catch {
            return error as? RestClientError
        }
    }

    @Test(arguments: framings.keys.sorted(), [false, true])
    func `a response whose body nobody can tell is malformed`(framing: String, isStreamed: Bool) async throws {
        let bytes = try #require(Self.framings[framing])
        try await LoopbackServer.with { server in
            server.on(.get, "/bad") { _ in .raw(bytes) }
            server.on(.get, "/good") { _ in .text("good") }
            let transport = try TransportKind.http1.make()
            let error = await failure(of: TransportRequest(.get, server, "/bad"), on: transport, isStreamed: isStreamed)
            #expect(error?.code == .malformedResponse)
            let next = try await transport.send(TransportRequest(.get, server, "/good"))
            #expect(next.text == "good")
        }
    }

    @Test
    func `as many interim responses as the configuration says are no error`() async throws {
        let hints = String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 3)
        try await LoopbackServer.with { server in
            server.onAny { _ in .raw(hints + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", ending: .complete) }
            for (limit, isWithin) in [(3, true), (2, false)] {
                var configuration = DirectTransport.Configuration()
                configuration.interimResponseLimit = limit
                let transport = try TransportKind.http1.make(configuration)
                for _ in 0..<2 where isWithin {
                    let response = try await transport.send(TransportRequest(.get, server, "/"))
                    #expect(response.text == "ok")
                    #expect(response.interimResponses.count == 3)
                }
                if !isWithin {
                    let code = try await failureCode { try await transport.send(TransportRequest(.get, server, "/")) }
                    #expect(code == .malformedResponse)
                }
            }
        }
    }

    // MARK: - Pace

    @Test(.eachTransport, arguments: [false, true])
    func `a server that does not begin to respond ends the exchange`(isStreamed: Bool) async throws {
        try await LoopbackServer.with(TransportKind.chosen.mode) { server in
            server.onAny { _ in .never }
            var request = TransportRequest(.get, server, "/")
            request.firstByteTimeout = .milliseconds(100)
            let error = try await failure(of: request, on: TransportKind.chosen.make(), isStreamed: isStreamed)
            #expect(error?.code == .timeout)
            #expect(error?.message.contains("timeouts(firstByte:)") == true)
        }
    }

    @Test(.eachTransport)
    func `a server that stops in the middle ends the exchange`() async throws {
        try await LoopbackServer.with(TransportKind.chosen.mode) { server in
            server.onAny { _ in .text("early").claimingLength(100).ending(.stall) }
            var request = TransportRequest(.get, server, "/")
            request.idleTimeout = .milliseconds(100)
            let error = try await failure(of: request, on: TransportKind.chosen.make(), isStreamed: false)
            #expect(error?.code == .timeout)
            #expect(error?.message.contains("timeouts(idle:)") == true)
        }
    }

    @Test(.eachTransport)
    func `the message of a call names the limit of the server, not its own`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .never }
            let error = await #expect(throws: RestClientError.self) {
                try await client.request(.get, "/").timeouts(firstByte: .milliseconds(100)).send()
            }
            #expect(error?.code == .timeout)
            #expect(error?.message.contains("timeouts(firstByte:)") == true)
        }
    }

    @Test(.eachTransport)
    func `a server in time is not disturbed by the limits`() async throws {
        try await LoopbackServer.with(TransportKind.chosen.mode) { server in
            server.onAny { _ in .chunks(["one", "two"]) }
            var request = TransportRequest(.get, server, "/")
            request.firstByteTimeout = .seconds(3_600)
            request.idleTimeout = .seconds(3_600)
            let response = try await TransportKind.chosen.make().send(request)
            #expect(response.text == "onetwo")
        }
    }

    // MARK: - Decompression

    @Test(.eachTransport, arguments: [(200, true), (2_000, false)], [false, true])
    func `a bomb is found by its ratio`(row: (factor: Int, isBomb: Bool), isStreamed: Bool) async throws {
        let zeros = try LoopbackContentEncoding.gzip.encode([UInt8](repeating: 0, count: 4 << 20))
        try await LoopbackServer.with(TransportKind.chosen.mode) { server in
            server.onAny { _ in .bytes(zeros, headers: ["Content-Encoding": "gzip"]) }
            var request = TransportRequest(.get, server, "/")
            request.decompressionLimit = row.factor
            let transport = try TransportKind.chosen.make()
            do {
                let response = try await isStreamed ? transport.open(request) : transport.send(request)
                var count = response.body.count
                if let stream = response.stream {
                    for try await chunk in stream {
                        count += chunk.count
                    }
                }
                #expect(!row.isBomb)
                #expect(count == 4 << 20)
            } catch let error as RestClientError {
                #expect(row.isBomb)
                #expect(error.code == .responseTooLarge)
                #expect(error.message.contains("200 times"))
            }
        }
    }
}
