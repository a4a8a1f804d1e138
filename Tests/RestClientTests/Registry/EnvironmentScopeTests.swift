// SPDX-License-Identifier: MIT

import HTTPTypes
import TestSupport
import Testing

@testable import RestClient

/// Environments of a task, and what calls of different environments share.
@Suite(.timeLimit(.minutes(5)))
struct EnvironmentScopeTests {
    /// Responds with the host that was asked, and the tenant that asked.
    private let client = StubbedClient(
        StubTransport { request in
            let host = request.url.split(separator: "/").dropFirst().first ?? ""
            let tenant = HTTPField.Name("X-Tenant").flatMap { request.headers[$0] } ?? "-"
            return .text("\(host) \(tenant)", headers: [.cacheControl: "max-age=3600"])
        }
    )
    private var manager: RestClientManager { client.manager }

    init() {
        manager.servers.removeAll()
        manager.environments["production"] = ClientEnvironment(servers: ["store": "production.example"])
        manager.environments["staging"] = ClientEnvironment(servers: ["store": "staging.example"])
    }

    private func text(of manager: RestClientManager? = nil) async throws -> String {
        try await (manager ?? self.manager).request(String.self).endpoint("/a").send()
    }

    private func expect(
        _ expected: String,
        from node: RequestNode<String>,
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        let found = try await node.send()
        #expect(found == expected, sourceLocation: location)
    }

    private func expect(_ expected: String, at location: SourceLocation = #_sourceLocation) async throws {
        let found = try await text()
        #expect(found == expected, sourceLocation: location)
    }

    // MARK: - Scopes

    @Test
    func `a scope's environment holds within it, and nowhere else`() async throws {
        try manager.environments.use("production")
        try await manager.withEnvironment("staging") {
            #expect(manager.environments.current == "staging")
            try await expect("staging.example -")
            try await manager.withEnvironment("production") { try await expect("production.example -") }
            try await expect("staging.example -")
        }
        #expect(manager.environments.current == "production")
        try await expect("production.example -")
    }

    @Test
    func `an unknown environment is an error before the operation begins`() async {
        let error = await #expect(throws: RestClientError.self) {
            try await manager.withEnvironment("stagin") { Issue.record("the operation began") }
        }
        #expect(error?.code == .unknownEnvironment)
        #expect(error?.message.contains("registered: production, staging") == true)
    }

    @Test
    func `child tasks, groups, callbacks and prefetches stay in the scope that begins them`() async throws {
        try manager.environments.use("production")
        let manager = manager
        let texts = Recorder<String>()
        let node = manager.request(String.self).endpoint("/a").onSuccess { texts.record($0.model) }
        try await manager.withEnvironment("staging") {
            async let child = text()
            let task = Task { try await text() }
            let found = [
                try await child, try await task.value, try await Task.detached { try await text() }.value,
            ]
            #expect(found == ["staging.example -", "staging.example -", "production.example -"])
            let report = await manager.concurrently([RequestNode(String.self).endpoint("/a")])
            #expect(report.values == ["staging.example -"])
            await node.resume().finished()
            await node.resume { result in texts.record((try? result.get().model) ?? "failed") }.finished()
            await manager.cache.prefetch(node.cache(.reload)).finished()
            let command = try await manager.request(String.self).endpoint("/a").curlCommand()
            #expect(command.description.contains("https://staging.example/a"))
        }
        #expect(texts.elements == ["staging.example -", "staging.example -"])
        #expect(client.requests.last?.url == "https://staging.example/a")
    }

    @Test
    func `a graph runs in the environment of its scope, even if another one is activated meanwhile`() async throws {
        try manager.environments.use("staging")
        let manager = manager
        var graph = JobGraph("graph")
        let first = graph.request("first") { RequestNode(String.self).endpoint("/a") }
        let switched = graph.local("switch", after: first) { text in
            try manager.environments.use("production")
            return text
        }
        let second = graph.request("second", after: switched) { _ in RequestNode(String.self).endpoint("/a") }
        let run = try await manager.withEnvironment("staging") { [graph] in try await manager.run(graph) }
        #expect(try [run[first], run[second]] == ["staging.example -", "staging.example -"])
    }

    @Test
    func `parallel tasks each have an environment of their own, also one without a name`() async throws {
        let manager = manager
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask {
                    let environment = ClientEnvironment(servers: ["store": Server("host-\(number).example")])
                    try await manager.withEnvironment(environment) {
                        #expect(manager.environments.current == nil)
                        try await expect("host-\(number).example -")
                    }
                }
            }
            try await group.waitForAll()
        }
        let error = await #expect(throws: RestClientError.self) { try await text() }
        #expect(error?.code == .missingTarget || error?.code == .unknownServer)
    }

    @Test
    func `a scope keeps the environment that was registered when it began`() async throws {
        try await manager.withEnvironment("staging") {
            manager.environments["staging"] = ClientEnvironment(servers: ["store": "other.example"])
            try await expect("staging.example -")
            manager.environments["staging"] = nil
            try await expect("staging.example -")
        }
    }

    @Test
    func `a scope sees changes of the manager's own tables, and is for its manager alone`() async throws {
        let other = StubbedClient(StubTransport { _ in .text("other") }).manager
        try await manager.withEnvironment("staging") {
            try await expect("staging.example -")
            manager.servers["store"] = "own.example"
            try await expect("own.example -")
            #expect(try await text(of: other) == "other")
            #expect(other.environments.current == nil)
        }
    }

    @Test
    func `a scope ends with its operation's result or error`() async throws {
        struct Odd: Error, Equatable {}
        let manager = manager
        #expect(try await manager.withEnvironment("staging") { 7 } == 7)
        await #expect(throws: Odd()) { try await manager.withEnvironment("staging") { throw Odd() } }
        await #expect(throws: Odd()) { try await manager.withEnvironment(ClientEnvironment()) { throw Odd() } }
    }

    // MARK: - Stored responses and shared requests

    /// Two environments with one address, and another tenant each.
    private func registerTenants() {
        for name in ["acme", "umbrella"] as [EnvironmentAlias] {
            manager.environments[name] = ClientEnvironment(servers: ["store": "shared.example"])
                .header("X-Tenant", name.rawValue)
        }
    }

    @Test
    func `environments with one address share no stored response`() async throws {
        registerTenants()
        let node = manager.request(String.self).endpoint("/a").cache(.elseNetwork())
        for _ in 0..<2 {
            for name in ["acme", "umbrella"] as [EnvironmentAlias] {
                try manager.environments.use(name)
                #expect(try await node.send() == "shared.example \(name)")
                #expect(try await manager.cache.read(node)?.model == "shared.example \(name)")
                try await manager.withEnvironment(name == "acme" ? "umbrella" : "acme") {
                    _ = try await node.send()
                }
            }
        }
        #expect(client.requests.count == 2)
        try manager.environments.use("acme")
        #expect(try await manager.cache.remove(node))
        try manager.environments.use("umbrella")
        #expect(try await manager.cache.read(node)?.model == "shared.example umbrella")
    }

    @Test
    func `environments share no stored response even if a partition names one user for both`() async throws {
        registerTenants()
        let node = manager.request(String.self).endpoint("/a").cache(.elseNetwork()).cachePartition("kim")
        try await manager.withEnvironment("acme") { try await expect("shared.example acme", from: node) }
        try await manager.withEnvironment("umbrella") { try await expect("shared.example umbrella", from: node) }
        let error = await #expect(throws: RestClientError.self) {
            try await manager.withEnvironment(ClientEnvironment(servers: ["store": "shared.example"])) {
                try await node.cache(.cacheOnly()).send()
            }
        }
        #expect(error?.code == .notCached)
    }

    @Test
    func `what an environment stored is found again in it alone, in another process too`() async throws {
        let directory = try TemporaryDirectory()
        for _ in 0..<2 {
            let client = StubbedClient(StubTransport { _ in .text("fetched") })
            try client.manager.persist(in: directory.url)
            client.manager.environments["a"] = ClientEnvironment().option(.tenant, "a")
            client.manager.environments["b"] = ClientEnvironment().option(.tenant, "b")
            let node = client.manager.request(String.self).endpoint("/a")
            try await client.manager.withEnvironment("a") { _ = try await node.cache(.elseNetwork()).send() }
            let other = try await client.manager.withEnvironment("b") { try await client.manager.cache.read(node) }
            #expect(other?.model == nil)
        }
        let client = StubbedClient(StubTransport { _ in .text("fetched again") })
        try client.manager.persist(in: directory.url)
        client.manager.environments["a"] = ClientEnvironment()
        let text = try await client.manager.withEnvironment("a") {
            try await client.manager.request(String.self).endpoint("/a").cache(.elseNetwork()).send()
        }
        #expect(text == "fetched")
        #expect(client.requests.isEmpty)
    }

    @Test
    func `equal calls of two environments share no request`() async throws {
        let gate = Gate()
        let client = StubbedClient(
            StubTransport { _ in
                try await gate.wait()
                return .text("x")
            }
        )
        let manager = client.manager
        for name in ["a", "b"] as [EnvironmentAlias] {
            manager.environments[name] = ClientEnvironment().option(.tenant, name.rawValue)
        }
        let node = manager.request(String.self).endpoint("/a").sharingFlight()
        async let first = manager.withEnvironment("a") { try await node.send() }
        async let second = manager.withEnvironment("b") { try await node.send() }
        try await client.transport.waitForRequests(count: 2)
        gate.open()
        #expect(try await [first, second] == ["x", "x"])
        #expect(client.requests.count == 2)
    }

    @Test
    func `a URL of another environment's server gets no token`() async throws {
        manager.environments["staging"] = ClientEnvironment(servers: [
            "store": Server("https://staging.example").bearer("staging-token")
        ])
        try await manager.withEnvironment("staging") {
            _ = try await manager.request(String.self).url("https://staging.example/a").send()
            _ = try await manager.request(String.self).url("https://production.example/a").send()
        }
        #expect(client.requests.map { $0.headers[.authorization] } == ["Bearer staging-token", nil])
    }

    @Test
    func `a token that an environment sets is for registered servers only`() async throws {
        let source = TokenSource(AccessToken("t")) { _ in AccessToken("t") }
        manager.environments["staging"] = ClientEnvironment(servers: ["store": "https://staging.example"])
            .bearer(source)
        try await manager.withEnvironment("staging") {
            _ = try await text()
            _ = try await manager.request(String.self).url("https://stranger.example/a").send()
        }
        #expect(client.requests.map { $0.headers[.authorization] } == ["Bearer t", nil])
    }
}

extension CallOptionKey<String> {
    fileprivate static var tenant: Self { Self("tenant") }
}
