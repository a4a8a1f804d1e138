// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

/// Calls through a proxy of others' making, which `Scripts/test` starts if there is one on the machine.
@Suite(.enabled(if: RealProxy.url != nil, "there is no tinyproxy"), .timeLimit(.minutes(5)))
struct RealProxyTests {
    private static func manager(_ identity: TestIdentity) throws -> RestClientManager {
        var connections = DirectTransport.Configuration()
        connections.additionalTrustRoots = [identity.certificatePEM]
        var configuration = RestClientManager.Configuration()
        configuration.transport = try DirectTransport(configuration: connections)
        return RestClientManager(configuration: configuration)
    }

    @Test(arguments: [false, true])
    func `it forwards requests, and leads to servers of TLS`(isSecure: Bool) async throws {
        let identity = try TestIdentity()
        let variables = ["all_proxy": try #require(RealProxy.url)]
        try await LoopbackServer.with(isSecure ? .http2(identity) : .http1) { server in
            server.onAny { .text(String(decoding: $0.body, as: UTF8.self)) }
            let node = try Self.manager(identity).request(String.self).url(server.url).method(.post)
                .proxy(.environment(variables, coversLoopback: true))

            for text in ["one", "two"] {
                #expect(try await node.body(.bytes(Data(text.utf8))).send() == text)
            }
            #expect(server.requests.allSatisfy { $0.headers["proxy-authorization"] == nil })
            #expect(server.requests.allSatisfy { ($0.version == .http2) == isSecure })
        }
    }

    @Test
    func `it refuses another password`() async throws {
        let identity = try TestIdentity()
        let url = try #require(RealProxy.url).replacing("s3cret", with: "wr0ng")
        try await LoopbackServer.with { server in
            let node = try Self.manager(identity).request(String.self).url(server.url).proxy(.server(url))

            let error = await #expect(throws: RestClientError.self) { try await node.send() }

            #expect(error?.code == .proxyFailed)
            #expect(server.requests.isEmpty)
        }
    }
}

private enum RealProxy {
    /// The URL with the user and the password.
    static let url = ProcessInfo.processInfo.environment["REST_CLIENT_TEST_PROXY"]
}
