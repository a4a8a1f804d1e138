// SPDX-License-Identifier: MIT

import HTTPTypes
import TestSupport
import Testing

@testable import RestClient

@Suite
struct CallOptionsTests {
    private let key = APIAlias<Void>("a")

    @Test(arguments: CallOptions.Level.allCases.dropFirst())
    func `the nearest level wins`(nearest: CallOptions.Level) async throws {
        let capture = CapturingInterceptor()
        let client = StubbedClient { $0 = $0.interceptors(capture) }
        var node = client.manager.request(key)
        client.manager.options = client.manager.options.option(.tenant, "manager")
        client.manager.apis[key] = API(.get, "/a")
        if nearest >= .server {
            client.manager.servers["store"] = Server("https://api.example.com").option(.tenant, "server")
        }
        if nearest >= .api {
            client.manager.apis[key] = API(.get, "/a").option(.tenant, "API")
        }
        if nearest >= .call {
            node = node.option(.tenant, "call")
        }
        try await node.send()
        let request = try #require(capture.requests.elements.first)
        #expect(request.call.options[.tenant] == nearest.description)
        #expect(request.call.options.level(of: .tenant) == nearest)
    }

    @Test
    func `collections add up, outermost first`() async throws {
        let recorder = Recorder<String>()
        let client = StubbedClient { $0 = $0.interceptors(Noting("configuration", recorder)) }
        client.manager.updateOptions { $0.interceptors(Noting("manager", recorder)).cacheTags("m") }
        client.manager.servers["store"] = Server("https://api.example.com")
            .interceptors(Noting("server", recorder)).interceptors(Noting("attempt", recorder), perAttempt: true)
        client.manager.apis[key] = API(.get, "/a").interceptors(Noting("API", recorder)).cacheTags("a")
        try await client.manager.request(key).interceptors(Noting("call", recorder)).cacheTags("c").cache().send()
        #expect(recorder.elements == ["configuration", "manager", "server", "API", "call", "attempt"])
    }

    @Test
    func `options of a manager may change between calls`() async throws {
        let client = StubbedClient(answering: .status(.notFound))
        client.manager.apis[key] = API(.get, "/a")
        let node = client.manager.request(key)
        await #expect(throws: RestClientError.self) { try await node.send() }
        client.manager.options = client.manager.options.accepting([.notFound])
        try await node.send()
        client.manager.apis[key] = API(.get, "/a").accepting([.ok])
        await #expect(throws: RestClientError.self) { try await node.send() }
    }

    @Test
    func `no change of options made by several tasks is lost`() async {
        let manager = RestClientManager()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask { manager.updateOptions { $0.cacheTags("\(number)") } }
            }
        }
        #expect(manager.options[.cacheTags]?.count == 50)
    }

    @Test
    func `header fields of four levels and their providers replace one another by name`() async throws {
        let client = StubbedClient()
        let name = try #require(HTTPField.Name("X-Level"))
        client.manager.options = client.manager.options.header(name) { "manager" }.header(.userAgent, "agent")
        client.manager.apis[key] = API(.get, "/a")
        try await client.manager.request(key).send()
        client.manager.servers["store"] = Server("https://api.example.com").header(name, "server")
        try await client.manager.request(key).send()
        client.manager.apis[key] = API(.get, "/a").header(name) { "API" }
        try await client.manager.request(key).send()
        try await client.manager.request(key).header(name, "call").send()
        #expect(client.requests.map { $0.headers[name] } == ["manager", "server", "API", "call"])
        #expect(client.requests.allSatisfy { $0.headers[.userAgent] == "agent" })
    }

    @Test
    func `an error mapper of any level turns the failure into another error, the innermost first`() async throws {
        struct Mapped: Error, Equatable { let level: String }
        let client = StubbedClient(answering: .status(.internalServerError))
        client.manager.apis[key] = API(.get, "/a")
        let node = client.manager.request(key)
        client.manager.options = client.manager.options.mapError { _ in Mapped(level: "manager") }
        await #expect(throws: Mapped(level: "manager")) { try await node.send() }
        client.manager.servers["store"] = Server("https://api.example.com").mapError { _ in Mapped(level: "server") }
        await #expect(throws: Mapped(level: "server")) { try await node.send() }
        client.manager.apis[key] = API(.get, "/a").mapError { error in error }
        await #expect(throws: Mapped(level: "server")) { try await node.send() }
        await #expect(throws: Mapped(level: "call")) {
            try await node.mapError { _ in Mapped(level: "call") }.send()
        }
    }

    @Test
    func `the defect of an argument at any level fails the call`() async throws {
        let client = StubbedClient()
        client.manager.servers["store"] = Server("https://api.example.com").header("no name", "x")
        client.manager.apis[key] = API(.get, "/a")
        let error = await #expect(throws: RestClientError.self) { try await client.manager.request(key).send() }
        #expect(error?.code == .invalidHeader)
    }

    private static let verbs: [String: @Sendable (CallOptions) -> CallOptions] = [
        "timeout": { $0.timeout(.seconds(900)) },
        "attemptTimeout": { $0.timeouts(attempt: .seconds(900)) },
        "firstByteTimeout": { $0.timeouts(firstByte: .seconds(900)) },
        "idleTimeout": { $0.timeouts(idle: .seconds(900)) },
        "priority": { $0.priority(.high) },
        "retry": { $0.retry(2) },
        "redirects": { $0.redirects(.manual) },
        "responseLimit": { $0.limits(body: 1 << 20) },
        "headerLimit": { $0.limits(headerFields: 100) },
        "decompressionLimit": { $0.limits(decompression: 100) },
        "cache": { $0.cache(.elseNetwork()) },
        "cacheTags": { $0.cacheTags("tag") },
        "dummies": { $0.dummies(.matched) },
        "accepting": { $0.accepting([.ok]) },
        "header": { $0.header(.userAgent, "test") },
        "interceptors": { $0.interceptors(CapturingInterceptor()) },
        "attemptInterceptors": { $0.interceptors(CapturingInterceptor(), perAttempt: true) },
        "mapError": { $0.mapError { $0 } },
        "authentication": { $0.bearer("token") },
        "queryEncoding": { $0.queryEncoding(QueryEncoding(lists: .commas)) },
        "keyStrategy": { $0.coding(keys: .snakeCase) },
        "circuitBreaker": { $0.circuitBreaker(.standard) },
        "rateLimit": { $0.rateLimit(.perSecond(1_000)) },
        "concurrency": { $0.concurrency(8) },
    ]

    @Test(arguments: verbs.keys.sorted(), CallOptions.Level.allCases.dropFirst())
    func `each verb works at each level`(verb: String, level: CallOptions.Level) async throws {
        let client = StubbedClient { $0.options = CallOptions() }
        let change = try #require(Self.verbs[verb])
        var server: Server = "https://api.example.com"
        var api = API(.get, "/a")
        if level == .manager { client.manager.updateOptions(change) }
        if level == .server { server.options = change(server.options) }
        if level == .api { api.options = change(api.options) }
        client.manager.servers["store"] = server
        client.manager.apis[key] = api
        var node = client.manager.request(key)
        if level == .call { node.options = change(node.options) }

        let explained = try await node.response().explainOptions()

        let names = change(CallOptions()).explanations().map(\.name)
        #expect(!names.isEmpty)
        #expect(explained.filter { names.contains($0.name) }.map(\.levels) == names.map { _ in [level] })
    }

    @Test
    func `a key of the user's is never one of the library's, whatever its name`() async throws {
        let client = StubbedClient(answering: .status(.serviceUnavailable))
        client.manager.apis[key] = API(.get, "/a")
        let node = client.manager.request(key)
            .option(CallOptionKey<RetryPolicy>("retry"), RetryPolicy(attempts: 3))
            .option(CallOptionKey<Set<String>>("tags"), ["own"])
            .option(CallOptionKey<JobPriority>("priority"), .high)
            .option(CallOptionKey<Bool>("muted"), true)
        let error = await #expect(throws: RestClientError.self) { try await node.send() }

        #expect(error?.attempts == 1)
        #expect(node.options[CallOptionKey<Set<String>>("tags")] == ["own"])
        #expect(node.tags("library").options[CallOptionKey<Set<String>>("tags")] == ["own"])
        #expect(node.options[.priority] == nil)
        #expect(error?.request?.isMuted == false)
    }

    @Test
    func `a response shows the level of each option`() async throws {
        let client = StubbedClient { $0.clock = ManualClock() }
        client.manager.options = CallOptions().timeout(.seconds(7)).header(.authorization, "s3cret").cacheTags("m")
        client.manager.apis[key] = API(.get, "/a").accepting(StatusSet(200..<300)).option(.tenant, "s3cret")
        let response = try await client.manager.request(key).cacheTags("c").timeout(.seconds(2)).response()
        #expect(
            response.explainOptions().map(\.description) == [
                "accepted statuses: 200..<300 (API)", "cache tags: c, m (manager, call)",
                "header fields: Authorization (manager)", "tenant (API)", "timeout: 2.0 seconds (call)",
            ]
        )
    }
}

extension CallOptionKey<String> {
    fileprivate static var tenant: Self { Self("tenant") }
}

/// Notes that it was passed.
private struct Noting: Interceptor {
    let name: String
    let recorder: Recorder<String>

    init(_ name: String, _ recorder: Recorder<String>) {
        self.name = name
        self.recorder = recorder
    }

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        recorder.record(name)
        return try await next(request)
    }
}
