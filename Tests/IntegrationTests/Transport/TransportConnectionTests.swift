// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import Synchronization
import TestSupport
import Testing

/// Connections that are kept and used again.
@Suite(.timeLimit(.minutes(5)))
struct TransportConnectionTests {
    @Test(arguments: TransportKind.allCases)
    func `requests one after the other share a connection`(kind: TransportKind) async throws {
        try await LoopbackServer.with(kind.mode) { server in
            server.onAny { _ in .text("ok") }
            let transport = try kind.make()
            for number in 0..<10 {
                _ = try await transport.send(TransportRequest(.get, server, "/\(number)"))
            }
            #expect(server.requests.map(\.connection) == Array(repeating: 1, count: 10))
        }
    }

    @Test(arguments: TransportKind.overHTTP1)
    func `a connection that the server ends is not used again`(kind: TransportKind) async throws {
        try await LoopbackServer.with { server in
            server.onAny { _ in .text("ok", headers: ["Connection": "close"]) }
            let transport = try kind.make()
            for number in 0..<3 {
                _ = try await transport.send(TransportRequest(.get, server, "/\(number)"))
            }
            #expect(server.requests.map(\.connection) == [1, 2, 3])
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `an error status keeps the connection`(kind: TransportKind) async throws {
        try await LoopbackServer.with(kind.mode) { server in
            server.onAny { _ in .text("no", status: 500) }
            let transport = try kind.make()
            for _ in 0..<3 {
                _ = try await transport.send(TransportRequest(.get, server, "/"))
            }
            #expect(server.connectionCount == 1)
        }
    }

    @Test(arguments: TransportKind.ours)
    func `a transport that is released closes its connections`(kind: TransportKind) async throws {
        try await LoopbackServer.with(kind.mode) { server in
            server.onAny { _ in .text("ok") }
            var transport: (any Transport)? = try kind.make()
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
            var configuration = DirectTransport.Configuration()
            configuration.connectionsPerHost = 3
            let transport = try TransportKind.http1.make(configuration)
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

    /// A server that responds to the first request of each connection, or of the first one only, and cuts the others.
    private func cutting(
        _ ending: LoopbackResponse,
        everywhere: Bool = false,
        _ body: (LoopbackServer) async throws -> Void
    ) async throws {
        try await LoopbackServer.with { server in
            let isUsed = Mutex<Set<Int>>([])
            server.onAny { request in
                let isFirst = isUsed.withLock { $0.insert(request.connection).inserted }
                return isFirst && (!everywhere || request.connection == 1) ? .text("ok") : ending
            }
            try await body(server)
        }
    }

    @Test(arguments: [HTTPRequest.Method.get, .head, .put, .delete], [LoopbackResponse.close, .reset])
    func `what can be sent twice is sent again when a kept connection is cut before its response`(
        method: HTTPRequest.Method,
        ending: LoopbackResponse
    ) async throws {
        let transport = try TransportKind.http1.make()
        try await cutting(ending) { server in
            _ = try await transport.send(TransportRequest(.get, server, "/first"))
            var request = TransportRequest(.init(method.rawValue) ?? .get, server, "/second")
            request.body = method == .put ? .bytes(Data("body".utf8)) : nil
            #expect(try await transport.send(request).status == .ok)
            let sent = server.requests.filter { $0.path == "/second" }
            #expect(sent.map(\.connection) == [1, 2])
            #expect(sent.map(\.text) == Array(repeating: method == .put ? "body" : "", count: 2))
        }
    }

    @Test
    func `the story of a call says that its request was sent again on another connection`() async throws {
        try await cutting(.close) { server in
            var configuration = RestClientManager.Configuration()
            configuration.transport = try TransportKind.http1.make()
            let manager = RestClientManager(configuration: configuration)
            let node = manager.request(Void.self).url("\(server.url)/a")
            let sentence = "Then: the server had just closed the connection, and the request was sent again once."

            let first = try await node.response().explain()
            let second = try await node.response().explain()

            #expect(!first.contains(sentence))
            #expect(second.split(separator: "\n").contains { $0 == sentence })
        }
    }

    @Test(arguments: [LoopbackResponse.close, .reset])
    func `what may have had its effect is not sent again`(ending: LoopbackResponse) async throws {
        try await cutting(ending) { server in
            let transport = try TransportKind.http1.make()
            _ = try await transport.send(TransportRequest(.get, server, "/first"))
            var request = TransportRequest(.post, server, "/second")
            request.body = .bytes(Data("body".utf8))
            let code = try await failureCode { try await transport.send(request) }
            #expect(code == .connectionClosed)
            #expect(server.requests.filter { $0.path == "/second" }.count == 1)
        }
    }

    @Test(arguments: [LoopbackResponse.close, .reset])
    func `a new connection that is cut is an error at once`(ending: LoopbackResponse) async throws {
        try await cutting(ending, everywhere: true) { server in
            let transport = try TransportKind.http1.make()
            _ = try await transport.send(TransportRequest(.get, server, "/first"))
            let code = try await failureCode { try await transport.send(TransportRequest(.get, server, "/second")) }
            #expect(code == .connectionClosed)
            #expect(server.requests.filter { $0.path == "/second" }.map(\.connection) == [1, 2])
        }
    }

    @Test(arguments: [
        LoopbackResponse.raw("HTTP/1.1 20"), .raw("HTTP/1.1 200 OK\r\nContent-Le"),
        .text("half").claimingLength(100), .raw("no HTTP\r\n\r\n"),
    ]
    )
    func `a response that began is not asked for again`(answer: LoopbackResponse) async throws {
        try await cutting(answer) { server in
            let transport = try TransportKind.http1.make()
            _ = try await transport.send(TransportRequest(.get, server, "/first"))
            _ = try await failureCode { try await transport.send(TransportRequest(.get, server, "/second")) }
            #expect(server.requests.filter { $0.path == "/second" }.count == 1)
        }
    }
}
