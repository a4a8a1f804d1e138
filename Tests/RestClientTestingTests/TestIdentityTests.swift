// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TestIdentityTests {
    @Test(arguments: ["127.0.0.1", "localhost"])
    func `a client that trusts the certificate accepts it by name and by address`(host: String) async throws {
        let identity = try TestIdentity()
        try await LoopbackServer.with(.https1(identity)) { server in
            server.onAny { _ in .text("secret") }
            #expect(server.url == "https://127.0.0.1:\(server.port)")
            let tls = LoopbackConnection.TLS(root: identity, host: host == "localhost" ? host : nil)
            let connection = try await LoopbackConnection.open(port: server.port, tls: tls)
            try await connection.send(RawHTTP.get("/"))
            let answer = try await connection.receiveToEnd()
            #expect(String(decoding: answer, as: UTF8.self).hasSuffix("secret"))
        }
    }

    @Test
    func `a client that trusts another certificate refuses it, and the server logs that`() async throws {
        let identity = try TestIdentity()
        let stranger = try TestIdentity()
        let events = try await expectRefusal(of: identity, tls: LoopbackConnection.TLS(root: stranger))
        let failure = events.contains { event in
            if case .connectionFailed(connection: 1, _) = event { true } else { false }
        }
        #expect(failure)
    }

    @Test
    func `a certificate for another host is refused`() async throws {
        let identity = try TestIdentity(names: ["wrong.example"])
        try await expectRefusal(of: identity, tls: LoopbackConnection.TLS(root: identity))
        try await expectRefusal(of: identity, tls: LoopbackConnection.TLS(root: identity, host: "localhost"))
    }

    @Test
    func `a certificate that has expired or is not valid yet is refused`() async throws {
        let times: [Range<Duration>] = [.seconds(-86_400)..<(.seconds(-3_600)), .seconds(86_400)..<(.seconds(172_800))]
        for validity in times {
            let identity = try TestIdentity(validity: validity)
            try await expectRefusal(of: identity, tls: LoopbackConnection.TLS(root: identity, host: "localhost"))
        }
    }

    @Test
    func `a server may ask for a client's certificate`() async throws {
        let identity = try TestIdentity()
        let client = try TestIdentity()
        try await LoopbackServer.with(.https1(identity), requiredClient: client) { server in
            server.onAny { _ in .text("ok") }
            let known = LoopbackConnection.TLS(root: identity, identity: client)
            let connection = try await LoopbackConnection.open(port: server.port, tls: known)
            try await connection.send(RawHTTP.get("/"))
            _ = try await connection.receive(through: "ok")

            let unknown = LoopbackConnection.TLS(root: identity)
            let refused = try await LoopbackConnection.open(port: server.port, tls: unknown)
            await #expect(throws: LoopbackConnectionError.self) { try await refused.receive(count: 1) }
        }
    }

    @Test
    func `the certificate and the key are there as PEM text`() throws {
        let identity = try TestIdentity()
        #expect(identity.certificatePEM.hasPrefix("-----BEGIN CERTIFICATE-----\n"))
        #expect(identity.privateKeyPEM.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
    }

    @discardableResult
    private func expectRefusal(
        of identity: TestIdentity,
        tls: LoopbackConnection.TLS,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [LoopbackEvent] {
        try await LoopbackServer.with(.https1(identity)) { server in
            await #expect(throws: LoopbackConnectionError.self, sourceLocation: sourceLocation) {
                try await LoopbackConnection.open(port: server.port, tls: tls)
            }
            try await server.waitForEvent(.connectionClosed(connection: 1))
            #expect(server.requests.isEmpty, sourceLocation: sourceLocation)
            return server.events
        }
    }
}
