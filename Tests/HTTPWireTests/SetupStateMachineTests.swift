// SPDX-License-Identifier: MIT

import NIOCore
import Testing

@testable import HTTPWire

/// The conversation with a proxy, without a network.
@Suite
struct SetupStateMachineTests {
    private typealias Action = SetupStateMachine.Action

    private static func proxy(_ kind: WireProxy.Kind, _ user: String? = nil, _ password: String? = nil) -> WireProxy {
        WireProxy(kind: kind, host: "proxy.test", port: 3128, user: user, password: password)
    }

    private static func machine(
        _ proxy: WireProxy,
        to host: String? = "shop.example",
        port: Int = 443
    ) -> SetupStateMachine {
        SetupStateMachine(
            proxy,
            to: host.map { SetupStateMachine.Destination(host: $0, port: port) },
            limits: ResponseParser.Limits()
        )
    }

    private static func bytes(_ action: Action) -> [UInt8] {
        if case .send(let bytes) = action { Array(bytes.readableBytesView) } else { [] }
    }

    private static func text(_ action: Action) -> String { String(decoding: bytes(action), as: UTF8.self) }

    /// The end of a conversation in words: what came behind the reply, or the reason of the failure.
    private static func end(_ machine: inout SetupStateMachine, _ replies: [[UInt8]]) -> String {
        do throws(ProxyFault) {
            for reply in replies {
                if case .finish(let rest) = try machine.receive(ByteBuffer(bytes: reply)) {
                    return "finished " + String(buffer: rest)
                }
            }
            return "waits"
        } catch {
            return "\(error)"
        }
    }

    // MARK: - HTTP

    @Test(arguments: [
        ("shop.example", 443, "shop.example:443"), ("::1", 8_443, "[::1]:8443"), ("10.0.0.7", 80, "10.0.0.7:80"),
    ])
    func `a tunnel is asked for by host and port, and by nothing else of the call`(
        host: String,
        port: Int,
        authority: String
    ) throws {
        var machine = Self.machine(Self.proxy(.http), to: host, port: port)

        #expect(Self.text(try machine.connected()) == "CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n\r\n")
    }

    @Test
    func `credentials go along, encoded as Basic`() throws {
        var machine = Self.machine(Self.proxy(.http, "ann", "p@ss"))

        #expect(Self.text(try machine.connected()).contains("\r\nProxy-Authorization: Basic YW5uOnBAc3M=\r\n"))
    }

    @Test
    func `a proxy of TLS hears nothing before TLS is set up, and one that forwards nothing at all`() throws {
        var tunnel = Self.machine(Self.proxy(.https))
        var forwarding = Self.machine(Self.proxy(.https), to: nil)

        #expect(try tunnel.connected() == .secure)
        #expect(Self.text(try tunnel.secured()).hasPrefix("CONNECT "))
        #expect(try forwarding.connected() == .secure)
        #expect(try forwarding.secured() == .finish(rest: ByteBuffer()))
    }

    private static let replies = [
        ("HTTP/1.1 200 OK\r\n\r\n", "finished "),
        ("HTTP/1.1 200 OK\r\n\r\nrest", "finished rest"),
        ("HTTP/1.0 200 Connection established\r\nVia: x\r\n\r\n", "finished "),
        ("HTTP/1.1 204 Fine\r\nContent-Length: 7\r\n\r\nof it", "finished of it"),
        ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", "finished "),
        ("HTTP/1.1 407 Who\r\nContent-Length: 2\r\n\r\nno", "asks for a user and a password"),
        ("HTTP/1.1 403 No\r\nContent-Length: 2\r\n\r\nno", "refused the tunnel with 403"),
        ("HTTP/1.1 302 Go\r\nLocation: http://evil.example/\r\n\r\n", "refused the tunnel with 302"),
        ("HTTP/1.1 502 Bad\r\n\r\n", "refused the tunnel with 502"),
        ("HTTP/1.1 101 Other\r\n\r\n", "did not reply in HTTP: it changes the protocol without having been asked to"),
        ("SSH-2.0-OpenSSH\r\n", "did not reply in HTTP: its first line is not a status line of HTTP/1.1"),
        ("\u{15}\u{3}\u{1}", "did not reply in HTTP: its first line is not a status line of HTTP/1.1"),
        ("HTTP/1.1 200 OK\n\n", "did not reply in HTTP: a line does not end in CR and LF"),
        ("HTTP/1.1 200 OK\r\n", "waits"),
    ]

    @Test(arguments: replies)
    func `a success leads on, and any other reply is a failure`(reply: String, end: String) throws {
        var machine = Self.machine(Self.proxy(.http))
        _ = try machine.connected()

        #expect(Self.end(&machine, [Array(reply.utf8)]) == end)
    }

    @Test(arguments: replies)
    func `the end is the same if the bytes come one by one`(reply: String, end: String) throws {
        var machine = Self.machine(Self.proxy(.http))
        _ = try machine.connected()

        // What comes behind the reply is the next reader's.
        #expect(Self.end(&machine, reply.utf8.map { [$0] }) == (end.hasPrefix("finished") ? "finished " : end))
    }

    @Test
    func `refused credentials are told from missing ones`() throws {
        var machine = Self.machine(Self.proxy(.http, "ann", "wrong"))
        _ = try machine.connected()

        let end = Self.end(&machine, [Array("HTTP/1.1 407 Who\r\n\r\n".utf8)])

        #expect(end == "refuses the user or the password")
    }

    @Test
    func `endless fields are a failure`() throws {
        var machine = Self.machine(Self.proxy(.http))
        _ = try machine.connected()
        let line = Array(("X: " + String(repeating: "a", count: 1_000) + "\r\n").utf8)

        let end = Self.end(&machine, [Array("HTTP/1.1 200 OK\r\n".utf8)] + Array(repeating: line, count: 200))

        #expect(end == "did not reply in HTTP: its head is too large")
    }

    // MARK: - SOCKS

    @Test(arguments: [
        ("shop.example", 443, [3, 12] + Array("shop.example".utf8) + [1, 187]),
        ("10.0.0.7", 80, [1, 10, 0, 0, 7, 0, 80]),
        ("::1", 8_443, [4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 32, 251]),
    ])
    func `names go as names, and addresses as addresses`(host: String, port: Int, address: [UInt8]) throws {
        var machine = Self.machine(Self.proxy(.socks5h), to: host, port: port)

        #expect(Self.bytes(try machine.connected()) == [5, 1, 0])
        #expect(Self.bytes(try machine.receive(ByteBuffer(bytes: [5, 0]))) == [5, 1, 0] + address)
        let end = Self.end(&machine, [[5, 0, 0, 1, 0, 0, 0, 0, 0, 0] + Array("rest".utf8)])
        #expect(end == "finished rest")
    }

    @Test
    func `a user is offered, and told only if the proxy asks`() throws {
        var machine = Self.machine(Self.proxy(.socks5, "ann", "p@ss"))

        #expect(Self.bytes(try machine.connected()) == [5, 2, 0, 2])
        #expect(
            Self.bytes(try machine.receive(ByteBuffer(bytes: [5, 2])))
                == [1, 3] + Array("ann".utf8) + [4] + Array("p@ss".utf8)
        )
        #expect(Self.bytes(try machine.receive(ByteBuffer(bytes: [1, 0]))).first == 5)

        var open = Self.machine(Self.proxy(.socks5, "ann", "p@ss"))
        _ = try open.connected()
        #expect(Self.bytes(try open.receive(ByteBuffer(bytes: [5, 0]))).prefix(3) == [5, 1, 0])
    }

    @Test(
        arguments: [
            ([[4, 0]], "did not reply in SOCKS 5"), ([Array("HTTP/1.1 400".utf8)], "did not reply in SOCKS 5"),
            ([[5, 0xFF]], "asks for a user and a password"), ([[5, 2]], "asks for a user and a password"),
            ([[5, 1]], "did not reply in SOCKS 5"), ([[5, 0, 5]], "did not reply in SOCKS 5"),
            ([[5, 0], [5, 1]], "refused the connection: it failed"),
            ([[5, 0], [5, 2, 0, 1, 0, 0, 0, 0, 0, 0]], "refused the connection: its rules forbid it"),
            ([[5, 0], [5, 5, 0, 1, 0, 0, 0, 0, 0, 0]], "refused the connection: the server refused it"),
            ([[5, 0], [5, 77]], "refused the connection: it gives the unknown code 77"),
            ([[5, 0], [5, 0, 0, 9, 0]], "did not reply in SOCKS 5"), ([[5, 0], [4, 0]], "did not reply in SOCKS 5"),
            ([[5, 0], [5, 0, 0, 3, 2, 97, 98, 0]], "waits"), ([[5, 0], [5, 0, 0, 3, 2, 97, 98, 0, 0]], "finished "),
            ([[5], [0], [5], [0], [0], [3], [1], [97], [0], [0]], "finished "),
            ([[5, 0], [5, 0, 0, 4] + Array(repeating: 0, count: 18)], "finished "), ([[]], "waits"),
        ] as [([[UInt8]], String)]
    )
    func `a reply of SOCKS leads on, or tells why not`(replies: [[UInt8]], end: String) throws {
        var machine = Self.machine(Self.proxy(.socks5h))
        _ = try machine.connected()

        #expect(Self.end(&machine, replies) == end)
    }

    @Test
    func `a refused password is a failure, and a name that is too long too`() throws {
        var machine = Self.machine(Self.proxy(.socks5, "ann", "wrong"))
        _ = try machine.connected()
        #expect(Self.end(&machine, [[5, 2], [1, 1]]) == "refuses the user or the password")

        var long = Self.machine(Self.proxy(.socks5h), to: String(repeating: "a", count: 256))
        _ = try long.connected()
        #expect(Self.end(&long, [[5, 0]]) == "takes no name of more than 255 bytes")
    }

    @Test
    func `a proxy that speaks before it was asked is a failure`() {
        var machine = Self.machine(Self.proxy(.http))

        #expect(Self.end(&machine, [Array("HTTP/1.1 200 OK\r\n\r\n".utf8)]).hasPrefix("did not reply in HTTP"))
    }

    @Test
    func `a proxy is described without its credentials`() {
        let proxy = WireProxy(kind: .socks5h, host: "fd00::1", port: 1_080, user: "ann", password: "p@ss")

        #expect("\(proxy)" == "socks5h://[fd00::1]:1080")
        var text = ""
        dump(proxy, to: &text)
        #expect(!text.contains("ann") && !text.contains("p@ss"))
    }
}
