// SPDX-License-Identifier: MIT

import RestClient
import RestClientWebSocket
import TestSupport
import Testing

/// The client's certificate in the handshake of a WebSocket.
@Suite(.timeLimit(.minutes(5)))
struct ClientCertificateTests {
    @Test(arguments: [false, true])
    func `a redirect of the handshake to another origin presents no certificate unless it is named`(
        isNamed: Bool
    ) async throws {
        let (identity, known) = (try TestIdentity(), try TestIdentity(names: ["known.example"]))
        try await LoopbackServer.with(.https1(identity), requiredClient: known) { other in
            other.onAny { _ in .status(403) }
            try await LoopbackServer.with(.https1(identity), requiredClient: known) { server in
                server.onAny { _ in .redirect(to: other.url + "/there", status: 307) }
                var connections = DirectTransport.Configuration()
                connections.additionalTrustRoots = [identity.certificatePEM]
                connections.clientCertificateChain = known.certificatePEM
                connections.clientPrivateKey = known.privateKeyPEM
                connections.clientCertificateOrigins = isNamed ? [server.url, other.url] : nil
                var configuration = RestClientManager.Configuration()
                configuration.transport = try DirectTransport(configuration: connections)
                let node = RestClientManager(configuration: configuration).request(WebSocketMessage.self)

                await #expect(throws: RestClientError.self) { _ = try await node.url(server.url + "/go").webSocket() }

                #expect(server.requests.count == 1)
                #expect(other.requests.count == (isNamed ? 1 : 0))
            }
        }
    }
}
