// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import HTTPWire
@testable import RestClient

/// Which proxy a URL gets: pure rules.
@Suite
struct ProxyRuleTests {
    // MARK: - URLs of proxies

    @Test(arguments: [
        ("proxy.test", "http://proxy.test:80"), ("proxy.test:3128", "http://proxy.test:3128"),
        ("http://proxy.test:3128/", "http://proxy.test:3128"), ("HTTP://Proxy.TEST", "http://proxy.test:80"),
        ("https://proxy.test", "https://proxy.test:443"), ("socks5://proxy.test", "socks5://proxy.test:1080"),
        ("socks5h://[::1]:9050", "socks5h://[::1]:9050"), ("http://0x7f.1:1", "http://127.0.0.1:1"),
        ("http://ann:p%40ss@proxy.test:1", "http://proxy.test:1 Basic YW5uOnBAc3M="),
        ("ann@proxy.test", "http://proxy.test:80 Basic YW5uOg=="), ("http://@proxy.test", "http://proxy.test:80"),
        ("http://ann:a@b@proxy.test", "http://proxy.test:80 Basic YW5uOmFAYg=="),
    ])
    func `a URL names a proxy`(text: String, expected: String) throws {
        let proxy = try ProxyServer(text).wire

        #expect(proxy.description + (proxy.authorization.map { " " + $0 } ?? "") == expected)
    }

    @Test(arguments: [
        "", "http://", "http://:3128", "ftp://proxy.test", "socks4://proxy.test", "socks://proxy.test",
        "http://proxy.test:0", "http://proxy.test:65536", "http://proxy.test:", "http://proxy.test:8o",
        "http://proxy.test/path", "http://proxy.test?x", "http://proxy.test#x", "http://proxy test", "http://[::1",
        "http://[::1]x", "http://a\u{e4}.test", "http://s3cret:s3cret:x@proxy.test:x", "http://ann:s3cret",
        "http://a%3Ab:s3cret@proxy.test", "http://a%0Ab:s3cret@proxy.test", "http://a:s3cret%zz@proxy.test",
        "http://a:s3cret%FF@proxy.test", "http://a:s3cret/x@proxy.test", "http://1.2.3.4.5", "\r\n",
        "socks5://a:" + String(repeating: "p", count: 256) + "@proxy.test",
    ])
    func `another text is an error that does not show it, and nothing is sent`(text: String) async throws {
        let client = StubbedClient(answering: .status(.ok))

        let error = await client.failure { $0.endpoint("/a").proxy(.server(text)) }

        #expect(error?.code == .proxyFailed)
        #expect(error?.message.contains(".proxy(.server(_:))") == true)
        #expect(error.map { "\($0)" }?.contains("s3cret") == false)
        #expect(client.requests.isEmpty)
    }

    // MARK: - The environment

    private static func choice(_ variables: [String: String], _ url: String, coversLoopback: Bool = false) -> String {
        do {
            let found = try ProxyEnvironment(variables)
                .proxy(for: try HTTPURL(sent: url), coversLoopback: coversLoopback)
            return found.map { "\($0.variable) \($0.proxy.host)" } ?? "none"
        } catch {
            return (error as? RestClientError)?.message ?? "\(error)"
        }
    }

    @Test(arguments: [
        (["http_proxy": "a"], "http://x.test/", "http_proxy a"), (["http_proxy": "a"], "https://x.test/", "none"),
        (["https_proxy": "a"], "https://x.test/", "https_proxy a"), (["https_proxy": "a"], "http://x.test/", "none"),
        (["HTTPS_PROXY": "a"], "https://x.test/", "HTTPS_PROXY a"),
        (["HTTP_PROXY": "a"], "http://x.test/", "HTTP_PROXY a"),
        (["Http_Proxy": "a"], "http://x.test/", "none"), (["all_proxy": "a"], "http://x.test/", "all_proxy a"),
        (["ALL_PROXY": "a"], "https://x.test/", "ALL_PROXY a"),
        (["http_proxy": "a", "HTTP_PROXY": "b", "all_proxy": "c"], "http://x.test/", "http_proxy a"),
        (["HTTP_PROXY": "b", "all_proxy": "c"], "http://x.test/", "HTTP_PROXY b"),
        (["all_proxy": "c", "ALL_PROXY": "d"], "http://x.test/", "all_proxy c"),
        (["http_proxy": "", "all_proxy": "c"], "http://x.test/", "all_proxy c"),
        (["http_proxy": ""], "http://x.test/", "none"),
        // A CGI program gets HTTP_PROXY from whoever asks it.
        (["HTTP_PROXY": "a", "REQUEST_METHOD": "GET"], "http://x.test/", "none"),
        (["http_proxy": "a", "REQUEST_METHOD": "GET"], "http://x.test/", "http_proxy a"),
        (["HTTPS_PROXY": "a", "REQUEST_METHOD": "GET"], "https://x.test/", "HTTPS_PROXY a"),
        (["HTTP_PROXY": "a", "ALL_PROXY": "b", "REQUEST_METHOD": ""], "http://x.test/", "ALL_PROXY b"),
        // This machine.
        (["all_proxy": "a"], "http://localhost:1/", "none"), (["all_proxy": "a"], "https://LOCALHOST./", "none"),
        (["all_proxy": "a"], "http://127.9.9.9/", "none"), (["all_proxy": "a"], "http://[::1]/", "none"),
        (["all_proxy": "a"], "http://128.0.0.1/", "all_proxy a"),
        (["all_proxy": "a"], "http://localhost.x.test/", "all_proxy a"),
        // Exceptions.
        (["all_proxy": "a", "no_proxy": "x.test"], "http://x.test/", "none"),
        (["all_proxy": "a", "NO_PROXY": "x.test"], "http://x.test/", "none"),
        (["all_proxy": "a", "no_proxy": "y.test", "NO_PROXY": "x.test"], "http://x.test/", "all_proxy a"),
        (["all_proxy": "a", "no_proxy": "", "NO_PROXY": "x.test"], "http://x.test/", "none"),
    ])
    func `a variable names the proxy of a URL`(variables: [String: String], url: String, expected: String) {
        #expect(Self.choice(variables, url) == expected)
    }

    @Test
    func `this machine is reached through a proxy only if that is said`() {
        #expect(Self.choice(["http_proxy": "a"], "http://127.0.0.1/", coversLoopback: true) == "http_proxy a")
        let exceptions = ["http_proxy": "a", "no_proxy": "127.0.0.0/8"]
        #expect(Self.choice(exceptions, "http://127.0.0.1/", coversLoopback: true) == "none")
    }

    @Test
    func `a variable that is needed and cannot be used is named, and its value is not`() {
        let variables = ["HTTPS_PROXY": "http://ann:s3cret@proxy.test:port", "http_proxy": "a"]

        #expect(Self.choice(variables, "http://x.test/") == "http_proxy a")
        let message = Self.choice(variables, "https://x.test/")
        #expect(message.contains("HTTPS_PROXY") && message.contains("port"))
        #expect(!message.contains("s3cret"))
    }

    @Test(arguments: [
        ("*", "x.test", 80, true), (" * ", "1.2.3.4", 80, true), ("x.test", "x.test", 443, true),
        ("x.test", "a.x.test", 443, true), ("x.test", "ax.test", 443, false), (".x.test", "x.test", 443, true),
        (".x.test", "a.b.x.test", 443, true), ("*.x.test", "a.x.test", 443, true), ("X.Test.", "x.test", 443, true),
        ("x.test", "x.test.", 443, true), (" a.test , x.test ,, ", "x.test", 443, true),
        ("x.test:443", "x.test", 443, true),
        ("x.test:443", "x.test", 80, false), ("x.test:443", "a.x.test", 443, true), ("x.test:", "x.test", 443, false),
        ("x.test:https", "x.test", 443, false), ("test", "x.test", 80, true), ("10.0.0.7", "10.0.0.7", 80, true),
        ("10.0.0.7", "10.0.0.8", 80, false), ("10.0.0.7:81", "10.0.0.7", 80, false),
        ("10.0.0.7:80", "10.0.0.7", 80, true),
        ("0.7", "10.0.0.7", 80, false), ("10.0.0.0/8", "10.9.8.7", 80, true), ("10.0.0.0/8", "11.0.0.1", 80, false),
        ("10.128.0.0/9", "10.127.0.1", 80, false), ("10.128.0.0/9", "10.129.0.1", 80, true),
        ("10.0.0.0/8", "10.example", 80, false), ("0.0.0.0/0", "9.9.9.9", 80, true), ("0.0.0.0/0", "x.test", 80, false),
        ("10.0.0.0/33", "10.0.0.1", 80, false), ("10.0.0.0/-1", "10.0.0.1", 80, false), ("/8", "10.0.0.1", 80, false),
        ("::1", "[::1]", 80, true), ("[::1]", "[::1]", 80, true), ("[::1]:80", "[::1]", 80, true),
        ("[::1]:81", "[::1]", 80, false), ("fd00::/8", "[fd12::3]", 80, true), ("fd00::/8", "[fe80::3]", 80, false),
        ("0:0:0:0:0:0:0:1", "[::1]", 80, true), ("::/0", "1.2.3.4", 80, false), ("", "x.test", 80, false),
        (".", "x.test", 80, false), ("[::1", "[::1]", 80, false), ("x test", "x.test", 80, false),
    ])
    func `a host is in a list or not`(list: String, host: String, port: Int, expected: Bool) {
        #expect(ProxyExceptions(list).contains(host, port: port) == expected)
    }

    // MARK: - Ways

    @Test
    func `the nearest level chooses, and a place of the server wins over a proxy`() throws {
        let manager = CallOptions().proxy(.server("http://one.test"))
        let server = CallOptions().reached(at: .unixSocket("/run/x.sock"))
        let call = CallOptions().proxy(.none)

        func words(_ options: CallOptions, _ url: String, isOwn: Bool = true) throws -> String {
            var request = TransportRequest(method: .get, url: url)
            request.setWay(by: options, hasOwnOrigin: isOwn, asksEnvironment: false)
            return try request.way?.choice(for: url).words ?? "straight"
        }

        #expect(
            try words(manager, "http://x.test/")
                == "through the proxy http://one.test:80, which .proxy(_:) of the call names"
        )
        let both = manager.overlaid(with: server, at: .server)
        #expect(try words(both, "http://x.test/") == "to the socket '/run/x.sock', as .reached(at:) says")
        // A redirect to another origin does not lead to the socket.
        #expect(
            try words(both, "https://y.test/", isOwn: false)
                .hasPrefix("through a tunnel of the proxy http://one.test:80")
        )
        #expect(try words(manager.overlaid(with: call, at: .call), "http://x.test/") == "straight")
        #expect(try words(CallOptions(), "http://x.test/") == "straight")
    }

    @Test
    func `the environment is asked, but not in the scopes of tests`() async throws {
        let client = StubbedClient(answering: .status(.ok))

        let usual = try await client.sent { $0.endpoint("/a") }
        let inScope = try await client.manager.withDummies(.matched) {
            try await client.sent { $0.endpoint("/a") }
        }
        let chosen = try await client.manager.withDummies(.matched) {
            try await client.sent { $0.endpoint("/a").proxy(.environment([:])) }
        }

        #expect(usual.way === RequestWay.usual)
        #expect(inScope.way == nil)
        #expect(chosen.way?.isDemanded == true)
    }

    @Test
    func `an option shows no credentials`() {
        let options = CallOptions().proxy(.server("http://ann:s3cret@proxy.test"))

        var text = "\(options)"
        dump(options, to: &text)
        dump(ProxyPolicy.server("http://ann:s3cret@proxy.test"), to: &text)

        #expect(text.contains("http://proxy.test:80"))
        #expect(!text.contains("s3cret") && !text.contains("ann"))
    }

    @Test(arguments: [
        ServerRoute.unixSocket(""), .unixSocket("/a\0b"), .unixSocket("/" + String(repeating: "a", count: 200)),
        .host(""), .host("a b"), .host("x.test", port: 0), .host("x.test", port: 65_536), .host("http://x.test"),
    ])
    func `a place that cannot be used fails the call, and nothing is sent`(route: ServerRoute) async {
        let client = StubbedClient(answering: .status(.ok))

        let error = await client.failure { $0.endpoint("/a").reached(at: route) }

        #expect(error?.code == .connectionFailed)
        #expect(error?.message.contains(".reached(at:)") == true)
        #expect(client.requests.isEmpty)
    }

    @Test
    func `a transport that goes its own way gets no request that needs another one`() async throws {
        let client = StubbedClient(answering: .status(.ok))

        let error = await client.failure { $0.endpoint("/a").proxy(.server("http://proxy.test")) }

        #expect(error?.code == .transportFailed)
        #expect(error?.message.contains("http://proxy.test:80") == true)
        #expect(client.requests.isEmpty)
        _ = try await client.manager.request(Void.self).endpoint("/a").proxy(.none).send()
        #expect(client.requests.count == 1)
    }
}
