// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LoopbackResponseTests {
    /// Returns what a server sends that always responds like this, until it closes the connection.
    private func answer(_ response: LoopbackResponse, to request: String = RawHTTP.get("/")) async throws -> String {
        try await LoopbackServer.with { server in
            server.onAny { _ in response }
            return try await RawHTTP.exchange(with: server, request)
        }
    }

    @Test
    func `bytes are announced, nothing is announced as nothing`() async throws {
        #expect(
            try await answer(.json("{}", status: 201, headers: ["ETag": "\"1\""]))
                == "HTTP/1.1 201 Created\r\nETag: \"1\"\r\nContent-Type: application/json\r\n"
                + "Content-Length: 2\r\nConnection: close\r\n\r\n{}"
        )
        #expect(
            try await answer(.status(200)) == "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        )
    }

    @Test(arguments: [204, 304])
    func `a status without a body sends none`(status: Int) async throws {
        var response = LoopbackResponse.text("never sent", status: status)
        response.reason = "Reason"
        #expect(
            try await answer(response)
                == "HTTP/1.1 \(status) Reason\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"
        )
    }

    @Test
    func `a response to HEAD announces a body and sends none`() async throws {
        let answer = try await answer(.text("four"), to: "HEAD / HTTP/1.1\r\nConnection: close\r\n\r\n")
        #expect(answer.contains("\r\nContent-Length: 4\r\n"))
        #expect(answer.hasSuffix("\r\n\r\n"))
    }

    @Test
    func `header lines of one name stay apart`() async throws {
        let response = LoopbackResponse.status(200).header("Set-Cookie", "a=1").header("Set-Cookie", "b=2")
        #expect(try await answer(response).contains("\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n"))
    }

    @Test
    func `pieces are sent as chunks, with trailers after them`() async throws {
        let response = LoopbackResponse.chunks(["one", "", "and two"]).trailers(["X-Sum": "2"])
        #expect(
            try await answer(response)
                == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
                + "3\r\none\r\n7\r\nand two\r\n0\r\nX-Sum: 2\r\n\r\n"
        )
    }

    @Test
    func `a client of HTTP/1.0 gets pieces until the connection closes`() async throws {
        #expect(
            try await answer(.chunks(["one", "two"]), to: "GET / HTTP/1.0\r\n\r\n")
                == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nonetwo"
        )
    }

    @Test
    func `a gate between pieces holds the rest back`() async throws {
        let gate = Gate()
        try await LoopbackServer.with { server in
            server.onAny { _ in .chunks(["one", .wait(gate), "two"]) }
            let connection = try await LoopbackConnection.open(to: server)
            try await connection.send("GET / HTTP/1.1\r\n\r\n")
            _ = try await connection.receive(through: "one\r\n")
            try await gate.waitForWaiters(count: 1)
            #expect(!server.events.contains(.responded(request: 1)))
            gate.open()
            #expect(try await connection.receive(through: "0\r\n\r\n") == "3\r\ntwo\r\n0\r\n\r\n")
        }
    }

    @Test
    func `a gate delays the whole response, but not the informational ones before it`() async throws {
        let gate = Gate()
        let response = LoopbackResponse.text("late").preceded(by: 103, headers: ["Link": "</a>"]).after(gate)
        try await LoopbackServer.with { server in
            server.onAny { _ in response }
            let connection = try await LoopbackConnection.open(to: server)
            try await connection.send("GET / HTTP/1.1\r\n\r\n")
            #expect(
                try await connection.receive(through: "\r\n\r\n") == "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
            )
            try await gate.waitForWaiters(count: 1)
            gate.open()
            #expect(try await connection.receive(through: "late").hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
    }

    @Test
    func `a body that is cut off ends before the length it claims`() async throws {
        let answer = try await answer(.text("half").claimingLength(100))
        #expect(answer.contains("\r\nContent-Length: 100\r\n"))
        #expect(answer.hasSuffix("\r\n\r\nhalf"))
    }

    @Test
    func `chunks that are cut off end without the last one`() async throws {
        #expect(try await answer(.chunks(["half"]).ending(.close)).hasSuffix("\r\n\r\n4\r\nhalf\r\n"))
        let failing = LoopbackResponse.stream { writer in
            try await writer.write("half")
            throw CancellationError()
        }
        #expect(try await answer(failing).hasSuffix("\r\n\r\n4\r\nhalf\r\n"))
    }

    @Test
    func `a server closes or resets in place of a response`() async throws {
        #expect(try await answer(.close).isEmpty)
        await #expect(throws: LoopbackConnectionError.reset) { try await answer(.reset) }
        await #expect(throws: LoopbackConnectionError.reset) { try await answer(.text("half").ending(.reset)) }
    }

    @Test
    func `a response that the server cuts off was not aborted by the client`() async throws {
        try await LoopbackServer.with { server in
            server.onAny { _ in .close }
            _ = try await RawHTTP.exchange(with: server, RawHTTP.get("/"))
            try await server.waitForEvent(.cutOff(request: 1))
            try await server.waitForEvent(.connectionClosed(connection: 1))
            #expect(!server.events.contains(.aborted(request: 1)))
        }
    }

    @Test
    func `a response may stall in the middle`() async throws {
        try await LoopbackServer.with { server in
            server.onAny { _ in .text("half").claimingLength(9).ending(.stall) }
            let connection = try await LoopbackConnection.open(to: server)
            try await connection.send("GET / HTTP/1.1\r\n\r\n")
            _ = try await connection.receive(through: "half")
            #expect(server.openConnectionCount == 1)
            await connection.close()
            try await server.waitForOpenConnections(count: 0)
        }
    }

    @Test
    func `raw bytes are sent as they are, then the connection is closed or kept`() async throws {
        #expect(try await answer(.raw("HTTP/9 what\r\n")) == "HTTP/9 what\r\n")

        let byHand = LoopbackResponse.raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", ending: .complete)
        try await LoopbackServer.with { server in
            server.onAny { _ in byHand }
            let connection = try await LoopbackConnection.open(to: server)
            for _ in 1...2 {
                try await connection.send("GET / HTTP/1.1\r\n\r\n")
                _ = try await connection.receive(through: "ok")
            }
            #expect(server.connectionCount == 1)
        }
    }

    @Test
    func `large bodies arrive whole in both directions`() async throws {
        let count = 3 << 20
        let bytes = (0..<count).map { index in UInt8(truncatingIfNeeded: index &* 31 >> 3) }
        try await LoopbackServer.with { server in
            server.onAny { request in .bytes(request.body) }
            let connection = try await LoopbackConnection.open(to: server)
            try await connection.send("PUT / HTTP/1.1\r\nContent-Length: \(count)\r\n\r\n")
            try await connection.send(bytes)
            _ = try await connection.receive(through: "\r\n\r\n")
            #expect(try await connection.receive(count: count) == bytes)
        }
    }
}
