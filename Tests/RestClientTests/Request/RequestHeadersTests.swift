// SPDX-License-Identifier: MIT

import HTTPTypes
import Testing

@testable import RestClient

@Suite
struct RequestHeadersTests {
    /// The places that can set a header field, lowest first.
    enum Level: Int, CaseIterable, Sendable {
        case dogma, manager, server, api, node
    }

    private static func accept(setBy levels: [Level]) async throws -> String? {
        let client = StubbedClient(answering: .text("1"))
        let manager = client.manager
        if !levels.contains(.dogma) {
            manager.defaultDogma = .raw
        }
        if levels.contains(.manager) {
            manager.options = manager.options.header(.accept, "manager/1")
        }
        if levels.contains(.server) {
            manager.servers["store"]?.options = CallOptions().headers([.accept: "server/1"])
        }
        manager.apis[APIAlias<Int>("a")] = API(
            .get,
            "/a"
        )
        .headers(levels.contains(.api) ? [.accept: "api/1"] : [:])
        let node = manager.request(Int.self).api("a")
        // The raw dogma decodes no number.
        _ = try? await (levels.contains(.node) ? node.header(.accept, "node/1") : node).send()
        return try #require(client.requests.first).headers[.accept]
    }

    @Test(
        arguments: [
            ([.dogma], "application/json"),
            ([.dogma, .manager], "manager/1"),
            ([.dogma, .server], "server/1"),
            ([.dogma, .api], "api/1"),
            ([.dogma, .node], "node/1"),
            ([.manager, .server], "server/1"),
            ([.manager, .api], "api/1"),
            ([.manager, .node], "node/1"),
            ([.server, .api], "api/1"),
            ([.server, .node], "node/1"),
            ([.api, .node], "node/1"),
            (Level.allCases, "node/1"),
            ([], nil),
        ] as [([Level], String?)]
    )
    func `of two places that set a field the higher one wins`(levels: [Level], value: String?) async throws {
        #expect(try await Self.accept(setBy: levels) == value)
    }

    @Test
    func `fields whose names are texts replace those of the same names`() async throws {
        let request = try await sent { node in
            node.endpoint("/a").header(.accept, "a/1").headers(["accept": "b/1", "X-Tenant": "acme"])
        }
        #expect(request.headers[.accept] == "b/1")
        let tenant = try #require(HTTPField.Name("X-Tenant"))
        #expect(request.headers[tenant] == "acme")
        let name = await failure { $0.endpoint("/a").headers(["no name": "x"]) }
        let value = await failure { $0.endpoint("/a").headers(["A": "x\r\nB: y"]) }
        #expect(name?.code == .invalidHeader)
        #expect(value?.code == .invalidHeader)
        #expect(HTTPField.Name.link.canonicalName == "link")
    }

    @Test
    func `the content type of the dogma yields to the call's own`() async throws {
        let own = try await sent { $0.post().endpoint("/a").values(["a": 1]).header(.contentType, "x/y") }
        let dogma = try await sent { $0.post().endpoint("/a").values(["a": 1]) }
        let none = try await sent { $0.post().endpoint("/a") }
        #expect(own.headers[.contentType] == "x/y")
        #expect(dogma.headers[.contentType] == "application/json")
        #expect(none.headers[.contentType] == nil)
    }

    @Test
    func `setting replaces and adding keeps fields of the name`() async throws {
        let request = try await sent { node in
            node.endpoint("/a").header(.acceptLanguage, "ko").header(.acceptLanguage, "en")
                .header(.acceptLanguage, "fr", adding: true)
        }
        #expect(request.headers[values: .acceptLanguage] == ["en", "fr"])
    }

    @Test
    func `several fields of one name of the server are replaced by one of the call`() async throws {
        let client = StubbedClient()
        var headers: HTTPFields = [:]
        headers.append(HTTPField(name: .acceptLanguage, value: "ko"))
        headers.append(HTTPField(name: .acceptLanguage, value: "en"))
        client.manager.servers["store"]?.options = CallOptions().headers(headers)
        let inherited = try await client.sent { $0.endpoint("/a") }
        let replaced = try await client.sent { $0.endpoint("/a").header(.acceptLanguage, "fr") }
        #expect(inherited.headers[values: .acceptLanguage] == ["ko", "en"])
        #expect(replaced.headers[values: .acceptLanguage] == ["fr"])
    }

    @Test
    func `a bearer token goes into the Authorization field`() async throws {
        let request = try await sent { $0.endpoint("/a").bearer("t0ken") }
        #expect(request.headers[.authorization] == "Bearer t0ken")
    }

    @Test
    func `a field may be named by text`() async throws {
        let request = try await sent { $0.endpoint("/a").header("X-Tenant", "7") }
        let name = try #require(HTTPField.Name("X-Tenant"))
        #expect(request.headers[name] == "7")
    }

    // MARK: - Refusals

    @Test(arguments: ["s3cret\r\nEvil: 1", "s3cret\n", "\rs3cret", "s3cret\u{0}"])
    func `a value with CR, LF or NUL is refused without being quoted`(value: String) async throws {
        let nodes: [@Sendable (RequestNode<Void>) -> RequestNode<Void>] = [
            { $0.header(.authorization, value) },
            { $0.header("Authorization", value) },
            { $0.header(.authorization, value, adding: true) },
            { $0.bearer(value) },
        ]
        for node in nodes {
            let error = try #require(await failure { node($0.endpoint("/a")) })
            #expect(error.code == .invalidHeader)
            #expect(error.message.contains("'Authorization'"))
            #expect(!error.description.contains("s3cret"))
        }
    }

    @Test
    func `a value of the manager with a line break is refused`() async {
        let client = StubbedClient()
        client.manager.options = client.manager.options.header(.userAgent, "a\nb")
        let error = await client.failure { $0.endpoint("/a") }
        #expect(error?.code == .invalidHeader)
        #expect(error?.message.contains("'User-Agent'") == true)
    }

    @Test
    func `a provided value with a line break is refused`() async {
        let client = StubbedClient()
        client.manager.options = client.manager.options.header(.authorization) { "s3cret\r\n" }
        let error = await client.failure { $0.endpoint("/a") }
        #expect(error?.code == .invalidHeader)
        #expect(error?.description.contains("s3cret") == false)
        #expect(client.requests.isEmpty)
    }

    @Test(arguments: ["", "bad name", "naïve", "a:b", "x\ny"])
    func `a text that is not a field name is rejected`(name: String) async {
        let error = await failure { $0.endpoint("/a").header(name, "v") }
        #expect(error?.code == .invalidHeader)
        #expect(error?.message.contains("not a valid header field name") == true)
        #expect(error?.message.contains("\n") == false)
    }

    // MARK: - Providers

    @Test
    func `a provider is asked once for each call`() async throws {
        let client = StubbedClient()
        let asked = Counter()
        client.manager.options = client.manager.options.header(.authorization) { "Bearer \(asked.next())" }
        let first = try await client.sent { $0.endpoint("/a") }
        let second = try await client.sent { $0.endpoint("/a") }
        #expect(first.headers[.authorization] == "Bearer 1")
        #expect(second.headers[.authorization] == "Bearer 2")
        #expect(asked.value == 2)
    }

    @Test
    func `each attempt calls the provider again`() async throws {
        let client = StubbedClient { $0 = $0.interceptors(Repeat(times: 3)) }
        let asked = Counter()
        client.manager.options = client.manager.options.header(.authorization) { "Bearer \(asked.next())" }
        _ = try await client.sent { $0.endpoint("/a") }
        #expect(client.requests.map { $0.headers[.authorization] } == ["Bearer 1", "Bearer 2", "Bearer 3"])
    }

    @Test
    func `a provider is not asked when server, API or call set the field`() async throws {
        let client = StubbedClient()
        let asked = Counter()
        client.manager.options = client.manager.options.header(.authorization) { "Bearer \(asked.next())" }
        client.manager.servers["other"] = Server("other.example").headers([.authorization: "server"])
        client.manager.apis[APIAlias<Void>("a")] = API(.get, "/a").headers([.authorization: "api"])

        let byNode = try await client.sent { $0.endpoint("/a").bearer("node") }
        let byServer = try await client.sent { $0.server("other") }
        let byAPI = try await client.sent { $0.api("a") }

        #expect(byNode.headers[values: .authorization] == ["Bearer node"])
        #expect(byServer.headers[values: .authorization] == ["server"])
        #expect(byAPI.headers[values: .authorization] == ["api"])
        #expect(asked.value == 0)
    }

    @Test
    func `a provider without a value leaves the field out`() async throws {
        let client = StubbedClient()
        client.manager.options = client.manager.options.header(.authorization) { nil }
        let request = try await client.sent { $0.endpoint("/a") }
        #expect(request.headers[.authorization] == nil)
    }

    @Test
    func `what a provider throws reaches the caller as it is`() async {
        struct NoSession: Error {}
        let client = StubbedClient()
        client.manager.options = client.manager.options.header(.authorization) { throw NoSession() }
        await #expect(throws: NoSession.self) { try await client.manager.request(Void.self).endpoint("/a").send() }
        #expect(client.requests.isEmpty)
    }
}

/// Sends each request several times, and gives the last response.
private struct Repeat: Interceptor {
    let times: Int

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        var response = try await next(request)
        for _ in 1..<times {
            response = try await next(request)
        }
        return response
    }
}
