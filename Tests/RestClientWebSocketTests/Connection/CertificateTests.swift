// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import Synchronization
import TestSupport
import Testing

@testable import RestClientWebSocket

/// A WebSocket is not opened to a server with a bad certificate, even if its issuer is trusted.
@Suite(.timeLimit(.minutes(5)))
struct CertificateTests {
    /// Asks a server at `localhost` for a WebSocket, which it would agree to, and returns why it was not opened.
    private static func refusal(of identity: ServerIdentity, pins: [String] = []) async throws -> RestClientError? {
        let handshakes = Mutex(0)
        let script: FrameServer.Script = { connection in
            try await connection.handshake()
            handshakes.withLock { $0 += 1 }
            try await connection.echo()
        }
        let body: @Sendable (FrameServer) async throws -> RestClientError? = { server in
            server.manager.servers["live"] = Server("https://localhost:\(server.port)")
            let node = pins.isEmpty ? server.node : server.node.pinnedKeys(pins)
            let error = await #expect(throws: RestClientError.self) {
                _ = try await node.bearer("t0ken").webSocket()
            }
            #expect(handshakes.withLock { $0 } == 0)
            return error
        }
        return try await FrameServer.with(identity: identity, options: { _ in }, script, body)
    }

    @Test(arguments: [WeakIdentity.brokenHash, .shortKey, .commonNameOnly])
    func `a weak certificate is refused, with the reason`(weak: WeakIdentity) async throws {
        let error = try await Self.refusal(of: try weak.identity)

        #expect(error?.code == .tlsFailed)
        #expect(error?.message.contains(weak.reason) == true, "\(String(describing: error))")
    }

    @Test
    func `a certificate for another time or another host is refused, with the reason`() async throws {
        let flaws = [
            "expired": try TestIdentity(validity: .seconds(-86_400)..<(.seconds(-3_600))),
            "not valid yet": try TestIdentity(validity: .seconds(86_400)..<(.seconds(172_800))),
            "other hosts": try TestIdentity(names: ["wrong.example"]),
        ]
        for (reason, identity) in flaws {
            let error = try await Self.refusal(of: ServerIdentity(identity))

            #expect(error?.code == .tlsFailed)
            #expect(error?.message.contains(reason) == true, "\(String(describing: error))")
        }
    }

    @Test
    func `a certificate that nobody vouches for is refused, with the reason`() async throws {
        let (identity, other) = (try TestIdentity(), try TestIdentity())
        let strange = ServerIdentity(
            certificate: identity.certificate,
            privateKey: identity.privateKey,
            certificatePEM: other.certificatePEM
        )

        let error = try await Self.refusal(of: strange)

        #expect(error?.code == .tlsFailed)
        #expect(error?.message.contains("trusted here") == true, "\(String(describing: error))")
    }

    @Test
    func `a trusted server with another key than the pinned one gets no request`() async throws {
        let identity = try TestIdentity()
        let pin = try TestIdentity().publicKeyPin

        let error = try await Self.refusal(of: ServerIdentity(identity), pins: [pin])

        #expect(error?.code == .tlsFailed)
        #expect(error?.message.contains("its key is \(identity.publicKeyPin)") == true)
    }
}
