// SPDX-License-Identifier: MIT

import RestClient
import TestSupport
import Testing

/// The effects of the configuration of ``DirectTransport``.
@Suite(.timeLimit(.minutes(5)))
struct TransportOptionTests {
    @Test(.eachTransport, arguments: [true, false])
    func `compression is asked for unless that is switched off`(asks: Bool) async throws {
        try await LoopbackClient.with { _, connections in
            connections.asksForCompression = asks
        } _: { client in
            client.server.onAny { _ in .text("words words words").encoded(.gzip) }
            let answer = try await client.request(String.self, .get, "/").dogma(.raw).send()

            #expect(answer == "words words words")
            #expect(client.server.requests.first?.headers["Accept-Encoding"] == (asks ? "gzip, deflate" : nil))
        }
    }

    @Test
    func `a server without HTTP/2 gets nothing when that is required`() async throws {
        let identity = try TestIdentity()
        for mode in [LoopbackServer.Mode.http1, .https1(identity)] {
            try await LoopbackClient.with(mode) { _, connections in
                connections.requiresHTTP2 = true
            } _: { client in
                client.server.onAny { _ in .text("never") }
                let error = await #expect(throws: RestClientError.self) {
                    try await client.request(.post, "/secret").body(["a": 1]).send()
                }

                #expect(error?.code == .connectionFailed)
                #expect(error?.message.contains("HTTP/2") == true)
                #expect(client.server.requests.isEmpty)
            }
        }
    }

    @Test
    func `a server with HTTP/2 is asked when that is required`() async throws {
        try await LoopbackClient.with(.http2(try TestIdentity())) { _, connections in
            connections.requiresHTTP2 = true
        } _: { client in
            client.server.onAny { request in .text(request.version.rawValue) }
            let version = try await client.request(String.self, .get, "/").dogma(.raw).send()

            #expect(version == "HTTP/2")
        }
    }

    @Test(arguments: TransportKind.overTLS, [true, false])
    func `an unknown certificate will do on this machine only when that is asked for`(
        kind: TransportKind,
        trusts: Bool
    ) async throws {
        try await LoopbackServer.with(.https1(try TestIdentity(names: ["wrong.example"]))) { server in
            server.onAny { _ in .text("answer") }
            var configuration = DirectTransport.Configuration()
            configuration.trustsAnyLoopbackCertificate = trusts
            let transport = try kind.make(configuration)
            if trusts {
                let response = try await transport.send(TransportRequest(.get, server, "/"))
                #expect(response.text == "answer")
            } else {
                let code = try await failureCode { try await transport.send(TransportRequest(.get, server, "/")) }
                #expect(code == .tlsFailed)
            }
        }
    }
}
