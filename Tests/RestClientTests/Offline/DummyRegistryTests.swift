// SPDX-License-Identifier: MIT

import HTTPTypes
import TestSupport
import Testing

@testable import RestClient

@Suite
struct DummyRegistryTests {
    private let client = StubbedClient(answering: .text("network"))
    private var manager: RestClientManager { client.manager }

    @Test
    func `dummies are switched off at first`() async throws {
        manager.dummies.register(.get, "/a") { _ in .text("dummy") }
        #expect(!manager.dummies.isEnabled)
        #expect(try await manager.request(String.self).endpoint("/a").send() == "network")
    }

    @Test
    func `when enabled, dummies answer what they match, and the network the rest`() async throws {
        manager.dummies.isEnabled = true
        manager.dummies.register(.get, "/a") { _ in .text("dummy") }
        let matched = try await manager.request(String.self).endpoint("/a").response()
        let unmatched = try await manager.request(String.self).endpoint("/b").response()
        #expect(matched.model == "dummy")
        #expect(matched.source == .dummy)
        #expect(matched.attempts == 1)
        #expect(unmatched.model == "network")
        #expect(unmatched.source == .network)
    }

    @Test
    func `enabling leaves a strict mode strict, disabling ends it`() {
        manager.dummies.mode = .strict
        manager.dummies.isEnabled = true
        #expect(manager.dummies.mode == .strict)
        manager.dummies.isEnabled = false
        #expect(manager.dummies.mode == .off)
        manager.dummies.isEnabled = true
        #expect(manager.dummies.mode == .matched)
    }

    @Test
    func `a dummy counts its calls`() async throws {
        manager.dummies.isEnabled = true
        let dummy = manager.dummies.register(.get, "/a") { _ in .status(.ok) }
        let other = manager.dummies.register(.get, "/b") { _ in .status(.ok) }
        for _ in 0..<3 {
            try await manager.request(Void.self).endpoint("/a").send()
        }
        #expect(dummy.callCount == 3)
        #expect(other.callCount == 0)
    }

    @Test
    func `a dummy that is removed answers no more, and the one it hid answers again`() async throws {
        manager.dummies.isEnabled = true
        manager.dummies.register(.get, "/a") { _ in .text("first") }
        let second = manager.dummies.register(.get, "/a") { _ in .text("second") }
        let node = manager.request(String.self).endpoint("/a")
        #expect(try await node.send() == "second")
        second.remove()
        second.remove()
        #expect(try await node.send() == "first")
        #expect(manager.dummies.all.count == 1)
        manager.dummies.removeAll()
        #expect(try await node.send() == "network")
        #expect(manager.dummies.isEnabled)
    }

    @Test
    func `a dummy stays registered when nobody keeps it`() async throws {
        manager.dummies.isEnabled = true
        _ = manager.dummies.register(.get, "/a") { _ in .text("dummy") }
        #expect(try await manager.request(String.self).endpoint("/a").send() == "dummy")
    }

    @Test
    func `a dummy describes itself`() {
        let dummy = manager.dummies.register(.get, "/users/{user}", server: "store") { _ in .status(.ok) }
        #expect(dummy.description == "GET store /users/{user}")
        #expect(dummy.id.description == "dummy-\(dummy.id.rawValue)")
    }

    @Test
    func `managers do not see one another's dummies`() async throws {
        let other = StubbedClient(answering: .text("network")).manager
        other.dummies.isEnabled = true
        manager.dummies.isEnabled = true
        manager.dummies.register(.get, "/a") { _ in .text("dummy") }
        #expect(try await other.request(String.self).endpoint("/a").send() == "network")
    }
}
