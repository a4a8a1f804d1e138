// SPDX-License-Identifier: MIT

import HTTPWire
import Testing

@testable import RestClient

/// The routes of requests: over connections of this library's own, or over the other transport.
@Suite
struct WireTargetsTests {
    private static func targets(offersHTTP2: Bool = true) -> WireTargets {
        let client = WireClient(WireConfiguration(), on: DirectTransport.eventLoops)
        return WireTargets(client, trustsLoopback: false, offersHTTP2: offersHTTP2)
    }

    /// A route in words.
    private static func words(_ route: WireRoute) -> String {
        switch route {
        case .direct(let target):
            "\(target.pool.origin.isSecure ? "TLS" : "plain") \(target.host) \(target.pathAndQuery)"
        case .undecided(let origin): "undecided \(origin.host) \(origin.port)"
        case .other: "other"
        }
    }

    private static func route(_ targets: WireTargets, _ url: String) throws -> String {
        words(try targets.route(to: url))
    }

    @Test(arguments: [
        ("http://example.com", "plain example.com /"),
        ("http://example.com:8080/a%20b?x=1&y=/2", "plain example.com:8080 /a%20b?x=1&y=/2"),
        ("http://example.com?x=/1", "plain example.com /?x=/1"),
        ("http://user:word@example.com/a", "plain example.com /a"),
        ("http://[::1]:81/a", "plain [::1]:81 /a"),
        ("https://example.com/a", "undecided example.com 443"),
        ("https://example.com:8443/a?x", "undecided example.com 8443"),
        ("ftp://example.com/", "other"), ("/path", "other"), ("", "other"),
        ("http://example.com/a b", "plain example.com /a%20b"),
        ("http://example.com/a?b c", "plain example.com /a?b%20c"),
        ("http://example.com/\u{e4}", "plain example.com /%C3%A4"), ("http://example.com/a#b", "plain example.com /a"),
        ("http://example.com/a#b?c", "plain example.com /a"), ("http://example.com/a?b#c", "plain example.com /a?b"),
    ])
    func `Plain servers have a route at once, servers of TLS are undecided`(url: String, route: String) throws {
        let targets = Self.targets()
        // The second time it is remembered.
        for _ in 0..<2 {
            #expect(try Self.route(targets, url) == route)
        }
    }

    @Test
    func `The target is the text as it is written, whatever its characters are`() throws {
        let targets = Self.targets()
        for byte in UInt8(0x21)...0x7E where byte != UInt8(ascii: "#") {
            let mark = String(UnicodeScalar(byte))
            let isQuery = mark == "?"

            for target in ["/a\(mark)b", "/\(mark)\(mark)", "/a?b\(mark)c=\(mark)"] {
                #expect(try Self.route(targets, "http://example.com" + target) == "plain example.com \(target)")
            }
            #expect(isQuery == (HTTPURL.path(of: "http://example.com/a\(mark)b") == "/a"))
        }
        #expect(
            try Self.route(targets, #"http://example.com/a/../%2e/\..\%zz//b"#)
                == #"plain example.com /a/../%2e/\..\%zz//b"#
        )
    }

    @Test(arguments: ["/a/../b", "/a\\..\\b", "/a{b}|c?d=[e]^`f", "/%zz//x;y", "/"])
    func `A change of the protocol has a target at once, as it is written`(target: String) throws {
        let targets = Self.targets()

        let found = try targets.upgradeTarget(of: "https://api.example.com:8443" + target, WireTargets.Terms())

        #expect(found?.pathAndQuery == target)
        #expect(found?.host == "api.example.com:8443")
        #expect(found?.pool.origin.isSecure == true)
        #expect(try targets.upgradeTarget(of: target, WireTargets.Terms()) == nil)
    }

    @Test
    func `A server of TLS has a route once it has chosen HTTP/1.1, and no other server`() throws {
        let targets = Self.targets()
        let url = "https://example.com/a?x=1"
        guard case .undecided(let origin) = try targets.route(to: url) else {
            Issue.record("the route is decided")
            return
        }
        targets.learn(that: origin, speaks: .http2)
        #expect(try Self.route(targets, url) == "undecided example.com 443")
        #expect(try Self.route(targets, "https://example.com/b") == "undecided example.com 443")
        targets.learn(that: origin, speaks: nil)
        #expect(try Self.route(targets, url) == "undecided example.com 443")
        targets.learn(that: origin, speaks: .http11)
        #expect(try Self.route(targets, url) == "TLS example.com /a?x=1")
        #expect(try Self.route(targets, "https://example.com/b") == "TLS example.com /b")
        #expect(try Self.route(targets, "https://example.com:8443/") == "undecided example.com 8443")
        #expect(try Self.route(targets, "https://www.example.com/") == "undecided www.example.com 443")
    }

    @Test
    func `What a server has chosen is forgotten when it fails, and what others have chosen is not`() throws {
        let targets = Self.targets()
        for url in ["https://a.example/", "https://b.example/"] {
            guard case .undecided(let origin) = try targets.route(to: url) else {
                Issue.record("the route is decided")
                return
            }
            targets.learn(that: origin, speaks: .http11)
        }
        guard case .direct(let target) = try targets.route(to: "https://a.example/") else {
            Issue.record("the route is not direct")
            return
        }
        _ = try targets.route(to: "https://b.example/")
        targets.forget(target.pool.origin)
        #expect(try Self.route(targets, "https://a.example/") == "undecided a.example 443")
        #expect(try Self.route(targets, "https://b.example/") == "TLS b.example /")
    }

    @Test
    func `Without HTTP/2 there is no question, and nothing to forget`() throws {
        let targets = Self.targets(offersHTTP2: false)
        guard case .direct(let target) = try targets.route(to: "https://example.com/a") else {
            Issue.record("the route is not direct")
            return
        }
        targets.forget(target.pool.origin)
        #expect(try Self.route(targets, "https://example.com/a") == "TLS example.com /a")
    }

    @Test
    func `Once HTTP/2 is not offered, servers of TLS have a route at once, and it stays`() throws {
        let targets = Self.targets()
        let urls = ["https://a.example/", "https://b.example/x?y=1"]
        guard case .undecided(let origin) = try targets.route(to: urls[0]) else {
            Issue.record("the route is decided")
            return
        }
        #expect(try Self.route(targets, urls[1]) == "undecided b.example 443")
        targets.learn(that: origin, speaks: .http11)
        targets.stopOfferingHTTP2()
        // A response that comes late, and a server that fails, change nothing.
        targets.learn(that: origin, speaks: .http2)
        targets.forget(origin)
        #expect(try Self.route(targets, urls[0]) == "TLS a.example /")
        #expect(try Self.route(targets, urls[1]) == "TLS b.example /x?y=1")
        #expect(try Self.route(targets, "http://c.example/") == "plain c.example /")
    }

    @Test
    func `More servers and URLs than are remembered do no harm`() throws {
        let targets = Self.targets()
        for number in 0..<1_100 {
            guard case .undecided(let origin) = try targets.route(to: "https://example.com:\(number + 1_000)/") else {
                Issue.record("the route is decided")
                return
            }
            targets.learn(that: origin, speaks: .http11)
            #expect(try Self.route(targets, "http://example.com/\(number)") == "plain example.com /\(number)")
        }
        #expect(try Self.route(targets, "https://example.com:1000/") == "undecided example.com 1000")
        #expect(try Self.route(targets, "https://example.com:2099/") == "TLS example.com:2099 /")
    }
}
