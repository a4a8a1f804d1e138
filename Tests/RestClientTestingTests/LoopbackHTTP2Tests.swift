// SPDX-License-Identifier: MIT

import TestSupport
import Testing

/// HTTP/2 by hand: frames are written and read as bytes, without the habits of a client.
@Suite(.timeLimit(.minutes(5)))
struct LoopbackHTTP2Tests {
    @Test
    func `a stream gets a response, and its request is logged`() async throws {
        try await withServer { server in
            server.onAny { request in .text("hello \(request.path)").header("X-One", "1") }
            let client = try await HTTP2Client(server)
            try await client.get(stream: 1)

            let head = try await client.frame(.headers, stream: 1)
            #expect(head.payload.first == HTTP2Client.status200)
            #expect(try await client.body(stream: 1) == "hello /")

            let request = try #require(server.requests.first)
            #expect(request.version == .http2)
            #expect(request.method == .get)
            #expect(request.target == "/")
            #expect(request.authority == "localhost")
            #expect(request.headers.lines.isEmpty)
        }
    }

    @Test
    func `streams share a connection, and one that waits does not block others`() async throws {
        let gate = Gate()
        try await withServer { server in
            server.onAny { request in
                if request.number == 1 {
                    try await gate.wait()
                }
                return .text("\(request.number)")
            }
            let client = try await HTTP2Client(server)
            try await client.get(stream: 1)
            try await gate.waitForWaiters(count: 1)
            try await client.get(stream: 3)
            #expect(try await client.body(stream: 3) == "2")
            gate.open()
            #expect(try await client.body(stream: 1) == "1")
            #expect(server.requests.map(\.connection) == [1, 1])
        }
    }

    @Test
    func `a stream that the client cancels has aborted its request, and the connection stays`() async throws {
        try await withServer { server in
            server.onAny { request in request.number == 1 ? .never : .text("ok") }
            let client = try await HTTP2Client(server)
            try await client.get(stream: 1)
            try await server.waitForRequests()
            try await client.cancel(stream: 1)
            try await server.waitForEvent(.aborted(request: 1))

            try await client.get(stream: 3)
            #expect(try await client.body(stream: 3) == "ok")
            #expect(server.connectionCount == 1)
        }
    }

    @Test
    func `hundreds of cancelled streams do not end the connection`() async throws {
        try await withServer { server in
            server.onAny { request in request.method == .get ? .never : .status(200) }
            let client = try await HTTP2Client(server)
            for number in 1...400 {
                try await client.get(stream: 2 * number - 1)
                try await client.cancel(stream: 2 * number - 1)
            }
            try await server.waitForAbortedRequests(count: 400)
            #expect(server.openConnectionCount == 1)
        }
    }

    @Test
    func `a response ahead of the body asks the client to stop sending`() async throws {
        try await withServer { server in
            server.onHead(.post, "/") { _ in .status(200) }
            let client = try await HTTP2Client(server)
            try await client.startPost(stream: 1)
            let head = try await client.frame(.headers, stream: 1)
            #expect(head.payload.first == HTTP2Client.status200)
            #expect(head.endsStream)
            #expect(try await client.frame(.resetStream, stream: 1).payload == [0, 0, 0, 0])
            #expect(server.events.last == .responded(request: 1))
        }
    }

    @Test
    func `the server resets a stream with a code, and the connection stays`() async throws {
        let response = LoopbackResponse.chunks(["half"]).ending(.resetStream(code: 7))
        try await withServer { server in
            server.onAny { request in request.number == 1 ? response : .text("ok") }
            let client = try await HTTP2Client(server)
            try await client.get(stream: 1)
            #expect(try await client.frame(.resetStream, stream: 1).payload == [0, 0, 0, 7])
            try await server.waitForEvent(.cutOff(request: 1))

            try await client.get(stream: 3)
            #expect(try await client.body(stream: 3) == "ok")
        }
    }

    @Test
    func `a body that fails on its way resets the stream with an internal error`() async throws {
        struct Oops: Error {}
        let response = LoopbackResponse.stream { writer in
            try await writer.write("half")
            throw Oops()
        }
        try await withServer { server in
            server.onAny { _ in response }
            let client = try await HTTP2Client(server)
            try await client.get(stream: 1)
            #expect(try await client.frame(.resetStream, stream: 1).payload == [0, 0, 0, 2])
        }
    }

    @Test
    func `informational responses and trailers have their own frames`() async throws {
        let response = LoopbackResponse.text("ok").preceded(by: 103).trailers(["X-Sum": "1"])
        try await withServer { server in
            server.onAny { _ in response }
            let client = try await HTTP2Client(server)
            try await client.get(stream: 1)
            let informational = try await client.frame(.headers, stream: 1)
            #expect(!informational.endsStream)
            #expect(try await client.frame(.headers, stream: 1).payload.first == HTTP2Client.status200)
            #expect(try await client.frame(.data, stream: 1).endsStream == false)
            #expect(try await client.frame(.headers, stream: 1).endsStream)
        }
    }

    @Test
    func `the connection can be closed, reset or sent bytes that are not frames`() async throws {
        let garbage: [UInt8] = [0, 0, 0, 0xEE, 0, 0, 0, 0, 0]
        for response in [LoopbackResponse.close, .reset, .raw(garbage)] {
            try await withServer { server in
                server.onAny { _ in response }
                let client = try await HTTP2Client(server)
                try await client.get(stream: 1)
                switch response.ending {
                case .reset:
                    await #expect(throws: LoopbackConnectionError.reset) { try await client.connection.receiveToEnd() }
                default:
                    let rest = try await client.connection.receiveToEnd()
                    #expect(rest.suffix(garbage.count) == garbage || response.ending.isClose)
                }
                try await server.waitForEvent(.cutOff(request: 1))
            }
        }
    }

    @Test
    func `a client that asks for HTTP 1 gets it, unless the server speaks HTTP 2 only`() async throws {
        let identity = try TestIdentity()
        try await LoopbackServer.with(.http2(identity)) { server in
            server.onAny { _ in .text("ok") }
            for protocols in [["http/1.1"], []] {
                let connection = try await LoopbackConnection.open(to: server, protocols: protocols)
                #expect(connection.negotiatedProtocol == protocols.first)
                try await connection.send(RawHTTP.get("/"))
                _ = try await connection.receive(through: "ok")
            }
            #expect(server.requests.map(\.version) == [.http11, .http11])
        }
        try await LoopbackServer.with(.http2Only(identity)) { server in
            let connection = try await LoopbackConnection.open(to: server, protocols: ["http/1.1"])
            #expect(connection.negotiatedProtocol == nil)
            try await server.waitForEvent { event in
                if case .connectionFailed = event { true } else { false }
            }
            try await connection.waitForEnd()
        }
    }

    @Test
    func `a client that violates the protocol loses its connection, which is logged`() async throws {
        try await withServer { server in
            server.onAny { _ in .text("ok") }
            let client = try await HTTP2Client(server)
            // DATA belongs to a stream; here it has none.
            try await client.connection.send([0, 0, 0, 0, 0, 0, 0, 0, 0])
            try await client.connection.waitForEnd()
            try await server.waitForEvent { event in
                if case .connectionFailed = event { true } else { false }
            }
        }
    }

    private func withServer(_ body: (LoopbackServer) async throws -> Void) async throws {
        try await LoopbackServer.with(.http2Only(try TestIdentity()), body)
    }
}

extension LoopbackResponse.Ending {
    fileprivate var isClose: Bool {
        if case .close = self { true } else { false }
    }
}
