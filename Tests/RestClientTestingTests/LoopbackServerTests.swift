// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LoopbackServerTests {
    @Test
    func `a route's handler gets the values of its placeholders`() async throws {
        try await LoopbackServer.with { server in
            server.on(.get, "/users/{id}/files/{+path}") { request in
                .text("\(request.parameters["id"] ?? "") \(request.parameters["path"] ?? "")")
            }

            let answer = try await RawHTTP.exchange(with: server, RawHTTP.get("/users/a%20b/files/x/y.txt"))

            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(answer.hasSuffix("\r\n\r\na b x/y.txt"))
        }
    }

    @Test
    func `text takes precedence over placeholders in any order of registration`() async throws {
        try await LoopbackServer.with { server in
            server.on(.get, "/{+any}") { _ in .text("rest") }
            server.on(.get, "/users/{id}") { _ in .text("placeholder") }
            server.on(.get, "/users/me") { _ in .text("word") }

            for (path, handler) in [("me", "word"), ("7", "placeholder"), ("7/more", "rest")] {
                let answer = try await RawHTTP.exchange(with: server, RawHTTP.get("/users/\(path)"))
                #expect(answer.hasSuffix(handler))
            }
        }
    }

    @Test
    func `of equally specific routes the last one responds, and items of a query are conditions`() async throws {
        try await LoopbackServer.with { server in
            server.on(.get, "/find?kind=book&page") { _ in .text("page of books") }
            server.on(.get, "/find?kind=book") { _ in .text("books") }
            server.on(.get, "/{first}") { _ in .text("first") }
            server.on(.get, "/{second}") { _ in .text("second") }
            server.on(.get, "/only?q=a%20b") { _ in .text("only") }
            server.on(.get, "/orders/summary") { _ in .text("summary") }
            server.on(.post, "/orders") { _ in .status(204) }
            server.on(.get, "/orders/{id}") { _ in .text("order") }

            for (target, handler) in [
                ("/other", "second"), ("/find?kind=book", "books"), ("/find?page=2&kind=book", "page of books"),
                ("/find?kind=song", "second"), ("/only?q=a%20b&x", "only"), ("/only", "second"),
                ("/orders/summary", "summary"), ("/orders/7", "order"),
            ] {
                let answer = try await RawHTTP.exchange(with: server, RawHTTP.get(target))
                #expect(answer.hasSuffix("\r\n\r\n" + handler), "\(target)")
            }
        }
    }

    @Test
    func `an unmatched request gets a 404, a 405 for a known path, or goes to the fallback`() async throws {
        try await LoopbackServer.with { server in
            server.on(.put, "/known") { _ in .status(204) }

            #expect(try await RawHTTP.exchange(with: server, RawHTTP.get("/unknown")).hasPrefix("HTTP/1.1 404 "))
            let refusal = try await RawHTTP.exchange(with: server, RawHTTP.get("/known"))
            #expect(refusal.hasPrefix("HTTP/1.1 405 "))
            #expect(refusal.contains("\r\nAllow: PUT\r\n"))
        }
        let teapot = try await LoopbackServer.with { server in
            server.onAny { _ in .status(418) }
            return try await RawHTTP.exchange(with: server, RawHTTP.get("/unknown"))
        }
        #expect(teapot.hasPrefix("HTTP/1.1 418 "))
    }

    @Test
    func `the log keeps requests as they were sent`() async throws {
        try await LoopbackServer.with { server in
            server.onAny { _ in .status(200) }
            let body = #"{"a":1}"#
            _ = try await RawHTTP.exchange(
                with: server,
                "POST /a%2Fb?x=1&y=a+b&x HTTP/1.1\r\nHost: here\r\nX-One: 1\r\nx-one:  2 \r\n"
                    + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
            )

            let request = try #require(server.requests.first)
            #expect(request.number == 1)
            #expect(request.connection == 1)
            #expect(request.version == .http11)
            #expect(request.method == .post)
            #expect(request.target == "/a%2Fb?x=1&y=a+b&x")
            #expect(request.path == "/a%2Fb")
            #expect(request.query == "x=1&y=a+b&x")
            #expect(request.queryItems.map(\.name) == ["x", "y", "x"])
            #expect(request.queryItems.map(\.value) == ["1", "a b", ""])
            #expect(request.authority == "here")
            #expect(request.headers.lines.map(\.name).prefix(3) == ["Host", "X-One", "x-one"])
            #expect(request.headers.values("X-ONE") == ["1", "2"])
            #expect(request.text == body)
        }
    }

    @Test
    func `a connection is kept and numbered, and the log is in order`() async throws {
        try await LoopbackServer.with { server in
            server.onAny { _ in .text("ok") }
            let first = try await LoopbackConnection.open(to: server)
            for _ in 1...2 {
                try await first.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                _ = try await first.receive(through: "ok")
            }
            await first.close()
            try await server.waitForOpenConnections(count: 0)
            _ = try await RawHTTP.exchange(with: server, RawHTTP.get("/"))

            #expect(server.requests.map(\.connection) == [1, 1, 2])
            #expect(server.connectionCount == 2)
            #expect(
                server.events.prefix(8) == [
                    .connectionOpened(connection: 1),
                    .requestStarted(request: 1), .requestReceived(request: 1), .responded(request: 1),
                    .requestStarted(request: 2), .requestReceived(request: 2), .responded(request: 2),
                    .connectionClosed(connection: 1),
                ]
            )
        }
    }

    @Test
    func `pipelined requests get their responses one after another`() async throws {
        try await LoopbackServer.with { server in
            server.onAny { request in .text(request.path) }
            let answer = try await RawHTTP.exchange(
                with: server,
                "GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n" + RawHTTP.get("/3")
            )

            #expect(answer.split(separator: "\r\n\r\n").count == 4)
            #expect(answer.contains("/1HTTP/1.1 200 OK"))
            #expect(answer.hasSuffix("/3"))
        }
    }

    @Test
    func `a client that waits for 100 Continue gets it`() async throws {
        try await LoopbackServer.with { server in
            server.onAny { request in .text(request.text) }
            let connection = try await LoopbackConnection.open(to: server)
            try await connection.send("PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n")
            #expect(try await connection.receive(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            try await connection.send("body")
            #expect(try await connection.receive(through: "body").hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
    }

    @Test
    func `a handler that throws becomes a 500 and is logged`() async throws {
        struct Oops: Error {}
        try await LoopbackServer.with { server in
            server.on(.get, "/") { _ in throw Oops() }
            let answer = try await RawHTTP.exchange(with: server, RawHTTP.get("/"))
            #expect(answer.hasPrefix("HTTP/1.1 500 "))
            #expect(server.events.contains(.handlerFailed(request: 1, reason: "Oops()")))
        }
    }

    @Test
    func `a handler can respond before the body is read`() async throws {
        try await LoopbackServer.with { server in
            server.onHead(.post, "/") { _ in .status(413) }
            let connection = try await LoopbackConnection.open(to: server)
            try await connection.send("POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\n")
            #expect(try await connection.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 413 "))
            try await connection.send("body" + RawHTTP.get("/"))
            #expect(try await connection.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 405 "))
        }
    }

    @Test
    func `malformed input gets a 400 and is logged`() async throws {
        try await LoopbackServer.with { server in
            #expect(try await RawHTTP.exchange(with: server, "nonsense\r\n\r\n").hasPrefix("HTTP/1.1 400 "))
            try await server.waitForEvent { event in
                if case .connectionFailed(connection: 1, _) = event { true } else { false }
            }
        }
    }

    @Test
    func `a client that leaves aborts its request and cancels the handler`() async throws {
        let gate = Gate()
        let cancelled = Gate()
        try await LoopbackServer.with { server in
            server.on(.get, "/") { _ in
                do {
                    try await gate.wait()
                } catch is CancellationError {
                    cancelled.open()
                }
                return .status(200)
            }
            let connection = try await LoopbackConnection.open(to: server)
            try await connection.send("GET / HTTP/1.1\r\n\r\n")
            try await gate.waitForWaiters(count: 1)
            #expect(try await server.waitForRequests().count == 1)

            await connection.close()

            try await cancelled.wait()
            try await server.waitForEvent(.aborted(request: 1))
            #expect(try await server.waitForAbortedRequests() == [1])
        }
    }

    @Test
    func `a client that resets its connection aborts its request`() async throws {
        try await LoopbackServer.with { server in
            server.onAny { _ in .never }
            let connection = try await LoopbackConnection.open(to: server)
            try await connection.send("GET / HTTP/1.1\r\n\r\n")
            try await server.waitForRequests()
            try await connection.reset()
            try await server.waitForEvent(.aborted(request: 1))
        }
    }

    @Test
    func `a client that leaves in the middle of its body has aborted the request`() async throws {
        try await LoopbackServer.with { server in
            server.onAny { _ in .status(200) }
            let connection = try await LoopbackConnection.open(to: server)
            try await connection.send("POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\nhalf")
            try await server.waitForEvent(.requestStarted(request: 1))
            await connection.close()
            try await server.waitForEvent(.aborted(request: 1))
            #expect(server.requests.isEmpty)
        }
    }

    @Test
    func `stopping ends open responses, which the client has not aborted`() async throws {
        let server = try await LoopbackServer.start()
        server.onAny { _ in .never }
        let connection = try await LoopbackConnection.open(to: server)
        try await connection.send("GET / HTTP/1.1\r\n\r\n")
        try await server.waitForRequests()

        await server.stop()
        await server.stop()

        try await connection.waitForEnd()
        try await server.waitForEvent(.cutOff(request: 1))
        #expect(!server.events.contains(.aborted(request: 1)))
        await #expect(throws: (any Error).self) { try await LoopbackConnection.open(to: server) }
    }

    @Test
    func `a connection that is counted is also reset`() async throws {
        try await LoopbackServer.with { server in
            // The count came before the registration once; a single round seldom met the moment between them.
            for _ in 0..<300 {
                let connection = try await LoopbackConnection.open(to: server)
                try await server.waitForOpenConnections(count: 1)
                try await server.resetConnections()
                #expect(server.openConnectionCount == 0)
                await #expect(throws: LoopbackConnectionError.reset) { try await connection.receiveToEnd() }
            }
        }
    }

    @Test
    func `idle connections can be closed or reset under the client's hands`() async throws {
        try await LoopbackServer.with { server in
            server.onAny { _ in .text("ok") }
            let closed = try await LoopbackConnection.open(to: server)
            try await server.waitForOpenConnections(count: 1)
            try await server.closeConnections()
            #expect(try await closed.receiveToEnd().isEmpty)

            let reset = try await LoopbackConnection.open(to: server)
            try await server.waitForOpenConnections(count: 1)
            try await server.resetConnections()
            await #expect(throws: LoopbackConnectionError.reset) { try await reset.receiveToEnd() }

            #expect(try await RawHTTP.exchange(with: server, RawHTTP.get("/")).hasSuffix("ok"))
        }
    }
}
