// SPDX-License-Identifier: MIT

import NIOCore
import NIOPosix
import RestEssentials
import Testing

@testable import HTTPWire

/// The port to which a browser comes back from a login.
@Suite(.timeLimit(.minutes(5)))
struct RedirectListenerTests {
    // MARK: - The rule

    private static let rule = RedirectRule(path: "/callback") { $0 == "state=s&code=c" }

    private static func request(_ line: String, host: String = "Host: 127.0.0.1:80") -> String {
        "\(line)\r\n\(host)\r\nCookie: a=b\r\n\r\n"
    }

    private static let taken = RedirectRule.Verdict.taken(query: "state=s&code=c")

    @Test(
        arguments: [
            (request("GET /callback?state=s&code=c HTTP/1.1"), taken),
            (request("GET /callback?state=s&code=c HTTP/1.1", host: "hOST:  127.0.0.1:80 "), taken),
            (request("GET /callback?state=s&code=c HTTP/1.1") + "more", taken),
            ("", .incomplete),
            ("GET /callback?state=s&code=c HTTP/1.1\r\nHost: 127.0.0.1:80\r\n", .incomplete),
            (request("GET /callback?state=x&code=c HTTP/1.1"), .refused(.malformed)),
            (request("GET /callback HTTP/1.1"), .refused(.malformed)),
            (request("GET /?state=s&code=c HTTP/1.1"), .refused(.notFound)),
            (request("GET /callback/?state=s&code=c HTTP/1.1"), .refused(.notFound)),
            (request("GET /%63allback?state=s&code=c HTTP/1.1"), .refused(.notFound)),
            (request("GET /favicon.ico HTTP/1.1"), .refused(.notFound)),
            (request("GET http://127.0.0.1:80/callback?state=s&code=c HTTP/1.1"), .refused(.notFound)),
            (request("POST /callback?state=s&code=c HTTP/1.1"), .refused(.otherMethod)),
            (request("HEAD /callback?state=s&code=c HTTP/1.1"), .refused(.otherMethod)),
            (request("GET /callback?state=s&code=c HTTP/2.0"), .refused(.malformed)),
            (request("GET  /callback?state=s&code=c HTTP/1.1"), .refused(.malformed)),
            (request("GET /callback?state=s&code=\u{1B} HTTP/1.1"), .refused(.malformed)),
            (request("GET /callback?state=s&code=c HTTP/1.1", host: "Host: evil.example:80"), .refused(.malformed)),
            (request("GET /callback?state=s&code=c HTTP/1.1", host: "Host: localhost:80"), .refused(.malformed)),
            (request("GET /callback?state=s&code=c HTTP/1.1", host: "Host: 127.0.0.1:81"), .refused(.malformed)),
            (request("GET /callback?state=s&code=c HTTP/1.1", host: "Accept: */*"), .refused(.malformed)),
            (
                request("GET /callback?state=s&code=c HTTP/1.1", host: "Host: 127.0.0.1:80\r\nHost: 127.0.0.1:80"),
                .refused(.malformed)
            ),
            (request("GET /callback?state=s&code=c HTTP/1.1", host: "Host: 127.0.0.1:80\rX: y"), .refused(.malformed)),
            (String(repeating: "a", count: 32_769), .refused(.tooLong)),
        ] as [(String, RedirectRule.Verdict)]
    )
    func `One request is the redirect, and all others are refused`(text: String, verdict: RedirectRule.Verdict) {
        #expect(Self.rule.verdict(on: Array(text.utf8), port: 80) == verdict)
    }

    // MARK: - The port

    private func open(timeout: TimeAmount = .hours(1)) async throws -> (listener: RedirectListener, port: Int) {
        try await RedirectListener.open(
            path: "/callback",
            timeout: timeout,
            on: MultiThreadedEventLoopGroup.singleton
        ) { $0.hasPrefix("state=s&") }
    }

    /// Sends a request to a port, and returns what comes back until the connection ends.
    private func send(_ line: String, to port: Int) async throws -> String {
        let text = Self.request(line, host: "Host: 127.0.0.1:\(port)")
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: text))
            var response = ByteBuffer()
            for try await var part in inbound {
                response.writeBuffer(&part)
            }
            return String(buffer: response)
        }
    }

    @Test
    func `It refuses strangers, takes one redirect, shows nothing of it, and closes its port`() async throws {
        let (listener, port) = try await open()

        #expect(try await send("GET /favicon.ico HTTP/1.1", to: port).hasPrefix("HTTP/1.1 404 Not Found\r\n"))
        #expect(try await send("GET /callback?state=x&code=c HTTP/1.1", to: port).hasPrefix("HTTP/1.1 400 "))
        #expect(listener.outcome == nil)
        let page = try await send("GET /callback?state=s&code=<script>MARKER HTTP/1.1", to: port)

        #expect(page.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(!page.contains("script"))
        #expect(!page.contains("MARKER"))
        #expect(page.contains("\r\nReferrer-Policy: no-referrer\r\n"))
        #expect(page.contains("\r\nContent-Security-Policy: default-src 'none'"))
        #expect(try await listener.query() == "state=s&code=<script>MARKER")
        // It may be known here before the port is closed there.
        while let late = try? await send("GET /callback?state=s&code=other HTTP/1.1", to: port) {
            #expect(late.isEmpty || late.hasPrefix("HTTP/1.1 410 Gone\r\n"))
        }
        #expect(try await listener.query() == "state=s&code=<script>MARKER")
    }

    @Test
    func `Its time ends the wait`() async throws {
        let (listener, _) = try await open(timeout: .milliseconds(1))
        await #expect(throws: RedirectListener.Fault.timedOut) { try await listener.query() }
    }

    @Test
    func `A wait that is cancelled leaves the port open`() async throws {
        let (listener, port) = try await open()
        let wait = Task { try await listener.query() }
        wait.cancel()
        await #expect(throws: CancellationError.self) { try await wait.value }

        _ = try await send("GET /callback?state=s&code=c HTTP/1.1", to: port)
        #expect(try await listener.query() == "state=s&code=c")
    }
}
