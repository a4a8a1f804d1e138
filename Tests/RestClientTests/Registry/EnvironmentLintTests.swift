// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

@Suite
struct EnvironmentLintTests {
    private let manager = StubbedClient().manager
    private let key = APIAlias<Void>("orders")

    init() {
        manager.servers.removeAll()
        manager.defaultServer = "store"
        manager.apis[key] = API(.get, "/orders")
    }

    private func messages() async -> [String] { await manager.lint().map(\.message) }

    @Test
    func `what only environments register is not missed while one of them is in force`() async throws {
        manager.environments["a"] = ClientEnvironment(servers: ["store": "a.example"])
        manager.environments["b"] = ClientEnvironment(servers: ["store": "b.example"])
        try manager.environments.use("a")
        #expect(await manager.lint().isEmpty)
        try manager.environments.use(nil)
        #expect(
            await messages() == [
                "without an environment: manager.defaultServer names the unknown server 'store'; none is registered"
            ]
        )
    }

    @Test
    func `a fault of one environment says of which, and one of all is listed once`() async throws {
        manager.apis[APIAlias<Void>("bad")] = API(.get, "/{open")
        manager.environments["a"] = ClientEnvironment(servers: ["store": "a.example"])
        manager.environments["b"] = ClientEnvironment(servers: ["stor": "b.example"])
        try manager.environments.use("a")
        let found = await messages()
        #expect(found.count == 2)
        #expect(found.first?.hasPrefix("the path template '/{open' of the API 'bad'") == true)
        #expect(
            found.last
                == "the environment 'b': manager.defaultServer names the unknown server 'store'; did you mean 'stor'?"
        )
    }

    @Test
    func `registrations of an environment that the manager's own hide are listed`() async throws {
        manager.servers["store"] = "own.example"
        manager.dogmas["own"] = RawDogma()
        var environment = ClientEnvironment(
            servers: ["store": "a.example", "other": "b.example"],
            defaultServer: "other"
        )
        environment.apis[key] = API(.get, "/orders")
        environment.dogmas = ["own": JSONDogma(), .json: JSONDogma()]
        manager.environments["a"] = environment
        try manager.environments.use("a")
        let issues = await manager.lint()
        #expect(issues.allSatisfy { $0.kind == .hiddenRegistration })
        #expect(
            issues.map(\.message)
                == ["the server 'store'", "the API 'orders'", "the dogma 'own'", "a default server"]
                .map { what in
                    "the environment 'a': \(what) is registered by the manager itself too, which wins; "
                        + "register it in environments only"
                }
        )
    }

    @Test
    func `the environment of a task is looked through too`() async throws {
        try await manager.withEnvironment(ClientEnvironment(servers: ["store": "ftp://a.example"])) {
            #expect(await manager.lint().map(\.kind) == [.invalidServerAddress])
        }
    }
}
