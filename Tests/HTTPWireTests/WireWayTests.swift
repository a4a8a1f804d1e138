// SPDX-License-Identifier: MIT

import HTTPTypes
import NIOCore
import NIOPosix
import RestEssentials
import Testing

@testable import HTTPWire

/// The ways of the wire that no URL tells.
@Suite(.timeLimit(.minutes(5)))
struct WireWayTests {
    private static func send(
        _ client: WireClient,
        _ origin: WireOrigin,
        target: String = "/"
    ) async throws -> WireResponse {
        let request = try WireRequest(method: "GET", target: target, host: origin.host, fields: [:], body: nil)
        let exchange = WireExchange(request, over: try client.pool(to: origin), limit: 1_000, codedLimit: 1_000)
        return try await exchange.response()
    }

    private static func client() -> WireClient {
        WireClient(WireScene.patient { _ in }, on: MultiThreadedEventLoopGroup.singleton)
    }

    @Test
    func `a Unix socket gets the requests, and its connection is kept`() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("w-\(UInt32.random(in: 0 ... .max))")
            .path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await OddServer.with(at: path) { _ in
            [.send(WireScene.fine)]
        } _: { server in
            let origin = WireOrigin(isSecure: false, host: "docker", port: 80, way: .socket(path: path))
            let client = Self.client()

            let first = try await Self.send(client, origin)
            let second = try await Self.send(client, origin)

            #expect(first.head.status == 200 && second.head.status == 200)
            #expect(server.connectionCount == 1)
            #expect(server.requests.allSatisfy { $0.contains("Host: docker\r\n") })
            // Only the first one made the connection.
            #expect(first.times.steps?.durations.map(\.name) == ["connecting"])
            #expect(second.times.steps == nil)
        }
    }

    @Test
    func `origins on different ways have connections of their own`() throws {
        let client = Self.client()
        let proxy = WireProxy(kind: .http, host: "proxy.test", port: 1)
        let lookup = WireLookup { _, _ in nil }
        let ways: [WireWay] = [
            .direct, .host("10.0.0.7", port: 80), .host("10.0.0.7", port: 81), .socket(path: "/a"), .socket(path: "/b"),
            .forwarding(proxy), .tunnel(proxy, nil), .tunnel(proxy, lookup), .names(lookup),
            .names(WireLookup { _, _ in nil }),
            .tunnel(WireProxy(kind: .http, host: "proxy.test", port: 1, user: "ann"), nil),
            .tunnel(WireProxy(kind: .http, host: "proxy.test", port: 1, user: "ann", password: "x"), nil),
            .tunnel(WireProxy(kind: .socks5, host: "proxy.test", port: 1), nil),
        ]

        let pools = try ways.map {
            ObjectIdentifier(try client.pool(to: WireOrigin(isSecure: false, host: "a.test", port: 80, way: $0)))
        }

        #expect(Set(pools).count == ways.count)
    }

    @Test(arguments: ["http://a.test/b?c", "/b"])
    func `a proxy that forwards gets the whole URL, over HTTP/1_1 alone`(target: String) async throws {
        try await OddServer.with { _ in
            [.send(WireScene.fine)]
        } _: { server in
            let proxy = WireProxy(kind: .http, host: "127.0.0.1", port: server.port)
            let origin = WireOrigin(isSecure: false, host: "a.test", port: 80, way: .forwarding(proxy))
            let client = WireClient(
                WireScene.patient { $0.assumesHTTP2 = true },
                on: MultiThreadedEventLoopGroup.singleton
            )

            _ = try await Self.send(client, origin, target: target)

            #expect(server.requests[0].hasPrefix("GET \(target) HTTP/1.1\r\nHost: a.test\r\n"))
        }
    }

    @Test(arguments: [
        ("HTTP/1.1 403 No\r\nContent-Length: 2\r\n\r\nno", "refused the tunnel with 403"),
        ("garbage\r\n\r\n", "did not reply in HTTP"), ("", "closed the connection"),
    ])
    func `a proxy that does not lead on is a failure, and the next exchange may do better`(
        reply: String,
        reason: String
    ) async throws {
        try await OddServer.with { number in
            switch number {
            case 0: reply.isEmpty ? [.close] : [.send(reply), .close]
            case 1: [.send("HTTP/1.1 200 OK\r\n\r\n")]
            default: [.send(WireScene.fine)]
            }
        } _: { server in
            let proxy = WireProxy(kind: .http, host: "127.0.0.1", port: server.port)
            let origin = WireOrigin(isSecure: false, host: "a.test", port: 80, way: .tunnel(proxy, nil))
            let client = Self.client()

            let fault = await #expect(throws: ProxyFault.self) { try await Self.send(client, origin) }
            let response = try await Self.send(client, origin)

            #expect(fault?.description.contains(reason) == true)
            #expect(response.head.status == 200)
            #expect(server.requests.map { $0.prefix(7) } == ["CONNECT", "CONNECT", "GET / H"])
        }
    }
}
