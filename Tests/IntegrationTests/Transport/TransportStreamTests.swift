// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

/// Bodies that a transport streams, in both directions, and those that wait for the server's consent.
@Suite(.timeLimit(.minutes(5)))
struct TransportStreamTests {
    private static func chunks(_ texts: String...) -> AsyncStream<Data> {
        AsyncStream { continuation in
            for text in texts {
                continuation.yield(Data(text.utf8))
            }
            continuation.finish()
        }
    }

    private static func text(_ response: RawResponse) async throws -> String {
        var bytes = response.body
        for try await chunk in try #require(response.stream) {
            bytes += chunk
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A request whose body waits for as long as it takes, and its method.
    private static func patient(_ server: LoopbackServer, _ path: String, _ body: RequestBody) -> TransportRequest {
        var request = TransportRequest(method: .put, url: server.url + path, body: body)
        request.continueTimeout = .seconds(3_600)
        return request
    }

    @Test(arguments: TransportKind.ours)
    func `whole bodies and streams share a connection, one after the other`(kind: TransportKind) async throws {
        try await LoopbackServer.with(kind.mode) { server in
            server.onAny { request in .bytes(request.body) }
            let transport = try kind.makePatient()
            for length in [nil, 6] as [Int64?] {
                let body = RequestBody.stream(Self.chunks("one", "two"), length: length)
                let request = TransportRequest(method: .put, url: server.url + "/", body: body)
                let echo = try await Self.text(try await transport.open(request))
                #expect(echo == "onetwo")
                let whole = try await transport.send(TransportRequest(.put, server, "/", body: "whole"))
                #expect(whole.text == "whole")
            }
            #expect(server.connectionCount == 1)
        }
    }

    @Test(arguments: TransportKind.secure)
    func `streams pass TLS in both directions`(kind: TransportKind) async throws {
        let identity = try TestIdentity()
        try await LoopbackServer.with(.https1(identity)) { server in
            server.onAny { request in .bytes(request.body) }
            var configuration = DirectTransport.Configuration()
            configuration.connectTimeout = .seconds(3_600)
            configuration.additionalTrustRoots = [identity.certificatePEM]
            let transport = try kind.make(configuration)
            let piece = String(repeating: "0123456789", count: 30_000)
            for _ in 0..<3 {
                let body = RequestBody.stream(Self.chunks(piece, piece), length: nil)
                let request = TransportRequest(method: .put, url: server.url + "/", body: body)
                let echo = try await Self.text(try await transport.open(request))
                #expect(echo == piece + piece)
            }
        }
    }

    // MARK: - Consent

    @Test
    func `a body that the server refuses is not read, and can be sent to another one`() async throws {
        try await LoopbackServer.with { server in
            server.onHead(.put, "/closed") { _ in .status(401) }
            server.on(.put, "/open") { request in .bytes(request.body) }
            let transport = try TransportKind.http1.makePatient()
            let once = RequestBody.stream(Self.chunks("one", "two"))
            let refused = try await transport.send(Self.patient(server, "/closed", once))
            #expect(refused.status.code == 401)
            #expect(once.isRepeatable == false)
            let taken = try await transport.send(Self.patient(server, "/open", once))
            #expect(taken.text == "onetwo")
            #expect(server.requests.map { $0.headers["Expect"] } == ["100-continue", "100-continue"])
        }
    }

    @Test(arguments: [RequestBody.bytes(Data("body".utf8)), .stream(chunks("bo", "dy"), length: 4)])
    func `a body goes out with consent`(body: RequestBody) async throws {
        try await LoopbackServer.with { server in
            server.onAny { request in .bytes(request.body) }
            let transport = try TransportKind.http1.makePatient()
            let response = try await transport.send(Self.patient(server, "/", body))
            #expect(response.text == "body")
            #expect(response.interimResponses.map(\.status.code) == [100])
        }
    }

    @Test
    func `a request without content expects nothing`() async throws {
        try await LoopbackServer.with { server in
            server.onAny { _ in .status(204) }
            let transport = try TransportKind.http1.makePatient()
            for body in [RequestBody.bytes(Data()), .stream(Self.chunks(), length: 0)] {
                _ = try await transport.send(Self.patient(server, "/", body))
            }
            var request = TransportRequest(.get, server, "/")
            request.continueTimeout = .seconds(3_600)
            _ = try await transport.send(request)
            #expect(server.requests.map { $0.headers["Expect"] } == [nil, nil, nil])
        }
    }

    @Test
    func `a server that knows no expectations is asked again without one`() async throws {
        try await LoopbackServer.with { server in
            server.onHead(.put, "/") { request in
                request.headers["Expect"] == nil ? .text("fine") : .status(417)
            }
            let transport = try TransportKind.http1.makePatient()
            for body in [RequestBody.bytes(Data("body".utf8)), .stream(Self.chunks("bo", "dy"))] {
                let whole = try await transport.send(Self.patient(server, "/", body))
                #expect(whole.text == "fine")
            }
            let streamed = try await transport.open(Self.patient(server, "/", .stream(Self.chunks("bo", "dy"))))
            let text = try await Self.text(streamed)
            #expect(text == "fine")
            #expect(server.requests.map { $0.headers["Expect"] != nil } == [true, false, true, false, true, false])
        }
    }

    @Test
    func `a server that says nothing gets the body when the time is up`() async throws {
        try await FaultServer.with { server in
            let transport = try TransportKind.http1.makePatient()
            var request = TransportRequest(method: .put, url: server.url + "/", body: .bytes(Data("body".utf8)))
            request.continueTimeout = .milliseconds(20)
            let response = try await transport.send(request)
            #expect(response.text == "good")
        }
    }

    @Test
    func `cancelling a request that waits for consent leaves its body unread`() async throws {
        try await LoopbackServer.with { server in
            let gate = Gate()
            server.onHead(.put, "/") { _ in
                try await gate.wait()
                return .status(204)
            }
            let transport = try TransportKind.http1.makePatient()
            let once = RequestBody.stream(Self.chunks("one"))
            let call = Task { try await transport.send(Self.patient(server, "/", once)) }
            try await gate.waitForWaiters(count: 1)
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            gate.open()
            server.onAny { request in .bytes(request.body) }
            let sent = try await transport.send(TransportRequest(method: .put, url: server.url + "/other", body: once))
            #expect(sent.text == "one")
        }
    }

    @Test
    func `a call asks for consent where a level says so`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { request in .bytes(request.body) }
            client.manager.options = client.manager.options.expectContinue(from: 5, within: .seconds(3_600))
            let calls = [
                client.request(.put, "/").body(.bytes(Data("long".utf8))),
                client.request(.put, "/").body(.bytes(Data("longer".utf8))),
                client.request(.put, "/").body(.stream(Self.chunks("any"))),
                client.request(.put, "/").body(.bytes(Data("longer".utf8))).expectContinue(from: .max),
            ]
            for call in calls {
                _ = try await call.send()
            }
            #expect(client.server.requests.map { $0.headers["Expect"] != nil } == [false, true, true, false])
        }
    }
}
