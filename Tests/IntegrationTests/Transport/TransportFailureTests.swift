// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

/// Whatever goes wrong on the wire is an error with a code, never a short body.
@Suite(.timeLimit(.minutes(5)))
struct TransportFailureTests {
    /// Responses that end before they are complete.
    static let cutAnswers: [String: LoopbackResponse] = [
        "closed before the head": .close,
        "reset before the head": .reset,
        "closed in the status line": .raw("HTTP/1.1 20"),
        "closed in the head": .raw("HTTP/1.1 200 OK\r\nContent-Le"),
        "closed after an informational answer": .raw("HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n"),
        "closed before the announced length": .text("half a bo").claimingLength(100),
        "reset before the announced length": .text("half a bo").claimingLength(100).ending(.reset),
        "closed between two chunks": .chunks(["one", "two"]).ending(.close),
        "closed within a chunk": .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\nhalf"),
        "closed within the size of a chunk": .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1"),
        "closed before the last line break":
            .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n0\r\n"),
        "reset between two chunks": .chunks(["one", "two"]).ending(.reset),
        "a cut gzip body": .text("some words, some words").encoded(.gzip).claimingLength(500),
    ]

    @Test(arguments: cutAnswers.keys.sorted())
    func `a cut response is a closed connection`(answer: String) async throws {
        let response = try #require(Self.cutAnswers[answer])
        try await LoopbackServer.with { server in
            server.onAny { _ in response }
            let transport = try TransportKind.http1.make()
            let code = try await failureCode { try await transport.send(TransportRequest(.get, server, "/")) }
            #expect(code == .connectionClosed)
        }
    }

    /// All of them on all transports, but for one that ends the process inside Foundation on Linux.
    static let cutCases = TransportKind.overHTTP1.flatMap { kind in
        cutAnswers.keys.sorted()
            .filter { kind == .http1 || $0 != "closed in the head" }
            .map { (kind, $0) }
    }

    @Test(arguments: cutCases)
    func `a cut response is never a short body`(kind: TransportKind, answer: String) async throws {
        let response = try #require(Self.cutAnswers[answer])
        try await LoopbackServer.with { server in
            server.onAny { _ in response }
            await #expect(throws: RestClientError.self) {
                try await kind.make().send(TransportRequest(.get, server, "/"))
            }
        }
    }

    /// Bytes that are not a response.
    static let malformedAnswers: [String: String] = [
        "no HTTP": "SSH-2.0-OpenSSH_9.9\r\n\r\n",
        "a page without a head": "<html><body>502</body></html>\r\n\r\n",
        "a status that is no number": "HTTP/1.1 abc OK\r\nContent-Length: 0\r\n\r\n",
        "a status below 100": "HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n",
        "a status of zeros": "HTTP/1.1 000 \r\nContent-Length: 0\r\n\r\n",
        "a status of four digits": "HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n",
        "a version that does not exist": "HTTP/9.9 200 OK\r\nContent-Length: 0\r\n\r\n",
        "a header line without a colon": "HTTP/1.1 200 OK\r\nNoColonHere\r\nContent-Length: 0\r\n\r\n",
        "a header name with a space": "HTTP/1.1 200 OK\r\nBad Name: 1\r\nContent-Length: 0\r\n\r\n",
        "a chunk size that is no number":
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nbody\r\n0\r\n\r\n",
        "a chunk longer than its size":
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nbody\r\n0\r\n\r\n",
        "two lengths": "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nbody",
        "a negative length": "HTTP/1.1 200 OK\r\nContent-Length: -4\r\n\r\nbody",
        "a length that is no number": "HTTP/1.1 200 OK\r\nContent-Length: four\r\n\r\nbody",
        "a length beyond all numbers": "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nbody",
    ]

    @Test(arguments: malformedAnswers.keys.sorted())
    func `a response that is not HTTP is malformed`(answer: String) async throws {
        let bytes = try #require(Self.malformedAnswers[answer])
        try await LoopbackServer.with { server in
            server.onAny { _ in .raw(bytes) }
            let transport = try TransportKind.http1.make()
            let code = try await failureCode { try await transport.send(TransportRequest(.get, server, "/")) }
            #expect(code == .malformedResponse)
        }
    }

    @Test
    func `a malformed response leaves the transport usable`() async throws {
        try await LoopbackServer.with { server in
            server.on(.get, "/bad") { _ in .raw("HTTP/1.1 abc\r\n\r\n", ending: .stall) }
            server.on(.get, "/good") { _ in .text("good") }
            let transport = try TransportKind.http1.make()
            for _ in 0..<3 {
                let code = try await failureCode { try await transport.send(TransportRequest(.get, server, "/bad")) }
                #expect(code == .malformedResponse)
                let response = try await transport.send(TransportRequest(.get, server, "/good"))
                #expect(response.text == "good")
            }
        }
    }

    @Test
    func `a server that changes the protocol as a request asked it to is an error, and the next call succeeds`()
        async throws
    {
        try await LoopbackServer.with { server in
            server.on(.get, "/switch") { _ in
                .raw(
                    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: chat\r\nConnection: Upgrade\r\n\r\nchatter",
                    ending: .stall
                )
            }
            server.on(.get, "/stay") { request in .text(request.headers["Upgrade"] ?? "") }
            let transport = try TransportKind.http1.make()
            var request = TransportRequest(.get, server, "/switch")
            request.headers = [.connection: "upgrade", .upgrade: "chat"]
            let error = await #expect(throws: RestClientError.self) { try await transport.send(request) }
            #expect(error?.code == .transportFailed)
            #expect(error?.message.contains("Upgrade field") == true)
            request.url = server.url + "/stay"
            let next = try await transport.send(request)
            #expect(next.text == "chat")
        }
    }

    @Test
    func `a request to change the protocol goes to a server of HTTP/2 over HTTP/1.1, unless HTTP/2 is required`()
        async throws
    {
        let identity = try TestIdentity()
        try await LoopbackServer.with(.http2(identity)) { server in
            server.onAny { request in .text(request.version.rawValue) }
            var request = TransportRequest(.get, server, "/")
            request.headers = [.connection: "upgrade", .upgrade: "chat"]
            var configuration = DirectTransport.Configuration()
            configuration.additionalTrustRoots = [identity.certificatePEM]
            let response = try await DirectTransport(configuration: configuration).send(request)
            #expect(response.text == "HTTP/1.1")

            configuration.requiresHTTP2 = true
            let strict = try DirectTransport(configuration: configuration)
            let error = await #expect(throws: RestClientError.self) { try await strict.send(request) }
            #expect(error?.code == .transportFailed)
            #expect(error?.message.contains("Upgrade") == true)
            #expect(server.requests.count == 1)
        }
    }

    @Test
    func `a tunnel is refused, and nothing is sent`() async throws {
        try await LoopbackServer.with { server in
            let error = await #expect(throws: RestClientError.self) {
                try await DirectTransport().send(TransportRequest(.connect, server, "/"))
            }
            #expect(error?.code == .transportFailed)
            #expect(error?.message.contains("CONNECT") == true)
            #expect(server.connectionCount == 0)
        }
    }

    /// Valid responses followed by unrequested bytes.
    static let surplusAnswers: [String: LoopbackResponse] = [
        "a second response":
            .raw(
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
                ending: .complete
            ),
        "an informational answer":
            .raw(
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" + "HTTP/1.1 103 Early Hints\r\n\r\n",
                ending: .complete
            ),
        "a head without a status":
            .raw(
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" + "HTTP/1.1 000 \r\nContent-Length: 0\r\n\r\n",
                ending: .complete
            ),
        "more body than announced":
            .raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokevil", ending: .complete),
        "bytes that are no HTTP":
            .raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok\u{1}\u{2}\r\n\r\n", ending: .complete),
    ]

    @Test(arguments: surplusAnswers.keys.sorted())
    func `what nobody asked for reaches nobody`(surplus: String) async throws {
        let answer = try #require(Self.surplusAnswers[surplus])
        try await LoopbackServer.with { server in
            server.on(.get, "/first") { _ in answer }
            server.on(.get, "/next") { _ in .text("next") }
            let transport = try TransportKind.http1.make()
            // Either a response or an error will do: with some of them it is a matter of when the bytes arrive.
            let first = try? await transport.send(TransportRequest(.get, server, "/first"))
            #expect(first?.text == "ok" || first == nil)
            let next = try? await transport.send(TransportRequest(.get, server, "/next"))
            #expect(next?.text == "next" || next == nil)
            let last = try await transport.send(TransportRequest(.get, server, "/next"))
            #expect(last.text == "next")
        }
    }

    @Test(arguments: [204, 304])
    func `a body where none may be reaches nobody`(status: Int) async throws {
        try await LoopbackServer.with { server in
            server.on(.get, "/first") { _ in
                .raw("HTTP/1.1 \(status) Odd\r\nContent-Length: 4\r\n\r\nevil", ending: .complete)
            }
            server.on(.get, "/next") { _ in .text("next") }
            let transport = try TransportKind.http1.make()
            let first = try? await transport.send(TransportRequest(.get, server, "/first"))
            #expect(first?.body.isEmpty != false)
            let next = try? await transport.send(TransportRequest(.get, server, "/next"))
            #expect(next?.text == "next" || next == nil)
            let last = try await transport.send(TransportRequest(.get, server, "/next"))
            #expect(last.text == "next")
        }
    }

    @Test
    func `a response that comes before the body was sent is a response`() async throws {
        try await LoopbackServer.with { server in
            server.onHead(.post, "/") { _ in .text("too large", status: 413).ending(.close) }
            var request = TransportRequest(.post, server, "/")
            request.body = .bytes(Data(repeating: 1, count: 8 << 20))
            // The rest of the body may meet the closed connection first.
            do {
                let response = try await TransportKind.http1.make().send(request)
                #expect(response.status.code == 413)
            } catch let error as RestClientError {
                #expect(error.code == .connectionClosed)
            }
        }
    }
}

// MARK: - Servers that are not there

extension TransportFailureTests {
    @Test(arguments: TransportKind.overHTTP1)
    func `a refused connection is reported at once`(kind: TransportKind) async throws {
        let port = try LoopbackPort(.refusing)
        // Without a time limit, a transport that keeps making attempts would never end.
        let code = try await failureCode {
            try await kind.makePatient().send(TransportRequest(method: .get, url: port.url))
        }
        #expect(code == .connectionFailed)
    }

    @Test(arguments: TransportKind.overHTTP1)
    func `a host name that does not resolve is reported as such`(kind: TransportKind) async throws {
        let code = try await failureCode {
            try await kind.make().send(TransportRequest(method: .get, url: "http://does-not-exist.invalid/"))
        }
        #expect(code == .hostNotFound)
    }

    @Test(arguments: TransportKind.overHTTP1)
    func `a connection that nobody takes ends with the time limit`(kind: TransportKind) async throws {
        let port = try LoopbackPort(.unanswering)
        let code = try await failureCode {
            try await kind.make().send(TransportRequest(method: .get, url: port.url, timeout: .milliseconds(150)))
        }
        #expect(code == .timeout)
    }

    @Test
    func `a connection that nobody takes ends with the limit for connecting`() async throws {
        let port = try LoopbackPort(.unanswering)
        var configuration = DirectTransport.Configuration()
        configuration.connectTimeout = .milliseconds(150)
        let transport = try TransportKind.http1.make(configuration)
        let code = try await failureCode { try await transport.send(TransportRequest(method: .get, url: port.url)) }
        #expect(code == .timeout)
    }

    @Test(arguments: ["", "no url", "/path", "ftp://127.0.0.1/", "http://"])
    func `what is no URL to send to is refused`(url: String) async throws {
        let transport = try TransportKind.http1.make()
        let code = try await failureCode { try await transport.send(TransportRequest(method: .get, url: url)) }
        #expect(code == .invalidURL)
    }

    @Test(arguments: TransportKind.secure)
    func `plain HTTP where TLS is expected is a failure of TLS`(kind: TransportKind) async throws {
        try await LoopbackServer.with { server in
            let url = "https://127.0.0.1:\(server.port)/"
            let code = try await failureCode { try await kind.make().send(TransportRequest(method: .get, url: url)) }
            #expect(code == .tlsFailed)
        }
    }
}
