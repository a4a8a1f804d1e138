// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

/// Redirects between real servers.
@Suite(.timeLimit(.minutes(5)), .eachTransport)
struct RedirectTests {
    static let methods: [(status: Int, method: String, then: String)] = [
        (301, "GET", "GET"), (302, "GET", "GET"), (303, "GET", "GET"), (307, "GET", "GET"), (308, "GET", "GET"),
        (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (307, "POST", "POST"), (308, "POST", "POST"),
        (301, "PUT", "PUT"), (302, "DELETE", "DELETE"), (303, "PUT", "GET"), (303, "HEAD", "HEAD"),
        (308, "PATCH", "PATCH"),
    ]

    @Test(arguments: methods)
    func `method and body follow the status`(status: Int, method: String, then: String) async throws {
        try await LoopbackClient.with { client in
            let token = try #require(HTTPRequest.Method(rawValue: method))
            client.server.on(try #require(HTTPRequest.Method(method)), "/from") { _ in
                .redirect(to: "/to?x=1", status: status)
            }
            client.server.on(try #require(HTTPRequest.Method(then)), "/to") { _ in
                .status(200, headers: ["X-Mark": "to"])
            }
            let hasBody = method != "GET" && method != "HEAD"
            let node = client.request(token, "/from")
            let response = try await (hasBody ? node.values(["a": 1]) : node).response()
            #expect(response.headers[.init("X-Mark")!] == "to")
            #expect(response.raw.url == client.server.url + "/to?x=1")
            let last = try #require(client.server.requests.last)
            let keepsBody = hasBody && method == then
            #expect(last.method.rawValue == then)
            #expect(last.target == "/to?x=1")
            #expect(last.text == (keepsBody ? #"{"a":1}"# : ""))
            #expect(last.headers["Content-Type"] == (keepsBody ? "application/json" : nil))
        }
    }

    @Test(.once, arguments: ["to", "./to", "../a/to", "/a/to", "//HOST/a/to", "http://HOST/a/to#part"])
    func `a location may be relative`(location: String) async throws {
        try await LoopbackClient.with { client in
            let host = "127.0.0.1:\(client.server.port)"
            client.server.on(.get, "/a/from") { _ in
                .redirect(to: location.replacing("HOST", with: host))
            }
            client.server.on(.get, "/a/to") { _ in .text("there") }
            let answer = try await client.request(String.self, .get, "/a/from").send()
            #expect(answer == "there")
        }
    }

    @Test
    func `credentials stay within the origin, and another port is another origin`() async throws {
        try await LoopbackClient.with { client in
            try await LoopbackServer.with(TransportKind.chosen.mode) { other in
                client.server.on(.get, "/inside") { _ in .redirect(to: "/target") }
                client.server.on(.get, "/outside") { _ in .redirect(to: other.url + "/target", status: 307) }
                client.server.on(.get, "/target") { _ in .text("inside") }
                other.on(.get, "/target") { _ in .text("outside") }
                let node = client.request(String.self, .get, "/{path}").bearer("t0ken")
                    .header(.cookie, "session=1")
                    .header("X-Mark", "named").header("X-Other", "not named").fieldsForAnyOrigin(.init("X-Mark")!)
                let inside = try await node.parameter("path", "inside").send()
                let outside = try await node.parameter("path", "outside").send()
                #expect([inside, outside] == ["inside", "outside"])
                #expect(
                    client.server.requests.map { $0.headers["Authorization"] }
                        == Array(repeating: "Bearer t0ken", count: 3)
                )
                let arrived = try #require(other.requests.first?.headers)
                #expect(arrived["Authorization"] == nil)
                #expect(arrived["Cookie"] == nil)
                #expect(arrived["X-Mark"] == "named")
                #expect(arrived["X-Other"] == nil)
            }
        }
    }

    @Test
    func `credentials do not come back with a redirect home`() async throws {
        try await LoopbackClient.with { client in
            try await LoopbackServer.with(TransportKind.chosen.mode) { other in
                let home = client.server.url
                client.server.on(.get, "/from") { _ in .redirect(to: other.url + "/over") }
                other.on(.get, "/over") { _ in .redirect(to: home + "/back") }
                client.server.on(.get, "/back") { _ in .text("back") }
                _ = try await client.request(.get, "/from").bearer("t0ken").send()
                let tokens = client.server.requests.map { $0.headers["Authorization"] }
                #expect(tokens == ["Bearer t0ken", nil])
            }
        }
    }

    @Test(arguments: [0, 1, 3, 10])
    func `too many redirects end with an error that keeps the last response`(limit: Int) async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { request in
                .redirect(to: request.path + "a", status: 307)
            }
            let log = EventRecorder(client.manager)
            let error = await #expect(throws: RestClientError.self) {
                try await client.request(.get, "/a").redirects(.follow(limit: limit)).send()
            }
            #expect(error?.code == .tooManyRedirects)
            #expect(error?.status == .temporaryRedirect)
            #expect(client.server.requests.count == limit + 1)
            #expect(log.count(of: .redirected) == limit)
            #expect(log.names.last == .callFailed)
        }
    }

    @Test
    func `a loop ends with an error that keeps the last response`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { request in
                .redirect(to: request.path == "/a" ? "/b" : "/a", status: 307)
            }
            let error = await #expect(throws: RestClientError.self) { try await client.request(.get, "/a").send() }
            #expect(error?.code == .redirectLoop)
            #expect(error?.status == .temporaryRedirect)
            #expect(client.server.requests.map(\.path) == ["/a", "/b", "/a", "/b"])
        }
    }

    @Test
    func `redirects can be refused, or taken for the response`() async throws {
        try await LoopbackClient.with { client in
            client.server.on(.get, "/from") { _ in .redirect(to: "/to") }
            let refused = await #expect(throws: RestClientError.self) {
                try await client.request(.get, "/from").redirects(.refuse).send()
            }
            let response = try await client.request(.get, "/from").redirects(.manual).accepting([.found]).response()
            #expect(refused?.code == .redirectRefused)
            #expect(response.headers[.location] == "/to")
            #expect(client.server.requests.map(\.path) == ["/from", "/from"])
        }
    }

    @Test(arguments: [
        "ftp://127.0.0.1/x", "file:///etc/passwd", "http://user:pw@127.0.0.1/", "javascript:1", "http://",
    ])
    func `a redirect to somewhere dangerous is refused`(location: String) async throws {
        try await LoopbackClient.with { client in
            client.server.on(.get, "/from") { _ in .redirect(to: location) }
            let error = await #expect(throws: RestClientError.self) { try await client.request(.get, "/from").send() }
            #expect(error?.code == .redirectRefused)
            #expect(client.server.requests.count == 1)
        }
    }

    @Test
    func `a redirect without a location is a response`() async throws {
        try await LoopbackClient.with { client in
            client.server.on(.get, "/from") { _ in .text("where to?", status: 302) }
            let error = await #expect(throws: RestClientError.self) { try await client.request(.get, "/from").send() }
            #expect(error?.code == .unacceptableStatus)
            #expect(error?.status == .found)
        }
    }

    @Test(.once)
    func `a redirect to a server that is down is a failed connection`() async throws {
        let port = try LoopbackPort(.refusing)
        try await LoopbackClient.with { client in
            client.server.on(.get, "/from") { _ in .redirect(to: port.url + "/to") }
            let error = await #expect(throws: RestClientError.self) { try await client.request(.get, "/from").send() }
            #expect(error?.code == .connectionFailed)
        }
    }

    @Test
    func `the time limit covers all redirects together`() async throws {
        let gate = Gate()
        try await LoopbackClient.with { client in
            client.server.on(.get, "/from") { _ in .redirect(to: "/slow") }
            client.server.on(.get, "/slow") { _ in LoopbackResponse.text("late").after(gate) }
            let error = await #expect(throws: RestClientError.self) {
                try await client.request(.get, "/from").timeout(.milliseconds(150)).send()
            }
            #expect(error?.code == .timeout)
        }
    }
}
