// SPDX-License-Identifier: MIT

import HTTPWire
import Testing

@testable import RestClient

/// The targets of requests: connections of this library's own, or none.
@Suite
struct WireTargetsTests {
    private static func targets(versions: WireOrigin.Versions = .any) -> WireTargets {
        let client = WireClient(WireConfiguration(), on: DirectTransport.eventLoops)
        return WireTargets(client, trustsLoopback: false, versions: versions)
    }

    /// The target of a URL in words.
    private static func words(_ targets: WireTargets, _ url: String) throws -> String {
        guard let target = try targets.target(of: url) else {
            return "none"
        }
        return "\(target.pool.origin.isSecure ? "TLS" : "plain") \(target.host) \(target.pathAndQuery)"
    }

    @Test(arguments: [
        ("http://example.com", "plain example.com /"),
        ("http://example.com:8080/a%20b?x=1&y=/2", "plain example.com:8080 /a%20b?x=1&y=/2"),
        ("http://example.com?x=/1", "plain example.com /?x=/1"),
        ("http://user:word@example.com/a", "plain example.com /a"),
        ("http://[::1]:81/a", "plain [::1]:81 /a"),
        ("https://example.com/a", "TLS example.com /a"),
        ("https://example.com:8443/a?x", "TLS example.com:8443 /a?x"),
        ("ftp://example.com/", "none"), ("/path", "none"), ("", "none"),
        ("http://example.com/a b", "plain example.com /a%20b"),
        ("http://example.com/a?b c", "plain example.com /a?b%20c"),
        ("http://example.com/\u{e4}", "plain example.com /%C3%A4"), ("http://example.com/a#b", "plain example.com /a"),
        ("http://example.com/a#b?c", "plain example.com /a"), ("http://example.com/a?b#c", "plain example.com /a?b"),
    ])
    func `A URL has a target, and other texts have none`(url: String, expected: String) throws {
        let targets = Self.targets()
        // The second time it is remembered.
        for _ in 0..<2 {
            #expect(try Self.words(targets, url) == expected)
        }
    }

    @Test
    func `The target is the text as it is written, whatever its characters are`() throws {
        let targets = Self.targets()
        for byte in UInt8(0x21)...0x7E where byte != UInt8(ascii: "#") {
            let mark = String(UnicodeScalar(byte))
            let isQuery = mark == "?"

            for target in ["/a\(mark)b", "/\(mark)\(mark)", "/a?b\(mark)c=\(mark)"] {
                #expect(try Self.words(targets, "http://example.com" + target) == "plain example.com \(target)")
            }
            #expect(isQuery == (HTTPURL.path(of: "http://example.com/a\(mark)b") == "/a"))
        }
        #expect(
            try Self.words(targets, #"http://example.com/a/../%2e/\..\%zz//b"#)
                == #"plain example.com /a/../%2e/\..\%zz//b"#
        )
    }

    @Test(arguments: ["/a/../b", "/a\\..\\b", "/a{b}|c?d=[e]^`f", "/%zz//x;y", "/"])
    func `A change of the protocol has a target at once, as it is written`(target: String) throws {
        let targets = Self.targets()

        let found = try targets.upgradeTarget(of: "https://api.example.com:8443" + target, WireTargets.Terms())

        #expect(found?.pathAndQuery == target)
        #expect(found?.host == "api.example.com:8443")
        #expect(found?.pool.origin.isSecure == true && found?.pool.origin.versions == .http1)
        #expect(try targets.upgradeTarget(of: target, WireTargets.Terms()) == nil)
    }

    @Test
    func `Where HTTP/2 is required, servers without TLS have no target`() throws {
        let targets = Self.targets(versions: .http2)
        #expect(try targets.target(of: "https://example.com/")?.pool.origin.versions == .http2)
        #expect(throws: RestClientError.self) { _ = try targets.target(of: "http://example.com/") }
        let upgrade = try targets.upgradeTarget(of: "http://example.com/", WireTargets.Terms())
        #expect(upgrade?.pool.origin.versions == .http1)
    }

    @Test
    func `Requests with other terms have connections of their own`() throws {
        let targets = Self.targets()
        let pinned = WireTargets.Terms(pins: ["sha256/a"])
        for _ in 0..<2 {
            #expect(try targets.target(of: "https://example.com/a?b", pinned)?.pathAndQuery == "/a?b")
            #expect(try targets.target(of: "https://example.com/a", pinned)?.pool.origin.pinnedKeys == ["sha256/a"])
        }
        #expect(try targets.target(of: "https://example.com/a")?.pool.origin.pinnedKeys.isEmpty == true)
    }

    @Test
    func `More servers and URLs than are remembered do no harm`() throws {
        let targets = Self.targets()
        for number in 0..<1_100 {
            let host = "example.com:\(number + 1_000)"
            #expect(try Self.words(targets, "https://\(host)/") == "TLS \(host) /")
            #expect(try Self.words(targets, "http://example.com/\(number)") == "plain example.com /\(number)")
        }
    }
}
