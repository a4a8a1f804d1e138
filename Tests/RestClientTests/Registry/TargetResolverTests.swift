// SPDX-License-Identifier: MIT

import HTTPTypes
import Testing

@testable import RestClient

@Suite
struct TargetResolverTests {
    /// One way of setting a target.
    enum Verb: String, CaseIterable, Sendable {
        case address, server, endpoint, api, url

        func apply(to node: RequestNode<Void>) -> RequestNode<Void> {
            switch self {
            case .address: node.serverAddress("address.example")
            case .server: node.server("other")
            case .endpoint: node.endpoint("/endpoint")
            case .api: node.api("login")
            case .url: node.url("https://whole.example/url")
            }
        }
    }

    private func target(_ verbs: [Verb]) async throws -> String {
        let client = StubbedClient()
        client.manager.servers["other"] = "https://other.example"
        client.manager.apis[APIAlias<Void>("login")] = API(.post, "/login")
        return try await client.sent { node in verbs.reduce(node) { $1.apply(to: $0) } }.url
    }

    @Test(
        arguments: [
            ([.address], "https://address.example"),
            ([.server], "https://other.example"),
            ([.endpoint], "https://api.example.com/v1/endpoint"),
            ([.api], "https://api.example.com/v1/login"),
            ([.url], "https://whole.example/url"),

            ([.address, .address], "https://address.example"),
            ([.address, .server], "https://other.example"),
            ([.address, .endpoint], "https://address.example/endpoint"),
            ([.address, .api], "https://api.example.com/v1/login"),

            ([.server, .address], "https://address.example"),
            ([.server, .server], "https://other.example"),
            ([.server, .endpoint], "https://other.example/endpoint"),
            ([.server, .api], "https://api.example.com/v1/login"),

            ([.endpoint, .address], "https://address.example/endpoint"),
            ([.endpoint, .server], "https://other.example/endpoint"),
            ([.endpoint, .endpoint], "https://api.example.com/v1/endpoint"),
            ([.endpoint, .api], "https://api.example.com/v1/login"),
            ([.endpoint, .url], "https://whole.example/url"),

            ([.api, .address], "https://address.example"),
            ([.api, .server], "https://other.example"),
            ([.api, .endpoint], "https://api.example.com/v1/endpoint"),
            ([.api, .api], "https://api.example.com/v1/login"),
            ([.api, .url], "https://whole.example/url"),

            ([.url, .api], "https://api.example.com/v1/login"),
            ([.url, .url], "https://whole.example/url"),

            ([.api, .address, .endpoint], "https://address.example/endpoint"),
            ([.address, .api, .endpoint], "https://api.example.com/v1/endpoint"),
        ] as [([Verb], String)]
    )
    func `the last target set wins`(verbs: [Verb], url: String) async throws {
        #expect(try await target(verbs) == url)
    }

    @Test(
        arguments: [
            [.url, .server], [.url, .address], [.url, .endpoint], [.server, .url], [.address, .url],
            [.server, .url, .endpoint],
        ] as [[Verb]]
    )
    func `a whole URL with a server is an error, never a request to somewhere else`(verbs: [Verb]) async {
        let client = StubbedClient()
        client.manager.servers["other"] = "https://other.example"
        let error = await client.failure { node in verbs.reduce(node) { $1.apply(to: $0) } }
        #expect(error?.code == .contradictoryTarget)
        #expect(client.requests.isEmpty)
    }

    @Test(
        arguments: [
            ("https://api.example.com/v1/next?page=2", "store"),
            ("https://api.example.com/v1", "store"),
            ("HTTPS://API.example.com:443/v1/next", "store"),
            ("https://api.example.com/v1/deep/next", "deep"),
            ("https://api.example.com/v12/next", nil),
            ("https://api.example.com/v1/../next", nil),
            ("https://api.example.com/other", nil),
            ("https://api.example.com:8443/v1/next", nil),
            ("http://api.example.com/v1/next", nil),
            ("https://api.example.com.evil.example/v1/next", nil),
            ("https://evil.example/v1/next", nil),
        ] as [(String, String?)]
    )
    func `a whole URL belongs to the registered server of its origin and path`(url: String, owner: String?) async throws
    {
        let client = StubbedClient()
        for (name, address) in [("store", "https://api.example.com/v1"), ("deep", "https://api.example.com/v1/deep")] {
            client.manager.servers[ServerAlias(rawValue: name)] = Server(address).bearer(name)
        }
        let request = try await client.sent { $0.url(url) }
        #expect(request.headers[.authorization] == owner.map { "Bearer \($0)" })
    }

    @Test
    func `one alias for two models is an error that names both`() async {
        let client = StubbedClient()
        client.manager.apis[APIAlias<Int>("orders")] = API(.get, "/orders")
        client.manager.apis[APIAlias<[String]>("orders")] = API(.get, "/orders")
        let error = await #expect(throws: RestClientError.self) {
            try await client.manager.request(APIAlias<Int>("orders")).send()
        }
        #expect(error?.code == .ambiguousAPI)
        #expect(error?.message.contains("Swift.Array<Swift.String> and Swift.Int") == true)
        #expect(await client.manager.lint().map(\.kind) == [.ambiguousAlias])
    }

    @Test
    func `an alias that looks like a secret is masked`() async {
        for secret in ["sk_live_51Hxyz0123456789", "ghp_0123456789abcdefghij", "a81bc81bdead4e5dabff90865d1e13b1"] {
            let api = await failure { $0.api(APIAlias(rawValue: secret)) }
            let server = await failure { $0.server(ServerAlias(rawValue: secret)) }
            let dogma = await failure { $0.endpoint("/a").dogma(DogmaAlias(rawValue: secret)) }
            #expect(api?.code == .unknownAPI && server?.code == .unknownServer && dogma?.code == .unknownDogma)
            #expect(![api, server, dogma].contains { String(describing: $0).contains(secret) })
            let client = StubbedClient()
            client.manager.defaultServer = ServerAlias(rawValue: secret)
            client.manager.defaultDogma = DogmaAlias(rawValue: secret)
            client.manager.apis[APIAlias<Int>(rawValue: secret + "1")] = API(.get, "/{a", defaults: [:])
            let (other, list) = (ServerAlias(rawValue: secret + "2"), DogmaAlias(rawValue: secret + "2"))
            client.manager.dogmas[list] = PropertyListDogma()
            client.manager.servers[other] = Server("https://a.example").dogma(list).coding(dates: .iso8601)
            client.manager.apis[APIAlias<Int>(rawValue: secret + "2")] = API(.get, "/a", server: other)
                .coding(dates: .iso8601)
            let issues = await client.manager.lint()
            #expect(issues.count >= 3)
            #expect(issues.count { $0.kind == .ineffectiveOption } == 2)
            #expect(!"\(issues)".contains(secret))
        }
    }

    @Test
    func `an API that is forgotten takes its method and its header fields with it`() async throws {
        let client = StubbedClient()
        client.manager.apis[APIAlias<Void>("login")] = API(.post, "/login").headers([.contentLanguage: "ko"])
        let request = try await client.sent { $0.api("login").endpoint("/else") }
        #expect(request.method == .get)
        #expect(request.headers[.contentLanguage] == nil)
    }

    @Test
    func `a method set on the call wins over the API's`() async throws {
        let client = StubbedClient()
        client.manager.apis[APIAlias<Void>("login")] = API(.post, "/login")
        let request = try await client.sent { $0.api("login").put() }
        #expect(request.method == .put)
    }

    // MARK: - Unknown names

    @Test
    func `an unknown server is an error that names the nearest`() async {
        let client = StubbedClient()
        client.manager.servers["archive"] = "https://archive.example"
        let error = await client.failure { $0.server("stor") }
        #expect(error?.code == .unknownServer)
        #expect(error?.message == "no server is registered as 'stor', which the request needs; did you mean 'store'?")
    }

    @Test
    func `an unknown API is an error that names the nearest`() async {
        let client = StubbedClient()
        client.manager.apis[APIAlias<Void>("orders")] = API(.get, "/orders")
        client.manager.apis[APIAlias<Void>("login")] = API(.get, "/login")
        let error = await client.failure { $0.api("order") }
        #expect(error?.code == .unknownAPI)
        #expect(error?.message == "no API is registered as 'order'; did you mean 'orders'?")
    }

    @Test(arguments: [
        ("https://example.com/a?token=s3cret", "https://example.com/a?token=<redacted>", "url(_:)"),
        ("/users/7", "/users/7", "endpoint(_:)"),
    ])
    func `a URL or a path that was taken for an alias is named as such, without secrets`(
        alias: String,
        shown: String,
        method: String
    ) async {
        let error = await failure { $0.api(APIAlias(rawValue: alias)) }
        #expect(error?.code == .unknownAPI)
        #expect(error?.message.hasPrefix("no API is registered as '\(shown)'; this is a ") == true)
        #expect(error?.message.hasSuffix(method) == true)
    }

    @Test
    func `an unknown dogma is an error that names the nearest`() async {
        let error = await failure { $0.dogma("jsn") }
        #expect(error?.code == .unknownDogma)
        #expect(error?.message.contains("did you mean 'json'") == true)
    }

    @Test
    func `without a similar name, the error lists the registered ones`() async {
        let error = await failure { $0.server("completely-different") }
        #expect(error?.message.contains("registered: store") == true)
    }

    @Test
    func `an empty registry says so`() async {
        let error = await failure { $0.api("login") }
        #expect(error?.message == "no API is registered as 'login'; none is registered")
    }

    @Test
    func `an unknown server of an API names the API`() async {
        let client = StubbedClient()
        client.manager.apis[APIAlias<Void>("login")] = API(.post, "/login", server: "stroe")
        let error = await client.failure { $0.api("login") }
        #expect(error?.code == .unknownServer)
        #expect(error?.message.contains("the API 'login'") == true)
        #expect(error?.message.contains("'stroe'") == true)
    }

    @Test
    func `a default server that is not registered is an error, not another server`() async {
        let client = StubbedClient()
        client.manager.defaultServer = "sotre"
        let error = await client.failure { $0.endpoint("/a") }
        #expect(error?.code == .unknownServer)
        #expect(error?.message.contains("'sotre'") == true)
    }

    @Test
    func `without any server the error says how to name one`() async {
        let client = StubbedClient()
        client.manager.defaultServer = nil
        let error = await client.failure { $0.endpoint("/a") }
        #expect(error?.code == .missingTarget)
        #expect(error?.message.contains("defaultServer") == true)
    }

    @Test
    func `keys are distinguished by case`() async {
        let error = await failure { $0.server("Store") }
        #expect(error?.code == .unknownServer)
    }

    // MARK: - At send time

    @Test
    func `re-pointing a server changes where the same node goes`() async throws {
        let client = StubbedClient()
        let manager = client.manager
        let node = manager.request(Void.self).server("store").endpoint("/a")

        try await node.send()
        manager.servers["store"] = "localhost:8080"
        try await node.send()

        #expect(client.requests.map(\.url) == ["https://api.example.com/v1/a", "http://localhost:8080/a"])
    }

    @Test
    func `an API registered after the node was made is found`() async throws {
        let client = StubbedClient()
        let manager = client.manager
        let node = manager.request(APIAlias<Void>("late"))

        manager.apis[APIAlias<Void>("late")] = API(.delete, "/late")
        try await node.send()

        #expect(client.requests.map(\.method) == [.delete])
    }

    @Test(arguments: [
        ("https://api.example.com", "a", "https://api.example.com/a"),
        ("https://api.example.com", "/a", "https://api.example.com/a"),
        ("https://api.example.com/", "/a", "https://api.example.com/a"),
        ("https://api.example.com/v1", "a", "https://api.example.com/v1/a"),
        ("https://api.example.com/v1/", "/a/", "https://api.example.com/v1/a/"),
        ("https://api.example.com/v1/", "//a", "https://api.example.com/v1/a"),
        ("https://api.example.com/v1", "", "https://api.example.com/v1"),
        ("https://api.example.com/v1", "/", "https://api.example.com/v1/"),
        ("https://api.example.com/v1", "?q=1", "https://api.example.com/v1?q=1"),
    ])
    func `there is exactly one slash between address and endpoint`(
        address: String,
        endpoint: String,
        url: String
    ) async throws {
        let request = try await sent { $0.serverAddress(address).endpoint(PathTemplate(endpoint)) }
        #expect(request.url == url)
    }

    @Test(arguments: [
        ("ftp://example.com/a", "http://"),
        ("/relative", "http://"),
        ("https:///a", "no host"),
        ("https://exa mple.com/", "percent-encoded"),
        ("https://example.com/é", "percent-encoded"),
        ("https://kim:s3cret@example.com/a?token=s3cret", "Authorization"),
    ])
    func `a whole URL that is none is refused`(url: String, reason: String) async throws {
        let error = try #require(await failure { $0.url(url) })
        #expect(error.code == .invalidURL)
        #expect(error.message.contains(reason))
        #expect(!error.description.contains("s3cret"))
    }

    @Test
    func `a whole URL goes out as it is, without its fragment`() async throws {
        let request = try await sent { $0.url("https://example.com/a%2Fb/{x}?q=%7E#part").query(["r": 2]) }
        #expect(request.url == "https://example.com/a%2Fb/{x}?q=%7E&r=2")
    }

    @Test
    func `a whole URL given as an endpoint is refused with a hint`() async {
        let error = await failure { $0.endpoint("https://example.com/a") }
        #expect(error?.code == .invalidURL)
        #expect(error?.message.contains(".url(_:)") == true)
    }
}
