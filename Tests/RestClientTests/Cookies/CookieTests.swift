// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClientTesting
import RestEssentials
import Synchronization
import TestSupport
import Testing

@testable import RestClient

@Suite
struct CookieTests {
    private let now = Date(timeIntervalSince1970: 1_000_000_000)

    /// Returns the cookies that a jar sends to a URL after responses of another one.
    private func sent(
        _ fields: String...,
        from source: String = "https://www.example.com/shop/cart",
        to target: String = "https://www.example.com/shop/cart",
        _ suffixes: PublicSuffixes = .common
    ) -> String? {
        let jar = CookieJar([], suffixes) { now }
        jar.take(fields, from: source)
        return try? jar.field(for: target)
    }

    // MARK: - Fields

    @Test(arguments: [
        ("a=b", "a=b"), (" a = b ; Path=/", "a=b"), ("a=b=c", "a=b=c"), (#"a="b c""#, #"a="b c""#), ("a=", "a="),
        ("=b", nil), ("a", nil), ("", nil), ("a=b\u{1}", nil), ("a=b; Max-Age=0", nil), ("a=b; max-age=-5", nil),
        ("a=b; Max-Age=5; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "a=b"), ("a=b; Max-Age=x", "a=b"),
        ("a=b; Expires=Thu, 01 Jan 1970 00:00:00 GMT", nil), ("a=b; Expires=nonsense", "a=b"),
        ("a=b; HttpOnly; SameSite=Lax; Unheard=1", "a=b"), ("__Secure-a=b", nil),
        ("__Secure-a=b; Secure", "__Secure-a=b"),
        ("__Host-a=b; Secure; Path=/", "__Host-a=b"), ("__Host-a=b; Secure", nil),
        ("__host-a=b; Secure; Path=/; Domain=www.example.com", nil),
        // With a combining mark behind it, a separator is another character, but the same byte.
        ("a=b;\u{301}; Path=/", "a=b"), ("a=\u{301}b", "a=\u{301}b"), ("a\u{301}=b", "a\u{301}=b"),
        ("a=b; Max-Age=\u{301}0", "a=b"), ("a=b;\u{301}Secure", "a=b"),
    ])
    func `a field sets a cookie or does not`(field: String, expected: String?) {
        #expect(sent(field) == expected)
    }

    @Test(arguments: [
        ("Wed, 09 Sep 2026 10:18:14 GMT", 1_788_949_094.0), ("Wednesday, 09-Sep-26 10:18:14 GMT", 1_788_949_094),
        ("Wed Sep  9 10:18:14 2026", 1_788_949_094), ("9 sep 2026 10:18:14", 1_788_949_094),
        ("Sep-9-2026 1:2:3", 1_788_915_723), ("01 Jan 70 00:00:00", 0), ("31 Feb 2026 00:00:00", nil),
        ("1 Jan 1600 00:00:00", nil), ("25:00:00 1 Jan 2026", nil), ("1 Jan 2026", nil),
    ])
    func `dates are read in the many ways in which servers write them`(text: String, seconds: Double?) {
        #expect(CookieDate.date(text[...])?.timeIntervalSince1970 == seconds)
    }

    @Test
    func `a cookie that is too large is not kept, and none lives for more than 400 days`() throws {
        #expect(sent("a=" + String(repeating: "b", count: 4_096)) == nil)
        let jar = CookieJar { now }
        jar.take(["a=b; Max-Age=99999999999"], from: "https://example.com/")
        #expect(try #require(jar.cookies.first?.expires) == now.addingTimeInterval(400 * 86_400))
    }

    // MARK: - Domains and paths

    @Test(arguments: [
        ("a=b", "https://shop.www.example.com/shop/", nil), ("a=b", "https://example.com/shop/", nil),
        ("a=b; Domain=example.com", "https://other.example.com/shop/", "a=b"),
        ("a=b; Domain=.Example.com", "https://example.com/shop/", "a=b"),
        ("a=b; Domain=example.com", "https://badexample.com/shop/", nil),
        ("a=b; Domain=other.com", "https://other.com/shop/", nil), ("a=b; Domain=com", "https://other.com/shop/", nil),
        ("a=b; Domain=ample.com", "https://www.example.com/shop/", nil),
        ("a=b; Domain=deeper.www.example.com", "https://deeper.www.example.com/shop/", nil),
        ("a=b", "https://www.example.com/shop", "a=b"), ("a=b", "https://www.example.com/shopping", nil),
        ("a=b", "https://www.example.com/", nil), ("a=b; Path=/", "https://www.example.com", "a=b"),
        ("a=b; Path=shop", "https://www.example.com/shop/x?y", "a=b"),
        ("a=b", "http://www.example.com:81/shop/", "a=b"),
        ("a=b; Secure", "http://www.example.com/shop/", nil),
    ])
    func `a cookie goes to its domain and its path`(field: String, target: String, expected: String?) {
        #expect(sent(field, to: target) == expected)
    }

    @Test
    func `public suffixes are refused`() {
        func field(_ domain: String, _ suffixes: PublicSuffixes = .common) -> String? {
            sent("a=b; Domain=\(domain)", from: "https://x.\(domain)/", to: "https://y.\(domain)/", suffixes)
        }
        #expect(field("co.uk") == nil)
        #expect(field("com.au") == nil)
        #expect(field("uk") == nil)
        #expect(field("example.co.uk") == "a=b")
        // Hosting services serve strangers beneath their names.
        #expect(field("github.io") == nil)
        #expect(field("repl.co") == nil)
        #expect(field("s3.amazonaws.com") == nil)
        #expect(field("me.github.io") == "a=b")
        // Germany's registry has no second labels, so a company has this name; another one sells names beneath its own.
        #expect(field("web.de") == "a=b")
        #expect(field("com.de") == nil)
        #expect(field("web.za") == nil)
        let list = PublicSuffixes(list: "// comment\ncom\ngithub.io\n\n*.ck // all\n!www.ck\n")
        #expect(field("github.io", list) == nil)
        #expect(field("anything.ck", list) == nil)
        #expect(field("www.ck", list) == "a=b")
        #expect(field("example.com", list) == "a=b")
        // A host that is a public suffix itself keeps its cookies to itself.
        #expect(
            sent("a=b; Domain=github.io", from: "https://github.io/", to: "https://github.io/", list) == "a=b"
        )
        #expect(sent("a=b; Domain=github.io", from: "https://github.io/", to: "https://x.github.io/", list) == nil)
    }

    @Test
    func `addresses have no domains below them`() {
        #expect(sent("a=b; Domain=0.0.1", from: "https://127.0.0.1/", to: "https://127.0.0.1/") == nil)
        #expect(sent("a=b; Domain=127.0.0.1", from: "https://127.0.0.1/", to: "https://127.0.0.1/") == "a=b")
        #expect(sent("a=b", from: "https://[::1]/", to: "https://[::1]/") == "a=b")
    }

    @Test
    func `a server without TLS neither sets secure cookies nor replaces them`() throws {
        #expect(sent("a=b; Secure", from: "http://example.com/", to: "https://example.com/") == nil)
        let jar = CookieJar { now }
        jar.take(["a=good; Secure; Path=/"], from: "https://example.com/")
        jar.take(["a=bad; Path=/", "c=d"], from: "http://example.com/")
        #expect(try jar.field(for: "https://example.com/") == "a=good; c=d")
    }

    @Test(arguments: [
        ("http://localhost:8080/", "http://localhost/", "a=b"), ("http://127.0.0.1/", "http://127.0.0.1:81/", "a=b"),
        ("http://[::1]/", "http://[::1]/", "a=b"), ("http://app.localhost/", "http://app.localhost/", "a=b"),
        ("http://localhost/", "https://localhost/", "a=b"), ("https://localhost/", "http://localhost./", "a=b"),
        ("http://128.0.0.1/", "https://128.0.0.1/", nil),
        ("http://localhost.example/", "https://localhost.example/", nil),
        ("https://example.com/", "http://example.com/", nil),
    ])
    func `this machine may set secure cookies without TLS, and gets them`(source: String, target: String, sent: String?)
    {
        #expect(self.sent("a=b; Secure", from: source, to: target) == sent)
    }

    @Test(arguments: [
        ("https://example.com./", "https://example.com/"), ("https://example.com/", "https://EXAMPLE.com.:443/"),
        ("https://www.example.com./", "https://www.example.com/"),
    ])
    func `a dot at the end of a host is the same host`(source: String, target: String) throws {
        #expect(sent("a=b", from: source, to: target) == "a=b")
        let jar = CookieJar([Cookie("a", "b", domain: "example.com.", isHostOnly: false)], .common) { now }
        #expect(try jar.field(for: target) == "a=b")
    }

    @Test
    func `a cookie goes to the path that is sent`() throws {
        let jar = CookieJar([Cookie("a", "b", domain: "example.com", path: "/admin")], .common) { now }

        #expect(try jar.field(for: "https://example.com/admin/x") == "a=b")
        #expect(try jar.field(for: "https://example.com/x/../admin") == nil)
        #expect(try jar.field(for: #"https://example.com/x\..\..\admin"#) == nil)
    }

    // MARK: - The jar

    @Test
    func `sites with many cookies lose them, and the others keep theirs`() throws {
        let jar = CookieJar { now }
        jar.take(["session=1; Path=/"], from: "https://bank.example/")
        for host in 0..<20 {
            let fields = (0..<180).map { "n\($0)=1; Path=/" }
            jar.take(fields, from: host < 10 ? "https://h\(host).evil.example/" : "https://evil\(host).example/")
        }

        #expect(jar.cookies.count == 3_000)
        #expect(try jar.field(for: "https://bank.example/") == "session=1")
    }

    @Test
    func `a field is no longer than servers take, and the host's own cookies come first`() throws {
        let jar = CookieJar { now }
        let large = String(repeating: "x", count: 2_000)
        jar.take((0..<180).map { "n\($0)=\(large); Domain=shop.example; Path=/" }, from: "https://evil.shop.example/")
        jar.take(["session=1; Path=/"], from: "https://www.shop.example/")
        jar.take((0..<500).map { "m\($0)=1; Path=/" }, from: "https://many.example/")

        let field = try #require(try jar.field(for: "https://www.shop.example/"))
        #expect(field.utf8.count <= 8_190 && field.contains("session=1") && field.contains("n0="))
        #expect(try jar.field(for: "https://many.example/")?.split(separator: ";").count == 150)
    }

    @Test(arguments: [
        ("bücher", "xn--bcher-kva"), ("公司.cn", "xn--55qx5d.cn"), ("münchen.de", "xn--mnchen-3ya.de"),
        ("한국", "xn--3e0b707e"),
        ("рф", "xn--p1ai"), ("ไทย", "xn--o3cw4h"), ("他们为什么不说中文", "xn--ihqwcrb4cv8a8dqg056pqjye"), ("a.b-c", "a.b-c"),
        ("3年b組金八先生", "xn--3b-ww4c5e180e575a65lsy2b"), ("", ""), ("..", ".."),
    ])
    func `names outside ASCII are written as hosts have them`(name: String, host: String) {
        #expect(Punycode.host(name) == host)
    }

    @Test
    func `rules outside ASCII hold for the hosts that they mean`() {
        let list = PublicSuffixes(list: "cn\n公司.cn\n*.ไทย\n!www.ไทย\n")
        func field(_ domain: String) -> String? {
            sent("a=b; Domain=\(domain)", from: "https://x.\(domain)/", to: "https://y.\(domain)/", list)
        }

        #expect(field("xn--55qx5d.cn") == nil)
        #expect(field("shop.xn--55qx5d.cn") == "a=b")
        #expect(field("a.xn--o3cw4h") == nil)
        #expect(field("www.xn--o3cw4h") == "a=b")
    }

    @Test
    func `longer paths come first, then older cookies; a replaced cookie keeps its place`() {
        #expect(
            sent("a=1; Path=/", "b=1; Path=/shop", "c=1; Path=/", "d=1; Path=/shop", "a=2; Path=/")
                == "b=1; d=1; a=2; c=1"
        )
    }

    @Test
    func `cookies end, are removed, and there are never too many`() throws {
        let time = Mutex(now)
        let jar = CookieJar([Cookie("x", "y", domain: "Example.com")], .common) { time.withLock { $0 } }
        jar.take(["a=b; Max-Age=10"], from: "https://example.com/")
        #expect(try jar.field(for: "https://example.com/") == "x=y; a=b")
        time.withLock { $0 += 10 }
        #expect(jar.cookies.map(\.name) == ["x"])
        jar.take(["x=; Max-Age=0"], from: "https://example.com/")
        #expect(try jar.field(for: "https://example.com/") == nil)
        jar.take((0..<300).map { "n\($0)=v" }, from: "https://example.com/")
        #expect(jar.cookies.count == 180)
        #expect(jar.cookies.first?.name == "n120")
        jar.removeAll { $0.name == "n120" }
        #expect(jar.cookies.count == 179)
        jar.removeAll()
        #expect(jar.cookies.isEmpty)
    }

    @Test
    func `those that have expired go first, then the oldest of a full domain, then those of the site with the most`() {
        let expiring = Cookie("expiring", "v", domain: "few0.example", expires: now + 10)
        let few = (0..<10).map { Cookie("few\($0)", "v", domain: "few\($0).example") }
        let many = (0..<2_820).map { Cookie("m\($0)", "v", domain: "h\($0).many.example") }
        let full = (0..<200).map { Cookie("n\($0)", "v", domain: "full.example") }
        let time = Mutex(now)
        let jar = CookieJar([expiring] + few + many, .common) { time.withLock { $0 } }
        time.withLock { $0 += 10 }
        for cookie in full {
            jar.set(cookie)
        }

        let names = jar.cookies.map(\.name)

        let kept = (10..<2_820).map { "m\($0)" } + (20..<200).map { "n\($0)" }
        #expect(names == few.map(\.name) + kept)
        // All at once, or one after the other.
        let atOnce = CookieJar(few + many + full, .common) { [now] in now }
        #expect(atOnce.cookies.map(\.name) == names)
    }

    @Test
    func `a cookie shows no value, and survives coding`() throws {
        let cookie = Cookie("session", "s3cret", domain: "example.com", expires: now)
        #expect(!String(reflecting: cookie).contains("s3cret"))
        #expect(!"\(cookie)".contains("s3cret"))
        let decoded = try JSONDecoder().decode([Cookie].self, from: JSONEncoder().encode([cookie]))
        #expect(decoded == [cookie])
    }

    // MARK: - Calls

    @Test
    func `a login that redirects, and the calls after it`() async throws {
        try await LoopbackServer.with { server async throws in
            var login = LoopbackResponse.status(303)
            login.headers.append("Set-Cookie", "session=1; Path=/; HttpOnly")
            login.headers.append("Set-Cookie", "theme=dark; Path=/")
            login.headers.append("Location", "/home")
            server.on(.post, "/login") { [login] _ in login }
            server.on(.get, "/home") { .text($0.headers["Cookie"] ?? "none") }
            let jar = CookieJar()
            let manager = RestClientManager()
            manager.servers["main"] = Server(server.url).cookies(jar)
            manager.defaultServer = "main"
            let home = manager.request(String.self).endpoint("/home")

            #expect(try await home.send() == "none")
            #expect(try await manager.request(String.self).post().endpoint("/login").send() == "session=1; theme=dark")
            #expect(try await home.retry(.standard).send() == "session=1; theme=dark")
            #expect(try await home.header(.cookie, "own=1; more=2").send() == "own=1; more=2")
            #expect(try await home.cookies(nil).send() == "none")
            #expect(try await manager.request(String.self).url(server.url + "/home").send() == "session=1; theme=dark")
            jar.removeAll { $0.name == "session" }
            #expect(try await home.send() == "theme=dark")
        }
    }

    @Test(arguments: [
        ("a", "1; admin=true"), ("a; admin", "true"), ("a=b", "c"), ("", "c"), ("a", "b\r\nX-Admin: true"),
        ("a\r\nX-Admin: true", "b"), ("a", "\0"), ("a", "b\n"),
    ])
    func `a cookie of the program adds no other cookie and no field`(name: String, value: String) async throws {
        let cookie = Cookie(name, value, domain: "api.example.com")
        let jar = CookieJar([cookie])
        let client = StubbedClient()

        let error = await client.failure { $0.endpoint("/a").cookies(jar) }

        #expect(error?.code == .invalidHeader)
        #expect(error?.message.contains("admin") == false)
        #expect(client.requests.isEmpty)
        let moved = StubbedClient(answering: .redirect(302, to: "https://api.example.com/b"), .status(.ok))
        let refused = await moved.failure { $0.url("https://other.example/a").cookies(jar) }
        #expect(refused?.code == .invalidHeader)
        #expect(moved.requests.count == 1)
        jar.removeAll()
        #expect(try await client.sent { $0.endpoint("/a").cookies(jar) }.headers[.cookie] == nil)
    }

    @Test
    func `calls without a jar keep no cookies`() async throws {
        let client = StubbedClient(answering: .text("", headers: [.setCookie: "a=b; Path=/"]))
        _ = try await client.sent { $0.endpoint("/a") }
        #expect(try await client.sent { $0.endpoint("/a") }.headers[.cookie] == nil)
    }

    @Test
    func `stored responses of a session are not given to another one`() async throws {
        let count = Recorder<Void>()
        let client = StubbedClient(
            StubTransport { _ in
                count.record(())
                return .text("\(count.count)", headers: [.cacheControl: "max-age=60"])
            }
        )
        let jar = CookieJar()
        let node = client.manager.request(String.self).endpoint("/a").cookies(jar).cache()
        func load(_ session: String) async throws -> String {
            jar.set(Cookie("session", session, domain: "api.example.com"))
            return try await node.send()
        }
        #expect(try await load("kim") == "1")
        #expect(try await load("kim") == "1")
        #expect(try await load("lee") == "2")
        #expect(try await load("kim") == "1")
        #expect(client.requests.map { $0.headers[.cookie] } == ["session=kim", "session=lee"])
    }
}
