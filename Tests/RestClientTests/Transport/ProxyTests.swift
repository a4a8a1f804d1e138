// SPDX-License-Identifier: MIT

import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// Calls through real proxies, at sockets and at other addresses, all on this machine.
@Suite(.timeLimit(.minutes(5)))
struct ProxyTests {
    /// The protocols of a proxy, and of the server behind it.
    struct Form: Sendable, CustomTestStringConvertible {
        let proxy: String
        let isSecure: Bool

        static let all = ["http", "https", "socks5"]
            .flatMap { [Form(proxy: $0, isSecure: false), Form(proxy: $0, isSecure: true)] }

        var testDescription: String { "\(proxy), \(isSecure ? "https" : "http")" }
        var url: String { isSecure ? "https://shop.example/a?b" : "http://shop.example/a?b" }

        func mode(_ identity: TestIdentity) -> LoopbackProxy.Mode {
            switch proxy {
            case "http": .http
            case "https": .https(identity)
            default: .socks5
            }
        }

        /// The request that the proxy hears.
        var request: String {
            switch (proxy, isSecure) {
            case ("socks5", let isSecure): "SOCKS5 shop.example:\(isSecure ? 443 : 80)"
            case (_, true): "CONNECT shop.example:443"
            case (_, false): "GET http://shop.example/a?b"
            }
        }
    }

    private static let identity = Result { try TestIdentity(names: ["shop.example", "localhost", "127.0.0.1"]) }

    /// A manager that trusts the identity.
    private static func manager(
        _ identity: TestIdentity,
        connectTimeout: Duration = .seconds(10)
    ) throws -> RestClientManager {
        var connections = DirectTransport.Configuration()
        connections.additionalTrustRoots = [identity.certificatePEM]
        connections.connectTimeout = connectTimeout
        var configuration = RestClientManager.Configuration()
        configuration.transport = try DirectTransport(configuration: connections)
        return RestClientManager(configuration: configuration)
    }

    private static func failure<Value>(_ operation: () async throws -> Value) async -> RestClientError? {
        do {
            _ = try await operation()
            Issue.record("the call succeeded")
            return nil
        } catch {
            return error as? RestClientError
        }
    }

    // MARK: - Ways through

    @Test(arguments: Form.all, [false, true])
    func `a call goes through the proxy, whose credentials nobody else gets`(form: Form, isOpen: Bool) async throws {
        let identity = try Self.identity.get()
        try await LoopbackServer.with(form.isSecure ? .http2(identity) : .http1) { server in
            server.onAny { _ in .text("ok") }
            try await LoopbackProxy.with(form.mode(identity), user: isOpen ? nil : "ann", password: "p@ss:/") { proxy in
                proxy.lead("shop.example", to: server)
                let manager = try Self.manager(identity)
                let node = manager.request(String.self).url(form.url).proxy(.server(proxy.url))

                for _ in 0..<3 {
                    #expect(try await node.send() == "ok")
                }

                let isForwarded = form.request.hasPrefix("GET")
                #expect(proxy.requests == Array(repeating: form.request, count: isForwarded ? 3 : 1))
                // The connection is kept, and used again for the same way.
                #expect(proxy.connectionCount == 1)
                #expect(server.requests.map(\.path) == ["/a", "/a", "/a"])
                #expect(server.requests.allSatisfy { $0.authority == "shop.example" })
                #expect(server.requests.allSatisfy { $0.headers["proxy-authorization"] == nil })
                if form.isSecure {
                    #expect(server.requests.allSatisfy { $0.version == .http2 })
                }
                let story = try await node.response().explain()
                let scheme = form.proxy == "socks5" ? "socks5h" : form.proxy
                let chosen = "the proxy \(scheme)://127.0.0.1:\(proxy.port), which .proxy(_:) of the call names"
                #expect(story.contains(chosen))
                #expect(!story.contains("ann") && !story.contains("p@ss"))
            }
        }
    }

    @Test
    func `the credentials of a user's own do not go through a tunnel`() async throws {
        let identity = try Self.identity.get()
        try await LoopbackServer.with(.https1(identity)) { server in
            server.onAny { _ in .text("ok") }
            try await LoopbackProxy.with { proxy in
                proxy.lead("shop.example", to: server)
                let manager = try Self.manager(identity)

                _ = try await manager.request(String.self).url("https://shop.example/").proxy(.server(proxy.url))
                    .header(.proxyAuthorization, "Basic c2VjcmV0").send()

                #expect(server.requests[0].headers["proxy-authorization"] == nil)
            }
        }
    }

    @Test
    func `a redirect past the proxy takes no credentials along`() async throws {
        let identity = try Self.identity.get()
        try await LoopbackServer.with { server in
            server.onAny { request in
                request.path == "/a" ? .redirect(to: "\(server.url)/b") : .text("ok")
            }
            try await LoopbackProxy.with(user: "ann", password: "x") { proxy in
                proxy.lead("shop.example", to: server)
                let manager = try Self.manager(identity)
                let policy = ProxyPolicy.server(proxy.url, except: ["127.0.0.1"])

                let text = try await manager.request(String.self).url("http://shop.example/a").proxy(policy).send()

                #expect(text == "ok")
                #expect(proxy.requests == ["GET http://shop.example/a"])
                #expect(server.requests.map(\.path) == ["/a", "/b"])
                #expect(server.requests.allSatisfy { $0.headers["proxy-authorization"] == nil })
            }
        }
    }

    @Test
    func `pinned keys and names of certificates hold through a tunnel, also behind TLS with the proxy`() async throws {
        let identity = try Self.identity.get()
        let other = try TestIdentity(names: ["shop.example"])
        try await LoopbackServer.with(.http2(identity)) { server in
            server.onAny { _ in .text("ok") }
            try await LoopbackProxy.with(.https(identity)) { proxy in
                proxy.lead("shop.example", to: server)
                proxy.lead("other.example", to: server)
                let manager = try Self.manager(identity)
                let node = manager.request(String.self).url("https://shop.example/").proxy(.server(proxy.url))

                #expect(try await node.pinnedKeys([identity.publicKeyPin]).send() == "ok")
                let mismatch = await Self.failure { try await node.pinnedKeys([other.publicKeyPin]).send() }
                #expect(mismatch?.code == .tlsFailed)
                let stranger = await Self.failure {
                    try await manager.request(String.self).url("https://other.example/").proxy(.server(proxy.url))
                        .send()
                }
                #expect(stranger?.code == .tlsFailed)
                #expect(stranger?.message.contains("other.example") == true)
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test
    func `variables choose, but for this machine and the exceptions`() async throws {
        let identity = try Self.identity.get()
        try await LoopbackServer.with { server in
            server.onAny { _ in .text("ok") }
            try await LoopbackProxy.with { proxy in
                proxy.lead("shop.example", to: server)
                let manager = try Self.manager(identity)
                let variables = ["http_proxy": proxy.url]
                let node = manager.request(String.self).url("http://shop.example/")
                let local = manager.request(String.self).url(server.url + "/")

                let story = try await node.proxy(.environment(variables)).response().explain()
                #expect(story.contains("which the variable http_proxy names"))
                _ = try await local.proxy(.environment(variables)).send()
                #expect(proxy.requests == ["GET http://shop.example/"])
                _ = try await local.proxy(.environment(variables, coversLoopback: true)).send()
                _ = try await local.proxy(.server(proxy.url, except: ["127.0.0.0/8"])).send()
                _ = try await local.proxy(.server(proxy.url)).send()
                #expect(proxy.requests.count == 3)
                #expect(server.requests.count == 5)
            }
        }
    }

    @Test
    func `a body goes through, in one piece and in chunks`() async throws {
        let identity = try Self.identity.get()
        try await LoopbackServer.with { server in
            server.onAny { .text(String(decoding: $0.body, as: UTF8.self)) }
            try await LoopbackProxy.with { proxy in
                proxy.lead("shop.example", to: server)
                let manager = try Self.manager(identity)
                let node = manager.request(String.self).url("http://shop.example/").method(.post)
                    .proxy(.server(proxy.url))

                let whole = try await node.body(.bytes(Data("whole".utf8))).send()
                let pieces = AsyncStream { continuation in
                    for piece in ["in", " ", "pieces"] {
                        continuation.yield(Data(piece.utf8))
                    }
                    continuation.finish()
                }
                let chunked = try await node.body(.stream(pieces)).send()

                #expect(whole == "whole")
                #expect(chunked == "in pieces")
                #expect(proxy.connectionCount == 1)
            }
        }
    }

    // MARK: - Proxies that are no help

    private static let refusals: [(LoopbackProxy.Mode, String, String)] = [
        (.refusing(status: 403), "https://shop.example/", "refused the tunnel with 403"),
        (.refusing(status: 502), "https://shop.example/", "refused the tunnel with 502"),
        (.refusing(status: 407), "https://shop.example/", "asks for a user and a password"),
        (.refusing(status: 407), "http://shop.example/", "asks for a user and a password"),
        (.refusingSOCKS(code: 2), "http://shop.example/", "its rules forbid it"),
        (.refusingSOCKS(code: 5), "https://shop.example/", "the server refused it"),
        (.silent, "https://shop.example/", "did not respond in time"),
    ]

    @Test(arguments: refusals.indices)
    func `a proxy that refuses is a failure of the proxy, and the next call succeeds`(index: Int) async throws {
        let (mode, url, reason) = Self.refusals[index]
        let identity = try Self.identity.get()
        let isSecure = url.hasPrefix("https")
        try await LoopbackServer.with(isSecure ? .https1(identity) : .http1) { server in
            server.onAny { _ in .text("ok") }
            let node = try Self.manager(identity).request(String.self).url(url)
            try await LoopbackProxy.with(mode) { proxy in
                let isSilent = if case .silent = mode { true } else { false }
                let hasty = try Self.manager(identity, connectTimeout: .milliseconds(200)).request(String.self).url(url)
                let error = await Self.failure {
                    try await (isSilent ? hasty : node).proxy(.server(proxy.url)).send()
                }

                #expect(error?.code == .proxyFailed)
                #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
                #expect(error?.message.contains("127.0.0.1:\(proxy.port), which .proxy(_:) of the call names") == true)
                // What the proxy says is not what the server says.
                #expect(error?.status == nil && error?.response == nil)
                #expect(error?.unsafeCount ?? 0 == 0)
            }
            #expect(server.requests.isEmpty)
            try await LoopbackProxy.with { proxy in
                proxy.lead("shop.example", to: server)
                let text = try await node.proxy(.server(proxy.url)).send()
                #expect(text == "ok")
            }
        }
    }

    @Test(arguments: ["http://shop.example/", "https://shop.example/"])
    func `a proxy that is not there is a failure, and the server is not tried without it`(url: String) async throws {
        let identity = try Self.identity.get()
        let manager = try Self.manager(identity)
        let address = try await LoopbackProxy.with { $0.url }

        let error = await Self.failure {
            try await manager.request(String.self).url(url).proxy(.server(address)).send()
        }

        #expect(error?.code == .proxyFailed)
        #expect(error?.message.contains("cannot be reached") == true)
        #expect(error?.failureClass == .network)
    }

    @Test
    func `wrong credentials are a failure that does not show them`() async throws {
        let identity = try Self.identity.get()
        let manager = try Self.manager(identity)
        for (mode, url) in [
            (LoopbackProxy.Mode.http, "https://shop.example/"), (.http, "http://shop.example/"),
            (.socks5, "http://shop.example/"),
        ] {
            try await LoopbackProxy.with(mode, user: "ann", password: "right") { proxy in
                let wrong = proxy.url.replacing("right", with: "s3cret")
                let node = manager.request(String.self).url(url).proxy(.server(wrong))

                let error = await Self.failure { try await node.send() }

                #expect(error?.code == .proxyFailed)
                #expect(error?.message.contains("refuses the user or the password") == true)
                #expect(error.map { "\($0)" }?.contains("s3cret") == false)
                var text = ""
                if let error {
                    dump(error, to: &text)
                }
                #expect(!text.contains("s3cret"))
            }
        }
    }

    @Test
    func `a proxy of TLS that nobody vouches for is a failure of the proxy`() async throws {
        let stranger = try TestIdentity()
        let manager = try Self.manager(try Self.identity.get())
        try await LoopbackProxy.with(.https(stranger)) { proxy in
            let error = await Self.failure {
                try await manager.request(String.self).url("https://shop.example/").proxy(.server(proxy.url)).send()
            }

            #expect(error?.code == .proxyFailed)
            #expect(error?.message.contains("is not trusted") == true)
            #expect(proxy.requests.isEmpty)
        }
    }

    @Test
    func `ways with other credentials share no connection`() async throws {
        let identity = try Self.identity.get()
        try await LoopbackServer.with { server in
            server.onAny { _ in .text("ok") }
            try await LoopbackProxy.with { proxy in
                proxy.lead("shop.example", to: server)
                let manager = try Self.manager(identity)
                let node = manager.request(String.self).url("http://shop.example/")

                for user in ["ann", "bob", "ann"] {
                    let url = proxy.url.replacing("http://", with: "http://\(user):x@")
                    _ = try await node.proxy(.server(url)).send()
                }

                #expect(proxy.connectionCount == 2)
            }
        }
    }

    // MARK: - Other places

    @Test
    func `another address gets the connection, and the name stays`() async throws {
        let identity = try Self.identity.get()
        try await LoopbackServer.with(.http2(identity)) { server in
            server.onAny { _ in .text("ok") }
            let manager = try Self.manager(identity)
            let node = manager.request(String.self).url("https://shop.example/a")

            let response = try await node.reached(at: .host("127.0.0.1", port: server.port)).response()

            #expect(response.model == "ok")
            #expect(server.requests[0].authority == "shop.example")
            #expect(response.explain().contains("to 127.0.0.1 at port \(server.port), as .reached(at:) says"))
            let stranger = await Self.failure {
                try await manager.request(String.self).url("https://other.example/")
                    .reached(at: .host("127.0.0.1", port: server.port)).send()
            }
            #expect(stranger?.code == .tlsFailed)
        }
    }

    @Test
    func `a function finds addresses, and its failures are those of a lookup`() async throws {
        let identity = try Self.identity.get()
        try await LoopbackServer.with { server in
            server.onAny { _ in .text("ok") }
            let manager = try Self.manager(identity)
            let node = manager.request(String.self).url("http://shop.example:81/")
            let asked = Recorder<String>()
            let found = ServerRoute.addresses { host, port in
                asked.record("\(host) \(port)")
                return ["[::1]:\(server.port)", "127.0.0.1:\(server.port)"]
            }

            for _ in 0..<2 {
                #expect(try await node.reached(at: found).send() == "ok")
            }
            // A connection that is kept needs no lookup.
            #expect(asked.elements == ["shop.example 81"])
            #expect(server.requests[0].authority == "shop.example:81")
            let failures = [
                ServerRoute.addresses { _, _ in [] }, .addresses { _, _ in ["no address"] },
                .addresses { _, _ in throw CancellationError() }, .addresses { _, _ in ["127.0.0.1:99999"] },
            ]
            for failure in failures {
                let error = await Self.failure { try await node.reached(at: failure).send() }
                #expect(error?.code == .hostNotFound)
                #expect(error?.message.contains("shop.example") == true)
            }
            let local = manager.request(String.self).url(server.url.replacing("127.0.0.1", with: "localhost") + "/")
            #expect(try await local.reached(at: .addresses { _, _ in nil }).send() == "ok")
        }
    }

    @Test
    func `a redirect to another origin goes there, and not to the place of the first one`() async throws {
        let identity = try Self.identity.get()
        try await LoopbackServer.with { second in
            second.onAny { _ in .text("second") }
            try await LoopbackServer.with { first in
                first.onAny { _ in .redirect(to: second.url + "/there") }
                let manager = try Self.manager(identity)

                let text = try await manager.request(String.self).url("http://shop.example/")
                    .reached(at: .host("127.0.0.1", port: first.port)).send()

                #expect(text == "second")
            }
        }
    }

    @Test(arguments: ["missing", "file"])
    func `a path without a socket is an error that names it`(kind: String) async throws {
        let manager = try Self.manager(try Self.identity.get())
        let directory = try TemporaryDirectory()
        let path = directory.path("x.sock").path
        if kind == "file" {
            try Data("no socket".utf8).write(to: URL(filePath: path))
        }

        let error = await Self.failure {
            try await manager.request(String.self).url("http://docker/info").reached(at: .unixSocket(path)).send()
        }

        #expect(error?.code == .connectionFailed)
        #expect(error?.message.contains(path) == true)
        #expect(error?.message.contains("docker") == true)
    }
}
