// SPDX-License-Identifier: MIT

import HTTPTypes
import TestSupport
import Testing

@testable import RestClient

/// Environments as calls see them.
@Suite(.timeLimit(.minutes(5)))
struct EnvironmentTests {
    private let key = APIAlias<Void>("orders")
    private let client = StubbedClient()
    private var manager: RestClientManager { client.manager }

    init() {
        manager.servers.removeAll()
        manager.defaultServer = nil
    }

    /// An environment whose server, API, dogma, default server and options all bear its name.
    private static func environment(_ name: String) -> ClientEnvironment {
        var environment = ClientEnvironment(
            servers: ["store": Server("https://\(name).example").header("X-Server", name)],
            defaultServer: "store"
        )
        environment.apis[APIAlias<Void>("orders")] = API(.get, PathTemplate("/\(name)/orders")).header("X-API", name)
        environment.dogmas["own"] = FormDogma()
        return environment.header("X-Environment", name).dogma("own")
    }

    private func register(_ names: EnvironmentAlias...) {
        for name in names {
            manager.environments[name] = Self.environment(name.rawValue)
        }
    }

    /// The parts of a request that an environment decides, each with its name.
    private static func parts(_ request: TransportRequest) -> [String] {
        let fields = ["X-Server", "X-API", "X-Environment"]
            .map { name in HTTPField.Name(name).flatMap { request.headers[$0] } ?? "" }
        return [request.url] + fields
    }

    private static func parts(of name: String) -> [String] {
        ["https://\(name).example/\(name)/orders", name, name, name]
    }

    // MARK: - Choosing one

    @Test
    func `an environment holds as a whole, and is switched as a whole`() async throws {
        register("staging", "production")
        for name in ["staging", "production", "staging"] as [EnvironmentAlias] {
            try manager.environments.use(name)
            #expect(manager.environments.current == name)
            try await manager.request(key).send()
            #expect(client.requests.last.map(Self.parts) == Self.parts(of: name.rawValue))
        }
        #expect(manager.environments.names == ["production", "staging"])
    }

    @Test
    func `without an environment the manager's own tables hold`() async throws {
        register("staging")
        let error = await #expect(throws: RestClientError.self) { try await manager.request(key).send() }
        #expect(error?.code == .unknownAPI)
        try manager.environments.use("staging")
        try await manager.request(key).send()
        try manager.environments.use(nil)
        #expect(manager.environments.current == nil)
        await #expect(throws: RestClientError.self) { try await manager.request(key).send() }
    }

    @Test
    func `an unknown name is an error that lists the known ones, and changes nothing`() throws {
        register("staging", "production")
        try manager.environments.use("production")
        let error = #expect(throws: RestClientError.self) { try manager.environments.use("stagin") }
        #expect(error?.code == .unknownEnvironment)
        #expect(
            error?.message
                == "no environment is registered as 'stagin'; did you mean 'staging'? registered: production, staging"
        )
        #expect(manager.environments.current == "production")
    }

    @Test
    func `calls fail while the environment in force is removed, and go nowhere else`() async throws {
        register("staging")
        manager.apis[key] = API(.get, "/own", server: "own")
        manager.servers["own"] = "own.example"
        try manager.environments.use("staging")
        manager.environments["staging"] = nil
        let error = await #expect(throws: RestClientError.self) { try await manager.request(key).send() }
        #expect(error?.code == .unknownEnvironment)
        #expect(client.requests.isEmpty)
        #expect(await manager.lint().map(\.message).contains { $0.contains("'staging', which is in force") })
        register("staging")
        try await manager.request(key).send()
    }

    @Test
    func `a change of the environment in force holds for the next call`() async throws {
        register("staging")
        try manager.environments.use("staging")
        try await manager.request(key).send()
        manager.environments["staging"]?.servers["store"] = "second.example"
        try await manager.request(key).send()
        #expect(
            client.requests.map(\.url) == [
                "https://staging.example/staging/orders", "https://second.example/staging/orders",
            ]
        )
    }

    // MARK: - By a variable

    @Test(
        arguments: [
            (["STORE": "staging"], nil, "staging"), (["STORE": "staging"], "production", "staging"),
            ([:], "production", "production"), (["STORE": ""], "production", "production"),
            (["store": "staging"], nil, nil),
            ([:], nil, nil),
        ] as [([String: String], String?, String?)]
    )
    func `a variable chooses an environment`(variables: [String: String], fallback: String?, chosen: String?) throws {
        register("staging", "production", "other")
        try manager.environments.use("other")
        try manager.environments.use(
            fromVariable: "STORE",
            in: variables,
            else: fallback.map(EnvironmentAlias.init(rawValue:))
        )
        #expect(manager.environments.current?.rawValue == chosen)
    }

    @Test
    func `an unknown name in a variable is an error that says where it comes from`() {
        register("staging", "production")
        let error = #expect(throws: RestClientError.self) {
            try manager.environments.use(fromVariable: "STORE", in: ["STORE": "live"], else: "production")
        }
        #expect(
            error?.message == "no environment is registered as 'live', which the variable 'STORE' names; "
                + "registered: production, staging"
        )
        #expect(manager.environments.current == nil)
    }

    @Test
    func `a secret in the variable is not shown`() {
        let error = #expect(throws: RestClientError.self) {
            try manager.environments.use(fromVariable: "STORE", in: ["STORE": "sk_live_0123456789"], else: nil)
        }
        #expect(error?.message.contains("sk_live") == false)
        #expect(error?.message.hasSuffix("none is registered") == true)
    }

    @Test
    func `an unknown fallback is an error even if the variable is set`() {
        register("staging")
        #expect(throws: RestClientError.self) {
            try manager.environments.use(fromVariable: "STORE", in: ["STORE": "staging"], else: "prodution")
        }
    }

    @Test
    func `the process's own variables are read`() throws {
        register("staging")
        try manager.environments.use(fromVariable: "REST_CLIENT_TESTS_HAVE_NO_SUCH_VARIABLE", else: "staging")
        #expect(manager.environments.current == "staging")
        #expect(throws: RestClientError.self) { try manager.environments.use(fromVariable: "PATH") }
    }

    // MARK: - While calls run

    @Test
    func `calls see one whole environment each while it is switched`() async throws {
        register("one", "two")
        try manager.environments.use("one")
        let manager = manager
        let key = key
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<300 {
                group.addTask { try? manager.environments.use(number.isMultiple(of: 2) ? "one" : "two") }
                group.addTask { manager.environments["two"] = Self.environment("two") }
                group.addTask { try? await manager.request(key).send() }
            }
        }
        #expect(client.requests.count == 300)
        let whole = [Self.parts(of: "one"), Self.parts(of: "two")]
        #expect(client.requests.map(Self.parts).allSatisfy(whole.contains))
    }

    @Test
    func `a call keeps its environment for all its attempts`() async throws {
        let gate = Gate()
        let answers = Recorder<Void>()
        let client = StubbedClient(
            StubTransport { _ in
                answers.record(())
                guard answers.count == 1 else {
                    return .status(.ok)
                }
                try await gate.wait()
                return .status(.serviceUnavailable)
            }
        )
        client.manager.servers.removeAll()
        client.manager.environments["one"] = Self.environment("one")
        client.manager.environments["two"] = Self.environment("two")
        try client.manager.environments.use("one")
        var policy = RetryPolicy(attempts: 2)
        policy.backoff.first = .zero
        async let sent: Void = client.manager.request(key).retry(policy).send()
        try await client.transport.waitForRequests(count: 1)
        try client.manager.environments.use("two")
        gate.open()
        try await sent
        #expect(client.requests.map { Self.parts($0)[2] } == ["one", "one"])
    }

    @Test
    func `dummies name the aliases of the call's own environment`() async throws {
        register("staging", "production")
        try manager.environments.use("staging")
        manager.dummies.mode = .strict
        manager.dummies.register(key) { _ in .status(.ok) }
        try await manager.request(key).send()
        try await manager.withEnvironment("production") { try await manager.request(key).send() }
        #expect(client.requests.isEmpty)
        #expect(
            manager.dummies.calls.map(\.request.url) == [
                "https://staging.example/staging/orders", "https://production.example/production/orders",
            ]
        )
    }

    // MARK: - Explanations

    @Test
    func `a response shows which options came from an environment`() async throws {
        manager.environments["staging"] = ClientEnvironment(servers: [
            "store": Server("staging.example").accepting([.ok]).cacheTags("s")
        ])
        .queryEncoding(QueryEncoding()).cacheTags("e")
        manager.defaultServer = "store"
        manager.options = CallOptions().cacheTags("m").limits(body: 100)
        try manager.environments.use("staging")
        let options = try await manager.request(Void.self).response().explainOptions()
        #expect(
            options.map(\.description) == [
                "accepted statuses: 200 (server of 'staging')",
                "cache tags: e, m, s (environment 'staging', manager, server of 'staging')",
                "query encoding: QueryEncoding(lists: RestClient.QueryEncoding.ListStyle.repeated, "
                    + "bools: RestClient.QueryEncoding.BoolStyle.words) (environment 'staging')",
                "response limit: 100 bytes (manager)",
            ]
        )
        #expect(options.map(\.isFromEnvironment) == [true, true, true, false])
        manager.servers["store"] = Server("own.example").accepting([.ok])
        let own = try await manager.request(Void.self).response().explainOptions()
        #expect(own.first?.description == "accepted statuses: 200 (server)")
        #expect(own.first?.isFromEnvironment == false)
    }
}
