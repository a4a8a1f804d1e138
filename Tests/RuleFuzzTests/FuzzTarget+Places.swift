// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SeededRandom
import TestSupport

@testable import RestClient

/// Where requests go, and what goes with them: URLs, redirects and cookies.
extension FuzzTarget {
    private static let hosts = [
        "api.example.com", "example.com", "EXAMPLE.com", "other.example", "a.co.uk", "127.0.0.1", "0x7f.1",
        "2130706433", "[::1]",
        "[2001:db8::192.0.2.1]", "[::ffff:1.2.3.4]", "localhost", "xn--bcher-kva.example", "bücher.example", "a..b",
        "-", "%41.com",
        "1.2.3.4.5", "256.1.1.1", "[1::2::3]", "[v1.a]", "", ".", "e_x.com", "ex ample.com",
    ]
    private static let ends = [
        "", "/", "/a", "/a/../b", "/./", "/%2e%2E/", "//x", "/a//b", "?q=1", "?", "#", "#f", "/ä", "/a b", "\\b",
        "/a\tb", ";p", "/:",
        "/a?b=c&d=\"'<>`{}|^", "/%zz", "/..", "..", ".", "b/c", "?x#y?z",
    ]
    private static let begins = [
        "http://", "https://", "HTTPS://", "https:/", "https:", "//", "", "\\\\", " https://", "ftp://", "javascript:",
        "data:", "http:", ":",
    ]

    private static func reference(_ input: inout FuzzInput) -> String {
        var text = input.pick(begins)
        if input.chance(2) || text.hasSuffix("//") {
            if input.chance(8) { text += input.pick(["user@", "user:pass@", "@", ":@", "a@b@"]) }
            text += input.pick(hosts)
            if input.chance(4) {
                text += input.pick([":80", ":443", ":8080", ":", ":65536", ":-1", ":0", ":x", ":00080"])
            }
        }
        text += input.text(of: ends, 0...3)
        return input.chance(4)
            ? input.changed(text, with: ["/", "\\", ":", "@", "[", "]", "%", "?", "#", "\t", "\n"]) : text
    }

    /// Returns true if a request line and a field may hold a text.
    private static func isWritten(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    static let url = FuzzTarget("url", 1000) { input in
        let text = reference(&input)
        let base =
            input.chance(3)
            ? nil : try HTTPURL(input.pick(["https://api.example.com/v1/a?q=1#f", "http://h:8080", "https://h/a/b/"]))
        if let url = try? HTTPURL(text, relativeTo: base) {
            try demand(isWritten(url.text), "'\(text)' became '\(url.text)'")
            try demand(["http", "https"].contains(url.scheme) && !url.host.isEmpty, "'\(text)' became '\(url.text)'")
            let again = try HTTPURL(url.text)
            try demand(again == url, "'\(text)' became '\(url.text)' and then '\(again.text)'")
            try demand(url.path.isEmpty || url.path.hasPrefix("/"), "the path of '\(url.text)' is '\(url.path)'")
            try demand(
                !url.path.split(separator: "/").contains { [".", ".."].contains($0) },
                "'\(text)' became '\(url.text)'"
            )
            try demand(try HTTPURL.canonicalHost(url.host) == url.host, "the host '\(url.host)' is not canonical")
            try demand((1...65_535).contains(url.effectivePort) || url.port == 0, "'\(url.text)'")
            // The strict parser reads what the lenient one wrote, and finds the same place. It has two rules more.
            if url.userInfo.isEmpty, url.port != 0 {
                let strict = try HTTPURL(whole: url.textForSending)
                try demand(strict.hasOrigin(of: url), "'\(url.textForSending)' is elsewhere")
                let target = PercentEncoding.encode(url.target, allowing: .unreservedAndReserved)
                try demand(strict.target == target, "'\(strict.target)' is not '\(target)'")
            }
        }
        if let url = try? HTTPURL(whole: text) {
            try demand(isWritten(url.textForSending), "'\(text)' became '\(url.textForSending)'")
            let again = try HTTPURL(sent: url.writtenText)
            try demand(
                again.hasOrigin(of: url) && again.target == url.target,
                "'\(text)' became '\(url.writtenText)'"
            )
        }
        if let server = try? HTTPURL(server: text) {
            try demand(
                try HTTPURL(server: server.prefix).prefix == server.prefix,
                "the server '\(text)' became '\(server.prefix)'"
            )
            try demand(!server.prefix.hasSuffix("/"), server.prefix)
        }
        if let url = try? HTTPURL("https://a.example/" + text), url.host == "a.example" {
            try demand(
                !url.path.split(separator: "/").contains { HTTPURL.isDotSegment($0) },
                "'\(url.path)' has dot segments"
            )
        }
    }

    static let location = FuzzTarget("location", 125) { input in
        let place = reference(&input)
        guard HTTPField.isValidValue(place), !FieldList.trimmed(place[...]).isEmpty else {
            return
        }
        let client = StubbedClient(
            answering: .redirect(input.pick([301, 302, 303, 307, 308]), to: place),
            .status(.ok)
        )
        let isPost = input.chance(2)
        let node = client.manager.request(Void.self).method(isPost ? .post : .get).endpoint("/a")
            .header(.authorization, "Bearer secret").header(.accept, "x/y")
        let failure = await Self.failure {
            try await client.manager.run(isPost ? node.values(["secret": 1]) : node)
        }
        for request in client.requests.dropFirst() {
            try demand(isWritten(request.url), "'\(place)' led to '\(request.url)'")
            try demand(request.url.hasPrefix("https://"), "'\(place)' led to '\(request.url)'")
            try demand(
                !request.url.dropFirst(8).prefix { $0 != "/" }.contains("@"),
                "'\(place)' led to '\(request.url)'"
            )
            let sent = try HTTPURL(sent: request.url)
            let isHome =
                sent.origin == "https://api.example.com" && (sent.path == "/v1" || sent.path.hasPrefix("/v1/"))
                && !PathReading(sent.path).climbs
            try demand(
                isHome == (request.headers[.authorization] != nil),
                "'\(place)' took the token to '\(request.url)'"
            )
            try demand((request.body == nil) == (request.method == .get), "\(request.method) with the wrong body")
        }
        try demand(client.requests.count <= 2, "\(client.requests.count) requests")
        if let failure {
            try demand(client.requests.count == 1, "\(failure) after \(client.requests.count) requests")
            try demand((failure as? RestClientError)?.code == .redirectRefused, "'\(place)' failed with \(failure)")
        }
    }

    /// Runs and returns the error.
    private static func failure(_ body: () async throws -> Void) async -> (any Error)? {
        do {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    private static let attributes = [
        "; Path=/", "; Path=/a", "; Path=a", "; Path=", "; Domain=example.com", "; Domain=.example.com", "; Domain=com",
        "; Domain=co.uk",
        "; Domain=other.example", "; Domain=127.0.0.1", "; Domain=", "; Secure", "; HttpOnly", "; Max-Age=10",
        "; Max-Age=0", "; Max-Age=-5",
        "; Max-Age=99999999999999999999", "; Max-Age=x", "; Expires=Sun, 06 Nov 2094 08:49:37 GMT", "; Expires=x", ";",
        "; =", ";secure=1",
        "; SameSite=None",
    ]

    static let cookies = FuzzTarget("cookies", 400) { input in
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let places = [
            "https://api.example.com/a/b", "https://example.com/", "http://example.com/a", "http://api.example.com",
            "https://other.example/a",
            "https://a.co.uk/", "https://127.0.0.1/", "http://localhost/a/",
        ]
        var store = CookieStore(.common)
        var setters: [(name: String, value: String, host: String, isEncrypted: Bool)] = []
        for number in 0..<input.int(1...5) {
            let url = try HTTPURL(input.pick(places))
            let name = input.pick(["a", "b", "__Secure-a", "__Host-a", "__host-b", "c d", "é"])
            var text = "\(name)=v\(number)" + input.text(of: attributes, 0...4)
            if input.chance(4) {
                text = input.changed(text, with: [";", "=", "Domain=", ",", "\"", " "])
            } else {
                // A value that no changed text has by chance.
                text = text.replacing("=v\(number)", with: "=kept\(number)", maxReplacements: 1)
                setters.append((name, "kept\(number)", url.bareHost, Cookie.isTrusted(url)))
            }
            store.take([text], from: url, at: now)
        }
        for place in places {
            let url = try HTTPURL(place)
            guard let field = try store.field(for: url, at: now) else {
                continue
            }
            try demand(!field.utf8.contains { $0 == 0x0D || $0 == 0x0A || $0 == 0 }, "'\(field)'")
            for (name, value, host, isEncrypted) in setters
            where field.components(separatedBy: "; ").contains("\(name)=\(value)") {
                // Only a host, or one of the same domain, gets what a host has set.
                let isRelated =
                    host == url.bareHost || host.hasSuffix("example.com") && url.bareHost.hasSuffix("example.com")
                try demand(isRelated, "\(place) gets '\(name)' of \(host)")
                try demand(
                    !name.lowercased().hasPrefix("__") || isEncrypted && Cookie.isTrusted(url),
                    "\(place) gets '\(name)'"
                )
                try demand(
                    !name.lowercased().hasPrefix("__host-") || host == url.bareHost,
                    "\(place) gets '\(name)' of \(host)"
                )
            }
            for cookie in store.cookies where cookie.matches(url, at: now) {
                try demand(!cookie.isSecure || Cookie.isTrusted(url), "\(cookie) goes to \(place)")
                try demand(
                    cookie.expires.map { $0 > now && $0 <= now.addingTimeInterval(400 * 86_400) } ?? true,
                    "\(cookie)"
                )
                try demand(cookie.domain.contains(".") || cookie.isHostOnly, "\(cookie) is of a public suffix")
            }
        }
        _ = SetCookieField(input.anyText(0...12), at: now)
    }
}
