// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

@Suite(.timeLimit(.minutes(5)))
struct CloneTests {
    /// A clone on a transport of its own.
    private func clone(
        of client: StubbedClient,
        _ configure: (inout RestClientManager.Configuration) -> Void = { _ in }
    ) -> (manager: RestClientManager, transport: StubTransport) {
        let transport = StubTransport()
        var configuration = RestClientManager.Configuration()
        configuration.transport = transport
        configure(&configuration)
        return (client.manager.clone(configuration), transport)
    }

    @Test
    func `what one manager registers, its clone finds, and the other way round`() async throws {
        let client = StubbedClient()
        let (clone, transport) = clone(of: client)

        client.manager.servers["store"] = "https://store.example.org"
        let ping: APIAlias<Void> = "ping"
        clone.apis[ping] = API(.put, "/ping")
        try await clone.request(ping).send()
        try await client.manager.request(ping).send()

        let sent = transport.requests + client.requests
        #expect(sent.map(\.url) == ["https://store.example.org/ping", "https://store.example.org/ping"])
        #expect(sent.map(\.method) == [.put, .put])
    }

    @Test
    func `options, default server and environment of a clone are its own`() async throws {
        let client = StubbedClient()
        client.manager.options = client.manager.options.header(.userAgent, "one").header(.acceptLanguage, "de")
        let test = ClientEnvironment(servers: ["store": "https://test.example.com"])
        client.manager.environments["test"] = test
        try client.manager.environments.use("test")
        let (clone, transport) = clone(of: client) { $0 = $0.header(.userAgent, "two") }

        try client.manager.environments.use(nil)
        client.manager.servers["other"] = "https://other.example.com"
        client.manager.defaultServer = "other"
        client.manager.options = client.manager.options.header(.acceptLanguage, "fr")
        try await client.manager.request(Void.self).endpoint("/a").send()
        clone.servers["store"] = nil
        try await clone.request(Void.self).endpoint("/a").send()

        #expect(client.requests.map(\.url) == ["https://other.example.com/a"])
        #expect(client.requests.first?.headers[.userAgent] == "one")
        #expect(transport.requests.map(\.url) == ["https://test.example.com/a"])
        #expect(transport.requests.first?.headers[.userAgent] == "two")
        #expect(transport.requests.first?.headers[.acceptLanguage] == "de")
    }

    @Test
    func `dummies, events and stores of a clone are its own`() async throws {
        let client = StubbedClient()
        let (clone, transport) = clone(of: client)
        client.manager.dummies.mode = .strict
        let log = EventRecorder(client.manager)

        try await clone.request(Void.self).endpoint("/a").send()

        #expect(transport.requests.count == 1)
        #expect(log.events.isEmpty)
    }
}
