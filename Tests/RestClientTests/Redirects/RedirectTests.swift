// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

@Suite
struct RedirectTests {
    private static let home = "https://api.example.com/v1/a"

    @Test(arguments: [
        (301, HTTPRequest.Method.get, HTTPRequest.Method.get),
        (301, .post, .get), (301, .put, .put), (301, .delete, .delete), (301, .head, .head),
        (302, .post, .get), (302, .patch, .patch), (302, .head, .head),
        (303, .get, .get), (303, .post, .get), (303, .put, .get), (303, .delete, .get), (303, .head, .head),
        (307, .get, .get), (307, .post, .post), (307, .put, .put),
        (308, .post, .post), (308, .patch, .patch), (308, .head, .head),
    ])
    func `the method is kept or becomes GET as RFC 9110 says`(
        code: Int,
        method: HTTPRequest.Method,
        followed: HTTPRequest.Method
    ) async throws {
        let client = StubbedClient(answering: .redirect(code, to: "/b"), .text("there"))
        try await client.manager.request(Void.self).method(method).endpoint("/a").send()
        #expect(client.requests.map(\.method) == [method, followed])
        #expect(client.requests.map(\.url) == [Self.home, "https://api.example.com/b"])
    }

    @Test(arguments: [(301, false), (302, false), (303, false), (307, true), (308, true)])
    func `the body goes along exactly when the method does`(code: Int, isKept: Bool) async throws {
        let client = StubbedClient(answering: .redirect(code, to: "/b"), .status(.ok))
        try await client.manager.request(Void.self).post().endpoint("/a").values(["x": 1]).send()
        let last = try #require(client.requests.last)
        #expect((last.bodyText == #"{"x":1}"#) == isKept)
        #expect((last.body == nil) == !isKept)
        #expect((last.headers[.contentType] == "application/json") == isKept)
        #expect(last.headers[.accept] == "*/*")
    }

    @Test(arguments: [
        ("/b", "https://api.example.com/b"),
        ("b", "https://api.example.com/v1/b"),
        ("./b/../c", "https://api.example.com/v1/c"),
        ("../b", "https://api.example.com/b"),
        ("?page=2", "https://api.example.com/v1/a?page=2"),
        ("//other.example/b", "https://other.example/b"),
        ("https://other.example", "https://other.example/"),
        ("/b#part", "https://api.example.com/b"),
        ("/b c/é", "https://api.example.com/b%20c/%C3%A9"),
        ("/b%20c", "https://api.example.com/b%20c"),
    ])
    func `a relative location is resolved against the request`(location: String, url: String) async throws {
        let client = StubbedClient(answering: .redirect(302, to: location), .status(.ok))
        let response = try await client.manager.request(Void.self).endpoint("/a").query(["q": 1]).response()
        #expect(client.requests.last?.url == url)
        #expect(response.raw.url == url)
        #expect(response.attempts == 1)
    }

    @Test(arguments: [
        ("https://api.example.com/v1/b", true),
        ("https://API.example.com:443/v1/b", true),
        ("/v1/b", true),
        ("/b", false),
        ("http://api.example.com/b", false),
        ("https://api.example.com:8443/b", false),
        ("https://example.com/b", false),
        ("https://api.example.com.evil.example/b", false),
    ])
    func `credentials stay within their server`(location: String, isKept: Bool) async throws {
        let client = StubbedClient(answering: .redirect(307, to: location), .status(.ok))
        client.manager.options = client.manager.options.header(.cookie) { "session=1" }
            .redirects(.follow.allowingPlainHTTP())
        try await client.manager.request(Void.self).endpoint("/a").bearer("t0ken").header("X-API-Key", "k")
            .header(.acceptLanguage, "ko").send()
        let last = try #require(client.requests.last)
        let apiAlias = try #require(HTTPField.Name("X-API-Key"))
        for name in [HTTPField.Name.authorization, .cookie, apiAlias] {
            #expect(last.headers.contains(name) == isKept)
        }
        #expect(last.headers[.acceptLanguage] == "ko")
    }

    @Test(arguments: [("https://api.example.com/v1/b", true), ("https://other.example/b", false)])
    func `a token in a field of its own stays within its server`(location: String, isKept: Bool) async throws {
        let client = StubbedClient(answering: .redirect(307, to: location), .status(.ok))
        let names = try ["PRIVATE-TOKEN", "Ocp-Apim-Subscription-Key"].map { try #require(HTTPField.Name($0)) }
        try await client.manager.request(Void.self).endpoint("/a").header(names[0], "t0ken").header(names[1], "k")
            .send()
        let last = try #require(client.requests.last)
        #expect(names.map { last.headers.contains($0) } == [isKept, isKept])
    }

    @Test(arguments: [("https://api.example.com/v1/b", true), ("https://other.example/b", false)])
    func `a server's own fields stay with the server`(location: String, isKept: Bool) async throws {
        let client = StubbedClient(answering: .redirect(307, to: location), .status(.ok))
        let tenant = try #require(HTTPField.Name("X-Tenant"))
        client.manager.servers["store"] = Server("https://api.example.com").header(tenant, "acme")
        try await client.manager.request(Void.self).endpoint("/a").header(.acceptLanguage, "ko").send()
        let last = try #require(client.requests.last)
        #expect(last.headers.contains(tenant) == isKept)
        #expect(last.headers[.acceptLanguage] == "ko")
    }

    @Test(arguments: [("https://api.example.com/v1/b", true), ("https://other.example/b", false)])
    func `a field that is declared a credential stays within its server`(location: String, isKept: Bool) async throws {
        let client = StubbedClient(answering: .redirect(307, to: location), .status(.ok))
        let badge = try #require(HTTPField.Name("X-Badge"))
        client.manager.options = client.manager.options.credentialFields(badge)
        try await client.manager.request(Void.self).endpoint("/a").header(badge, "7").send()
        #expect(try #require(client.requests.last).headers.contains(badge) == isKept)
    }

    @Test
    func `credentials that were dropped do not come back`() async throws {
        let client = StubbedClient(
            answering: .redirect(302, to: "https://other.example/b"),
            .redirect(302, to: Self.home),
            .status(.ok)
        )
        try await client.manager.request(Void.self).endpoint("/a").bearer("t0ken").send()
        #expect(client.requests.map { $0.headers.contains(.authorization) } == [true, false, false])
    }

    // MARK: - Without TLS, and other hosts

    @Test(arguments: [
        ("http://api.example.com/b", false), ("http://api.example.com:443/b", false), ("http://other.example/b", false),
        ("https://other.example/b", true), ("//other.example/b", true),
    ])
    func `a redirect from https to http is refused by default`(location: String, isFollowed: Bool) async throws {
        let client = StubbedClient(answering: .redirect(302, to: location), .status(.ok))
        if isFollowed {
            try await client.manager.request(Void.self).endpoint("/a").send()
        } else {
            let error = await client.failure { $0.endpoint("/a") }
            #expect(error?.code == .redirectRefused)
            #expect(error?.status == .found)
            #expect(error?.message.contains("allowingPlainHTTP") == true)
        }
        #expect(client.requests.count == (isFollowed ? 2 : 1))
    }

    @Test
    func `a downgrade later in a chain is refused too`() async {
        let client = StubbedClient(
            answering: .redirect(302, to: "https://other.example/b"),
            .redirect(302, to: "http://other.example/c")
        )
        let error = await client.failure { $0.endpoint("/a") }
        #expect(error?.code == .redirectRefused)
        #expect(client.requests.count == 2)
    }

    @Test
    func `a redirect to http is followed if the policy allows it`() async throws {
        let client = StubbedClient(answering: .redirect(302, to: "http://api.example.com/b"), .status(.ok))
        client.manager.options = client.manager.options.redirects(.follow(limit: 1).allowingPlainHTTP())
        try await client.manager.request(Void.self).endpoint("/a").send()
        #expect(client.requests.map(\.url) == [Self.home, "http://api.example.com/b"])
    }

    @Test
    func `a redirect from http to https or http needs no permission`() async throws {
        let client = StubbedClient(
            answering: .redirect(302, to: "http://localhost:8080/b"),
            .redirect(302, to: "https://localhost/c"),
            .status(.ok)
        )
        try await client.manager.request(Void.self).serverAddress("http://localhost").endpoint("/a").send()
        #expect(client.requests.count == 3)
    }

    @Test(arguments: [
        ("/v1/b", "virtual.example"), ("/b", nil), ("https://other.example/b", nil),
        ("https://api.example.com:8443/b", nil),
    ])
    func `a host field of the user stays within its server`(location: String, host: String?) async throws {
        let client = StubbedClient(answering: .redirect(307, to: location), .status(.ok))
        let name = try #require(HTTPField.Name("Host"))
        try await client.manager.request(Void.self).endpoint("/a").header(name, "virtual.example")
            .fieldsForAnyOrigin(name).send()
        #expect(client.requests.first?.headers[name] == "virtual.example")
        #expect(client.requests.last?.headers[name] == host)
    }

    @Test
    func `fields that describe the body leave with it`() async throws {
        let client = StubbedClient(answering: .redirect(303, to: "/b"), .status(.ok))
        let names = try ["Content-Digest", "Content-Disposition", "Digest", "Expect"]
            .map {
                try #require(HTTPField.Name($0))
            }
        var node = client.manager.request(Void.self).post().endpoint("/a").values(["x": 1])
        for name in names {
            node = node.header(name, "x")
        }
        try await node.header(.acceptLanguage, "ko").send()
        #expect(names.allSatisfy { client.requests.first?.headers.contains($0) == true })
        #expect(!names.contains { client.requests.last?.headers.contains($0) == true })
        #expect(client.requests.last?.headers[.acceptLanguage] == "ko")
    }

    // MARK: - Loops

    @Test
    func `a loop ends when it leads to the same request for the third time`() async {
        let client = StubbedClient(
            StubTransport { .redirect(302, to: $0.url.hasSuffix("/b") ? "/c" : "/b") }
        )
        let error = await client.failure { $0.endpoint("/a") }
        #expect(error?.code == .redirectLoop)
        #expect(error?.status == .found)
        #expect(client.requests.map { $0.url.suffix(2) } == ["/a", "/b", "/c", "/b", "/c"])
    }

    @Test
    func `a redirect to the same place is followed once`() async throws {
        let client = StubbedClient(answering: .redirect(302, to: "/v1/a"), .status(.ok))
        try await client.manager.request(Void.self).endpoint("/a").send()
        #expect(client.requests.map(\.url) == [Self.home, Self.home])
    }

    @Test
    func `the same place asked with another method is not a loop`() async throws {
        let client = StubbedClient(
            answering: .redirect(307, to: "/v1/a"),
            .redirect(303, to: "/v1/a"),
            .redirect(302, to: "/v1/a"),
            .status(.ok)
        )
        try await client.manager.request(Void.self).post().endpoint("/a").send()
        #expect(client.requests.map(\.method) == [.post, .post, .get, .get])
    }

    /// A client whose server redirects to a new place each time.
    private static func endless() -> StubbedClient {
        StubbedClient(StubTransport { .redirect(302, to: $0.url + "b") })
    }

    // MARK: - Policies

    @Test
    func `ten redirects are followed by default and the eleventh is not`() async {
        let client = Self.endless()
        let error = await client.failure { $0.endpoint("/a") }
        #expect(error?.code == .tooManyRedirects)
        #expect(error?.message.contains("10") == true)
        #expect(error?.status == .found)
        #expect(client.requests.count == 11)
    }

    @Test(arguments: [0, 1, 3])
    func `as many redirects are followed as the policy says`(limit: Int) async {
        let client = Self.endless()
        let error = await client.failure { $0.endpoint("/a").redirects(.follow(limit: limit)) }
        #expect(error?.code == .tooManyRedirects)
        #expect(client.requests.count == limit + 1)
    }

    @Test
    func `redirects up to the limit succeed`() async throws {
        let client = StubbedClient(answering: .redirect(302, to: "/b"), .redirect(302, to: "/c"), .status(.ok))
        try await client.manager.request(Void.self).endpoint("/a").redirects(.follow(limit: 2)).send()
        #expect(client.requests.count == 3)
    }

    @Test
    func `a manual policy makes the redirect the response`() async throws {
        let client = StubbedClient(answering: .redirect(302, to: "/b"))
        let response = try await client.manager.request(Void.self).endpoint("/a").redirects(.manual)
            .accepting([.found]).response()
        #expect(response.headers[.location] == "/b")
        let error = await client.failure { $0.endpoint("/a").redirects(.manual) }
        #expect(error?.code == .unacceptableStatus)
        #expect(client.requests.count == 2)
    }

    @Test
    func `a refusing policy fails the call and keeps the response`() async {
        let client = StubbedClient(answering: .redirect(301, to: "https://other.example/?token=s3cret"))
        let error = await client.failure { $0.endpoint("/a").redirects(.refuse) }
        #expect(error?.code == .redirectRefused)
        #expect(error?.status == .movedPermanently)
        #expect(error?.message.contains("other.example") == true)
        #expect(error?.description.contains("s3cret") == false)
        #expect(client.requests.count == 1)
    }

    @Test
    func `the manager's policy holds for calls that have none`() async {
        let client = StubbedClient(StubTransport(answering: [.redirect(301, to: "/b")])) { $0 = $0.redirects(.refuse) }
        let error = await client.failure { $0.endpoint("/a") }
        #expect(error?.code == .redirectRefused)
    }

    @Test(arguments: [
        "ftp://example.com/b", "javascript:alert(1)", "file:///etc/passwd", "data:,x", "https://", "https://a b/",
        "https://a:b/",
        "https://kim:s3cret@api.example.com/b", "https://api.example.com@evil.example/b",
    ])
    func `a location that is not an http URL is rejected`(location: String) async {
        let client = StubbedClient(answering: .redirect(302, to: location))
        let error = await client.failure { $0.endpoint("/a") }
        #expect(error?.code == .redirectRefused)
        #expect(client.requests.count == 1)
    }

    @Test
    func `a redirect without a location is a refused status`() async {
        let error = await StubbedClient(answering: .status(.found)).failure { $0.endpoint("/a") }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.status == .found)
    }

    @Test(arguments: ["", " ", "\t "])
    func `an empty location is not a redirect`(location: String) async throws {
        let client = StubbedClient(answering: .redirect(302, to: location))
        let error = await client.failure { $0.endpoint("/a") }
        #expect(error?.code == .unacceptableStatus)
        let refusing = await client.failure { $0.endpoint("/a").redirects(.refuse) }
        #expect(refusing?.code == .unacceptableStatus)
        let response = try await client.manager.request(Void.self).endpoint("/a").accepting([.found]).response()
        #expect(response.status == .found)
        #expect(client.requests.count == 3)
    }

    @Test(arguments: [(["/b", "/b"], RestClientError.Code?.none), (["/b", "/c"], .redirectRefused)])
    func `two different locations are not followed`(locations: [String], code: RestClientError.Code?) async throws {
        var redirect = RawResponse.status(.found)
        for location in locations {
            redirect.headers.append(HTTPField(name: .location, value: location))
        }
        let client = StubbedClient(answering: redirect, .status(.ok))
        if let code {
            let error = await client.failure { $0.endpoint("/a") }
            #expect(error?.code == code)
        } else {
            try await client.manager.request(Void.self).endpoint("/a").send()
            #expect(client.requests.last?.url == "https://api.example.com/b")
        }
    }

    @Test(arguments: [300, 304, 305, 306])
    func `other 3xx statuses are not followed`(code: Int) async {
        let client = StubbedClient(answering: .redirect(code, to: "/b"))
        let error = await client.failure { $0.endpoint("/a") }
        #expect(error?.code == .unacceptableStatus)
        #expect(client.requests.count == 1)
    }

    @Test
    func `a secret in the fragment of a location shows nowhere`() async {
        let client = StubbedClient(answering: .redirect(302, to: "https://app.example/cb#access_token=s3cret"))
        let log = EventRecorder(client.manager)
        let error = await client.failure { $0.endpoint("/a") }
        #expect(error?.code == .redirectLoop)
        #expect(error?.description.contains("s3cret") == false)
        #expect(!log.lines.joined().contains("s3cret"))
    }

    @Test(arguments: ["https://api.example.com/a", "http://api.example.com/a"], [true, false])
    func `the cookies of a jar do not go along from https to http`(url: String, isKept: Bool) async throws {
        let jar = CookieJar()
        let location = isKept ? "https://api.example.com/b" : "http://api.example.com/b"
        let client = StubbedClient(
            StubTransport { request in
                switch request.url {
                case "https://api.example.com/a":
                    RawResponse(
                        status: .temporaryRedirect,
                        headers: [.location: location, .setCookie: "session=1; Path=/"]
                    )
                case "http://api.example.com/a": .redirect(307, to: "https://api.example.com/a")
                default: .status(.ok)
                }
            }
        )

        try await client.manager.request(Void.self).url(url).cookies(jar)
            .redirects(.follow.allowingPlainHTTP()).send()

        #expect(client.requests.last?.url == location)
        #expect(client.requests.last?.headers[.cookie] == (isKept ? "session=1" : nil))
    }
}
