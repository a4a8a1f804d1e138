// SPDX-License-Identifier: MIT

import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// Requests when AsyncHTTPClient's connections are built in another way.
@Suite(.timeLimit(.minutes(5)))
struct ConnectionHooksTests {
    private struct Moved: Error {}

    private func transport(
        requiresHTTP2: Bool = false,
        _ change: (inout ConnectionHooks) -> Void
    ) throws -> AsyncHTTPClientTransport {
        var hooks = ConnectionHooks()
        change(&hooks)
        var configuration = AsyncHTTPClientTransport.Configuration()
        configuration.requiresHTTP2 = requiresHTTP2
        configuration.trustsAnyLoopbackCertificate = true
        return try AsyncHTTPClientTransport(configuration: configuration, hooks: hooks)
    }

    private func failure(_ transport: AsyncHTTPClientTransport, _ server: LoopbackServer) async -> RestClientError? {
        await #expect(throws: RestClientError.self) {
            try await transport.send(TransportRequest(method: .get, url: server.url + "/"))
        }
    }

    @Test
    func `a connection of HTTP/1.1 that cannot be guarded is refused in words`() async throws {
        try await LoopbackServer.with { server in
            server.onAny { _ in .text("ok") }
            let error = await failure(try transport { $0.http1Place = { _ in throw Moved() } }, server)
            #expect(error?.code == .transportFailed)
            #expect(error?.message.contains("async-http-client") == true)
            #expect(error?.underlying is Moved)
        }
    }

    @Test
    func `a stream of HTTP/2 that cannot be guarded is refused in words`() async throws {
        try await LoopbackServer.with(.http2(try TestIdentity())) { server in
            server.onAny { _ in .text("ok") }
            let error = await failure(try transport { $0.http2Place = { _ in throw Moved() } }, server)
            #expect(error?.code == .transportFailed)
            #expect(error?.message.contains("async-http-client") == true)
        }
    }

    @Test
    func `a connection that must not be of HTTP/1.1 is refused wherever its handlers are`() async throws {
        try await LoopbackServer.with { server in
            server.onAny { _ in .text("ok") }
            let error = await failure(
                try transport(requiresHTTP2: true) { $0.http1Place = { _ in throw Moved() } },
                server
            )
            #expect(error?.code == .connectionFailed)
            #expect(error?.message.contains("HTTP/2") == true)
        }
    }
}
