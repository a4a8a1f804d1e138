// SPDX-License-Identifier: MIT

import HTTPTypes
import NIOCore
import NIOPosix
import Testing

@testable import HTTPWire

/// Hosts with several addresses, which are tried as RFC 8305 says.
@Suite(.timeLimit(.minutes(5)))
struct WireAddressTests {
    /// Knows the addresses of every name.
    private struct Names: Resolver, Sendable {
        let eventLoop: any EventLoop
        let ipv6: [String]
        let ipv4: [String]

        private func addresses(_ texts: [String], _ port: Int) -> EventLoopFuture<[SocketAddress]> {
            eventLoop.makeCompletedFuture {
                try texts.map { try SocketAddress(ipAddress: $0, port: port) }
            }
        }

        func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { addresses(ipv6, port) }
        func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { addresses(ipv4, port) }
        func cancelQueries() {}
    }

    /// Sends two requests to a name; the server listens on 127.0.0.1 alone.
    private func send(ipv6: [String], ipv4: [String]) async throws -> (statuses: [Int], connections: Int) {
        let configuration = WireScene.patient { configuration in
            configuration.resolver = { Names(eventLoop: $0, ipv6: ipv6, ipv4: ipv4) }
        }
        return try await WireScene.with(configuration) { _ in
            [.send(WireScene.fine)]
        } _: { scene in
            let origin = WireOrigin(isSecure: false, host: "several.test", port: scene.server.port)
            let pool = try scene.client.pool(to: origin)
            var statuses: [Int] = []
            for _ in 0..<2 {
                let request = try WireRequest(method: "GET", target: "/", host: "several.test", fields: [:], body: nil)
                let exchange = WireExchange(request, over: pool, limit: 1_000, codedLimit: 1_000, streams: false)
                statuses.append(try await exchange.response().head.status)
            }
            return (statuses, scene.server.connectionCount)
        }
    }

    @Test(arguments: [
        (["::1"], ["127.0.0.1"]), (["::1", "127.0.0.1"], []), ([], ["127.0.0.1"]), (["127.0.0.1"], ["127.0.0.1"]),
    ])
    func `A connection is made to the first address that accepts one`(ipv6: [String], ipv4: [String]) async throws {
        let (statuses, connections) = try await send(ipv6: ipv6, ipv4: ipv4)

        #expect(statuses == [200, 200])
        // On a slow machine the next address is tried before the first one has answered.
        let accepting = (ipv6 + ipv4).count { $0 == "127.0.0.1" }
        #expect((1...accepting).contains(connections))
    }

    @Test(arguments: [(["::1"], []), (["::1"], ["::1"])])
    func `If all addresses refuse, the error has the reason of each`(ipv6: [String], ipv4: [String]) async throws {
        let error = await #expect(throws: NIOConnectionError.self) { try await send(ipv6: ipv6, ipv4: ipv4) }

        #expect(error?.host == "several.test")
        #expect(error?.connectionErrors.count == (ipv6 + ipv4).count)
    }
}
