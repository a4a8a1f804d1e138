// SPDX-License-Identifier: MIT

import RestClient
import RestClientTesting
import RestClientWebSocket

/// The checks of a program whose package enables no trait.
@main
struct Checks {
    private struct Failure: Error {
        let title: String
    }

    static func main() async throws {
        let identity = try TestIdentity()
        for mode in [LoopbackServer.Mode.http1, .https1(identity), .http2(identity)] {
            try await LoopbackServer.with(mode) { server in
                server.onAny { request in .text(request.path) }
                var configuration = DirectTransport.Configuration()
                configuration.trustsAnyLoopbackCertificate = true
                let transport = try DirectTransport(configuration: configuration)
                for (path, sent) in [("/a/b", "/a/b"), ("/ü", "/%C3%BC")] {
                    let response = try await transport.send(TransportRequest(method: .get, url: server.url + path))
                    guard String(decoding: response.body, as: UTF8.self) == sent, server.connectionCount == 1 else {
                        throw Failure(title: "\(mode): \(path)")
                    }
                }
            }
        }
        print("all checks passed")
    }
}
