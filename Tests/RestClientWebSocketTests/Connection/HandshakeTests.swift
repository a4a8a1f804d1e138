// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient
import RestEssentials
import TestSupport
import Testing

@testable import RestClientWebSocket

/// The opening handshake, over a socket.
@Suite(.timeLimit(.minutes(5)))
struct HandshakeTests {
    @Test
    func `the request has the fields of the standard and of the levels`() async throws {
        let heads = Recorder<String>()
        try await FrameServer.with {
            $0.subprotocols = ["v2.live", "v1.live"]
        } _: { connection in
            heads.record(try await connection.handshake { $0.append("Sec-WebSocket-Protocol: v1.live") })
            try await connection.close(1000)
        } _: { server in
            server.manager.servers["live"] = Server("http://127.0.0.1:\(server.port)/v1").bearer("t0ken")
            let node = server.node.query(["a": "b c"]).header(.userAgent, "tests").header(.upgrade, "h2c")

            let socket = try await node.webSocket()

            #expect(socket.subprotocol == "v1.live")
            #expect(socket.source == .network)
            #expect(socket.headers[.upgrade] == "websocket")
            let head = try await heads.waitForCount(1)[0]
            #expect(head.hasPrefix("GET /v1/live?a=b%20c HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"))
            let fields = ["Upgrade", "Connection", "Sec-WebSocket-Version", "Sec-WebSocket-Protocol", "Authorization"]
            #expect(
                fields.map { FrameConnection.field($0, in: head) }
                    == ["websocket", "Upgrade", "13", "v2.live, v1.live", "Bearer t0ken"]
            )
            #expect(FrameConnection.field("User-Agent", in: head) == "tests")
            let key = try #require(FrameConnection.field("Sec-WebSocket-Key", in: head))
            #expect(Data(base64Encoded: key)?.count == 16)
            #expect(FrameConnection.field("Sec-WebSocket-Extensions", in: head) == nil)
        }
    }

    /// Changes of a valid response that make it an invalid one.
    static let defects: [(name: String, change: @Sendable (inout [String]) -> Void)] = [
        ("no proof", { $0.removeLast() }),
        ("another proof", { $0[3] = "Sec-WebSocket-Accept: \(HandshakeRules.accept(for: "x"))" }),
        ("two proofs", { $0.append($0[3]) }),
        ("no upgrade", { $0.remove(at: 1) }),
        ("an upgrade to another protocol", { $0[1] = "Upgrade: h2c" }),
        ("no connection option", { $0.remove(at: 2) }),
        ("another connection option", { $0[2] = "Connection: keep-alive" }),
        ("an extension", { $0.append("Sec-WebSocket-Extensions: permessage-deflate") }),
        ("a subprotocol", { $0.append("Sec-WebSocket-Protocol: chat") }),
    ]

    @Test(arguments: defects.indices)
    func `a response that breaks a rule is refused`(index: Int) async throws {
        let defect = Self.defects[index]
        try await FrameServer.with { connection in
            try await connection.handshake(defect.change)
            try await connection.waitForEnd()
        } _: { server in
            let error = await #expect(throws: RestClientError.self, "\(defect.name)") {
                _ = try await server.node.webSocket()
            }

            #expect(error?.code == .handshakeRefused, "\(defect.name)")
        }
    }

    @Test(arguments: [
        ("WebSocket", "keep-alive, upgrade"), ("websocket, h2c", "UPGRADE"),
    ])
    func `the names in a response are compared without their case, and in lists`(
        upgrade: String,
        connection option: String
    ) async throws {
        try await FrameServer.with { connection in
            try await connection.handshake {
                $0[1] = "upgrade: \(upgrade)"
                $0[2] = "connection: \(option)"
            }
            try await connection.close(1000)
        } _: { server in
            let message = try await server.node.webSocket().receive()
            #expect(message == nil)
        }
    }

    @Test
    func `another status is an error with the response`() async throws {
        try await FrameServer.with { connection in
            _ = try await connection.readHead()
            try await connection.write("HTTP/1.1 403 Forbidden\r\nContent-Length: 4\r\n\r\nnone")
            try await connection.waitForEnd()
        } _: { server in
            let error = await #expect(throws: RestClientError.self) { _ = try await server.node.webSocket() }

            #expect(error?.code == .unacceptableStatus)
            #expect(error?.status == .forbidden)
            #expect(error?.response?.body == Data("none".utf8))
            #expect(error?.request?.method == .get)
        }
    }

    /// Bytes that servers send instead of a response, and the code of the failure.
    @Test(arguments: [
        ("", RestClientError.Code.connectionClosed), ("HTTP/1.1 101 Switching", .connectionClosed),
        ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: webso", .connectionClosed),
        ("no HTTP at all\r\n\r\n", .malformedResponse),
    ])
    func `half a handshake is an error`(response: String, code: RestClientError.Code) async throws {
        try await FrameServer.with { connection in
            _ = try await connection.readHead()
            try await connection.write(response)
        } _: { server in
            let error = await #expect(throws: RestClientError.self) { _ = try await server.node.webSocket() }

            #expect(error?.code == code)
        }
    }

    private static let hint = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"

    /// A head of bytes before the response that agrees, how often it is repeated, and the code of the failure.
    static let heads: [(head: String, count: Int, code: RestClientError.Code?)] = [
        (hint, 100, nil), (hint, 101, .malformedResponse), (hint, 5_000, .malformedResponse),
        (wide(256), 1, nil), (wide(257), 1, .headerTooLarge),
        ("HTTP/1.1 103 Early Hints\r\na: ", 5_000, .headerTooLarge),
    ]

    private static func wide(_ count: Int) -> String {
        "HTTP/1.1 103 Early Hints\r\n" + String(repeating: "a: b\r\n", count: count) + "\r\n"
    }

    @Test(arguments: heads.indices)
    func `the heads of a handshake have the limits of all calls`(index: Int) async throws {
        let (head, count, code) = Self.heads[index]
        let bytes = String(repeating: head, count: count)
        try await FrameServer.with { connection in
            // The client may leave while these bytes are written.
            try? await connection.write(bytes)
            try await connection.handshake()
            try await connection.close(1000)
        } _: { server in
            guard let code else {
                let message = try await server.node.webSocket().receive()
                #expect(message == nil)
                return
            }
            let error = await #expect(throws: RestClientError.self) { _ = try await server.node.webSocket() }
            #expect(error?.code == code)
        }
    }

    @Test
    func `the transport's limit of interim responses holds for a handshake`() async throws {
        try await FrameServer.with { connection in
            try? await connection.write(Self.hint + Self.hint)
            try await connection.handshake()
            try await connection.close(1000)
        } _: { server in
            for (limit, isWithin) in [(2, true), (1, false)] {
                var options = WebSocketOptions()
                var connections = DirectTransport.Configuration()
                connections.interimResponseLimit = limit
                options.connections = connections
                let node = server.node.webSocketOptions(options)
                if isWithin {
                    let message = try await node.webSocket().receive()
                    #expect(message == nil)
                } else {
                    let error = await #expect(throws: RestClientError.self) { _ = try await node.webSocket() }
                    #expect(error?.code == .malformedResponse)
                }
            }
        }
    }

    @Test
    func `a server that does not respond is given up after the call's timeout`() async throws {
        try await FrameServer.with { connection in
            try await connection.waitForEnd()
        } _: { server in
            let error = await #expect(throws: RestClientError.self) {
                _ = try await server.node.timeout(.milliseconds(50)).webSocket()
            }

            #expect(error?.code == .timeout)
        }
    }

    @Test
    func `a server that accepts and never sets up TLS is given up after the time for connecting`() async throws {
        try await FrameServer.with {
            var connections = DirectTransport.Configuration()
            connections.connectTimeout = .milliseconds(50)
            $0.connections = connections
        } _: { connection in
            try await connection.waitForEnd()
        } _: { server in
            server.manager.servers["live"] = Server("https://127.0.0.1:\(server.port)")

            let error = await #expect(throws: RestClientError.self) {
                // Longer than that: this limit has other words.
                _ = try await server.node.timeout(.seconds(60)).webSocket()
            }

            #expect(error?.code == .timeout)
        }
    }

    @Test
    func `cancelling the task ends the handshake`() async throws {
        let heads = Recorder<String>()
        let ended = Gate()
        try await FrameServer.with { connection in
            heads.record(try await connection.readHead())
            try await connection.waitForEnd()
            ended.open()
        } _: { server in
            let task = Task { _ = try await server.node.webSocket() }
            _ = try await heads.waitForCount(1)

            task.cancel()

            await #expect(throws: CancellationError.self) { try await task.value }
            try await ended.wait()
        }
    }

    @Test
    func `a rejected token is refreshed, and the handshake sent again`() async throws {
        let tokens = Recorder<String>()
        try await FrameServer.with { connection in
            let head = try await connection.readHead()
            let token = FrameConnection.field("Authorization", in: head) ?? ""
            tokens.record(token)
            guard token == "Bearer new" else {
                try await connection.write("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")
                return
            }
            let key = FrameConnection.field("Sec-WebSocket-Key", in: head) ?? ""
            try await connection.write(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Accept: \(HandshakeRules.accept(for: key))\r\n\r\n"
            )
            try await connection.close(1000)
        } _: { server in
            let source = TokenSource(AccessToken("old")) { _ in AccessToken("new") }
            let events = EventRecorder(server.manager)

            let socket = try await server.node.bearer(source).webSocket()
            #expect(try await socket.receive() == nil)

            #expect(tokens.elements == ["Bearer old", "Bearer new"])
            events.expect([
                "callStarted", "attemptStarted 1", "attemptFinished 1 401", "tokenRefreshed", "attemptStarted 2",
                "attemptFinished 2 101", "webSocketOpened", "webSocketClosed 1000", "callSucceeded 101 network",
            ])
        }
    }

    @Test
    func `a redirect is followed`() async throws {
        try await FrameServer.with { connection in
            let head = try await connection.readHead()
            if head.hasPrefix("GET /live ") {
                try await connection.write("HTTP/1.1 307 Moved\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n")
                return
            }
            #expect(head.hasPrefix("GET /there "))
            let key = FrameConnection.field("Sec-WebSocket-Key", in: head) ?? ""
            try await connection.write(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Accept: \(HandshakeRules.accept(for: key))\r\n\r\n"
            )
            try await connection.close(1000)
        } _: { server in
            let message = try await server.node.webSocket().receive()
            #expect(message == nil)
        }
    }

    @Test(arguments: [true, false])
    func `a redirect of the handshake to another origin takes no credentials along`(isFree: Bool) async throws {
        let heads = Recorder<String>()
        var offering = WebSocketOptions()
        offering.subprotocols = ["bearer.t0ken"]
        let options = offering
        try await FrameServer.with { connection in
            heads.record(try await connection.readHead())
            try await connection.write("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        } _: { other in
            let location = "http://127.0.0.1:\(other.port)/there"
            try await FrameServer.with { connection in
                let head = try await connection.readHead()
                #expect(FrameConnection.field("Sec-WebSocket-Protocol", in: head) == "bearer.t0ken")
                try await connection.write(
                    "HTTP/1.1 307 Moved\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n"
                )
            } _: { server in
                let error = await #expect(throws: RestClientError.self) {
                    _ = try await server.node.bearer("t0ken").header("X-API-Key", "k3y").header(.cookie, "session=1")
                        .header(.acceptLanguage, "ko")
                        .credentialFields(.secWebSocketProtocol).webSocketOptions(options)
                        .fieldsForAnyOrigin(isFree ? .secWebSocketProtocol : .acceptLanguage).webSocket()
                }

                #expect(error?.status == .forbidden)
                let head = try #require(heads.elements.first)
                #expect(heads.count == 1 && head.hasPrefix("GET /there "))
                #expect(FrameConnection.field("Accept-Language", in: head) == "ko")
                #expect(FrameConnection.field("Sec-WebSocket-Protocol", in: head) == (isFree ? "bearer.t0ken" : nil))
                for name in ["Authorization", "X-API-Key", "Cookie"] {
                    #expect(FrameConnection.field(name, in: head) == nil)
                }
            }
        }
    }

    @Test
    func `a response to the handshake with more fields than anybody needs is an error`() async throws {
        try await FrameServer.with { connection in
            _ = try await connection.readHead()
            let fields = String(repeating: "A: b\r\n", count: 100_000)
            // The client may have hung up before the end.
            try? await connection.write("HTTP/1.1 403 Forbidden\r\n\(fields)Content-Length: 0\r\n\r\n")
        } _: { server in
            let error = await #expect(throws: RestClientError.self) { _ = try await server.node.webSocket() }

            #expect([.headerTooLarge, .malformedResponse].contains(error?.code))
        }
    }

    @Test(arguments: ["ws", "WS", "http"])
    func `addresses may have the schemes of WebSockets`(scheme: String) async throws {
        try await FrameServer.with { connection in
            try await connection.handshake()
            try await connection.close(1000)
        } _: { server in
            let node = server.manager.request(WebSocketMessage.self)
            let url = "\(scheme)://127.0.0.1:\(server.port)/live?x"

            let first = try await node.url(url).webSocket().receive()
            let second = try await node.serverAddress("\(scheme)://127.0.0.1:\(server.port)").webSocket().receive()

            #expect(first == nil)
            #expect(second == nil)
        }
    }

    @Test
    func `a request with a body, and names that no subprotocol can have, are refused`() async throws {
        let manager = RestClientManager()
        manager.servers["live"] = "http://127.0.0.1:1"
        manager.defaultServer = "live"
        let node = manager.request(WebSocketMessage.self).endpoint("/live")
        var options = WebSocketOptions()
        options.subprotocols = ["a b"]

        let body = await #expect(throws: RestClientError.self) { _ = try await node.method(.post).webSocket() }
        let name = await #expect(throws: RestClientError.self) {
            _ = try await node.webSocketOptions(options).webSocket()
        }

        #expect(body?.code == .bodyNotAllowed)
        #expect(name?.code == .invalidHeader)
    }

    @Test
    func `a manager with a transport of its own has to say how to connect`() async throws {
        let client = StubbedClient()

        let error = await #expect(throws: RestClientError.self) {
            _ = try await client.manager.request(WebSocketMessage.self).endpoint("/live").webSocket()
        }

        #expect(error?.code == .transportFailed)
        #expect(client.requests.isEmpty)
    }
}
