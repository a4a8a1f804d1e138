// SPDX-License-Identifier: MIT

import RestClient
import TestSupport
import Testing

/// Connections that are kept and used again.
@Suite(.timeLimit(.minutes(1)))
struct TransportConnectionTests {
    @Test(arguments: TransportKind.allCases)
    func `requests one after the other share a connection`(kind: TransportKind) async throws {
        try await LoopbackServer.with { server in
            server.onAny { _ in .text("ok") }
            let transport = kind.make()
            for number in 0..<10 {
                _ = try await transport.send(TransportRequest(.get, server, "/\(number)"))
            }
            #expect(server.requests.map(\.connection) == Array(repeating: 1, count: 10))
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `a connection that the server ends is not used again`(kind: TransportKind) async throws {
        try await LoopbackServer.with { server in
            server.onAny { _ in .text("ok", headers: ["Connection": "close"]) }
            let transport = kind.make()
            for number in 0..<3 {
                _ = try await transport.send(TransportRequest(.get, server, "/\(number)"))
            }
            #expect(server.requests.map(\.connection) == [1, 2, 3])
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `an error status keeps the connection`(kind: TransportKind) async throws {
        try await LoopbackServer.with { server in
            server.onAny { _ in .text("no", status: 500) }
            let transport = kind.make()
            for _ in 0..<3 {
                _ = try await transport.send(TransportRequest(.get, server, "/"))
            }
            #expect(server.connectionCount == 1)
        }
    }

    @Test
    func `a transport that is released closes its connections`() async throws {
        try await LoopbackServer.with { server in
            server.onAny { _ in .text("ok") }
            var transport: AsyncHTTPClientTransport? = AsyncHTTPClientTransport()
            _ = try await transport?.send(TransportRequest(.get, server, "/"))
            #expect(server.openConnectionCount == 1)
            transport = nil
            try await server.waitForOpenConnections(count: 0)
        }
    }

    @Test
    func `no more connections than allowed are opened to a host`() async throws {
        let gate = Gate()
        try await LoopbackServer.with { server in
            server.onAny { _ in LoopbackResponse.text("ok").after(gate) }
            var configuration = AsyncHTTPClientTransport.Configuration()
            configuration.connectionsPerHost = 3
            let transport = try AsyncHTTPClientTransport(configuration: configuration)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<9 {
                    group.addTask { _ = try await transport.send(TransportRequest(.get, server, "/")) }
                }
                try await gate.waitForWaiters(count: 3)
                #expect(server.connectionCount == 3)
                gate.open()
                try await group.waitForAll()
            }
            #expect(server.connectionCount == 3)
            #expect(server.requests.count == 9)
        }
    }
}
