// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

/// The version that the direct transport and a server agree on, and the connections that it takes.
@Suite(.timeLimit(.minutes(5)))
struct TransportProtocolTests {
    private static func transport(
        trusting identity: TestIdentity,
        usesHTTP2: Bool = true
    ) throws -> DirectTransport {
        var configuration = DirectTransport.Configuration()
        configuration.connectTimeout = .seconds(3_600)
        configuration.additionalTrustRoots = [identity.certificatePEM]
        configuration.usesHTTP2 = usesHTTP2
        return try DirectTransport(configuration: configuration)
    }

    @Test
    func `no connection is spent on a server of HTTP/2`() async throws {
        let identity = try TestIdentity()
        try await LoopbackServer.with(.http2(identity)) { server in
            server.onAny { request in .text(request.version.rawValue) }
            let transport = try Self.transport(trusting: identity)
            for _ in 0..<3 {
                let response = try await transport.send(TransportRequest(.get, server, "/"))
                #expect(response.text == "HTTP/2")
            }
            #expect(server.connectionCount == 1)
        }
    }

    @Test
    func `no connection is spent on a server of HTTP/1 over TLS`() async throws {
        let identity = try TestIdentity()
        try await LoopbackServer.with(.https1(identity)) { server in
            server.onAny { request in .text(request.version.rawValue) }
            let transport = try Self.transport(trusting: identity)
            for _ in 0..<4 {
                let response = try await transport.send(TransportRequest(.get, server, "/"))
                #expect(response.text == "HTTP/1.1")
                #expect(response.httpVersion == .http11)
            }
            #expect(server.requests.map(\.connection) == [1, 1, 1, 1])
        }
    }

    @Test
    func `without HTTP/2 none is spent`() async throws {
        let identity = try TestIdentity()
        try await LoopbackServer.with(.http2(identity)) { server in
            server.onAny { request in .text(request.version.rawValue) }
            let transport = try Self.transport(trusting: identity, usesHTTP2: false)
            for _ in 0..<3 {
                let response = try await transport.send(TransportRequest(.get, server, "/"))
                #expect(response.text == "HTTP/1.1")
            }
            #expect(server.requests.map(\.connection) == [1, 1, 1])
        }
    }

    @Test(arguments: [true, false])
    func `a failure closes no other connection, and the transport that is released closes all`(
        isHTTP2: Bool
    ) async throws {
        let identity = try TestIdentity()
        try await LoopbackServer.with(isHTTP2 ? .http2(identity) : .https1(identity)) { server in
            server.on(.get, "/cut") { _ in .reset }
            server.on(.get, "/fine") { _ in .text("fine") }
            var transport: DirectTransport? = try Self.transport(trusting: identity)
            for _ in 0..<2 {
                let code = try await failureCode {
                    try await #require(transport).send(TransportRequest(.get, server, "/cut"))
                }
                #expect(code == .connectionClosed)
            }
            for _ in 0..<2 {
                _ = try await transport?.send(TransportRequest(.get, server, "/fine"))
            }
            try await server.waitForOpenConnections(count: 1)
            transport = nil
            try await server.waitForOpenConnections(count: 0)
        }
    }
}
