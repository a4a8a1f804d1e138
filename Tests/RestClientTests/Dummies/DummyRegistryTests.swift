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
        #expect(manager.dummies.mode == .off)
        #expect(try await manager.request(String.self).endpoint("/a").send() == "network")
    }

    @Test
    func `when enabled, dummies respond to matching requests, and the network to the rest`() async throws {
        manager.dummies.mode = .matched
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
    func `a dummy counts its calls`() async throws {
        manager.dummies.mode = .matched
        let dummy = manager.dummies.register(.get, "/a") { _ in .status(.ok) }
        let other = manager.dummies.register(.get, "/b") { _ in .status(.ok) }
        for _ in 0..<3 {
            try await manager.request(Void.self).endpoint("/a").send()
        }
        #expect(dummy.callCount == 3)
        #expect(other.callCount == 0)
    }

    @Test
    func `a removed dummy does not respond, and the one that it hid responds again`() async throws {
        manager.dummies.mode = .matched
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
        #expect(manager.dummies.mode == .matched)
    }

    @Test
    func `a dummy stays registered if its value is discarded`() async throws {
        manager.dummies.mode = .matched
        _ = manager.dummies.register(.get, "/a") { _ in .text("dummy") }
        #expect(try await manager.request(String.self).endpoint("/a").send() == "dummy")
    }

    @Test
    func `a dummy describes itself`() {
        let dummy = manager.dummies.register(.get, "/users/{user}", server: "store") { _ in .status(.ok) }
        #expect(dummy.description == "GET store /users/{user}")
        #expect(Dummy(nil, "/a").description == "any method /a")
        #expect(Dummy(APIAlias<Void>("orders")).description == "API orders")
        guard case .endpoint(let endpoint) = dummy.dummy.target else {
            Issue.record("the dummy is not of an endpoint")
            return
        }
        #expect(endpoint.method == .get)
        #expect(endpoint.template == "/users/{user}")
        #expect(endpoint.server == "store")
        #expect(dummy.dummy.delay == .fixed(.zero))
        #expect(dummy.id.description == "dummy-\(dummy.id.rawValue)")
    }

    // MARK: - Sequences and limits

    @Test
    func `responses come in order, and the last one is repeated`() async throws {
        manager.dummies.mode = .strict
        let dummy = manager.dummies.register(
            Dummy(.get, "/a").responds(.text("first")).then { request in .text("second \(request.method)") }
                .then(.text("last"))
        )
        let node = manager.request(String.self).endpoint("/a")
        var texts: [String] = []
        for _ in 0..<4 {
            texts.append(try await node.send())
        }
        #expect(texts == ["first", "second GET", "last", "last"])
        #expect(dummy.callCount == 4)
    }

    @Test
    func `a dummy without a response says that all is well`() async throws {
        manager.dummies.mode = .strict
        manager.dummies.register(Dummy(.get, "/a"))
        #expect(try await manager.request(Void.self).endpoint("/a").response().status == .ok)
    }

    @Test
    func `a dummy that is used up leaves the request to the next one, or to the network`() async throws {
        manager.dummies.mode = .matched
        manager.dummies.register(Dummy(.get, "/a").times(1).responds(.text("below")))
        manager.dummies.register(Dummy(.get, "/a").times(2).responds(.text("above")))
        let node = manager.request(String.self).endpoint("/a")
        var texts: [String] = []
        for _ in 0..<4 {
            texts.append(try await node.send())
        }
        #expect(texts == ["above", "above", "below", "network"])
    }

    @Test
    func `a limited dummy responds to as many concurrent calls as allowed, and no more`() async {
        manager.dummies.mode = .matched
        let dummy = manager.dummies.register(Dummy(.get, "/a").times(10).responds(.text("dummy")))
        let report = await manager.concurrently(Array(repeating: RequestNode(String.self).endpoint("/a"), count: 50))
        #expect(report.values.count { $0 == "dummy" } == 10)
        #expect(report.values.count { $0 == "network" } == 40)
        #expect(dummy.callCount == 10)
    }

    @Test
    func `a scenario leads from state to state`() async throws {
        manager.dummies.mode = .strict
        manager.dummies.register {
            Dummy(.get, "/cart").scenario("cart", in: Dummy.startState).responds(.text("empty"))
            Dummy(.get, "/cart").scenario("cart", in: "full").responds(.text("full"))
            Dummy(.post, "/cart").scenario("cart", becomes: "full").responds(.status(.created))
        }
        let cart = manager.request(String.self).endpoint("/cart")
        #expect(try await cart.send() == "empty")
        try await manager.request(Void.self).post().endpoint("/cart").send()
        #expect(try await cart.send() == "full")
        #expect(manager.dummies.state(ofScenario: "cart") == "full")
        manager.dummies.setState("start", ofScenario: "cart")
        #expect(try await cart.send() == "empty")
    }

    @Test
    func `a reset keeps the dummies`() async throws {
        manager.dummies.mode = .strict
        let dummy = manager.dummies.register(
            Dummy(.get, "/a").times(2).scenario("s", becomes: "seen").responds(.text("first")).then(.text("second"))
        )
        let node = manager.request(String.self).endpoint("/a")
        #expect(try await node.send() == "first")
        #expect(try await node.send() == "second")
        manager.dummies.reset()
        #expect(dummy.callCount == 0)
        #expect(manager.dummies.calls.isEmpty)
        #expect(manager.dummies.state(ofScenario: "s") == Dummy.startState)
        #expect(try await node.send() == "first")
        #expect(manager.dummies.mode == .strict)
    }

    @Test
    func `one description may be registered many times`() async throws {
        let other = StubbedClient().manager
        let description = Dummy(.get, "/a").times(1).responds(.text("dummy"))
        for manager in [manager, other] {
            manager.dummies.mode = .strict
            manager.dummies.register(description)
            #expect(try await manager.request(String.self).endpoint("/a").send() == "dummy")
        }
    }

    @Test
    func `descriptions are built with conditions and loops`() {
        let isAdmin = true
        let shared = [Dummy(.get, "/shared/1"), Dummy(.get, "/shared/2")]
        let responders = manager.dummies.register {
            shared
            for id in 1...2 {
                Dummy(.get, "/users/{id}").matching(.parameter("id", id))
            }
            if isAdmin {
                Dummy(.get, "/admin")
            } else {
                Dummy(.get, "/login")
            }
            if !isAdmin {
                Dummy(.get, "/never")
            }
        }
        #expect(
            responders.map(\.description) == [
                "GET /shared/1", "GET /shared/2", "GET /users/{id}", "GET /users/{id}", "GET /admin",
            ]
        )
    }

    @Test
    func `managers do not see one another's dummies`() async throws {
        let other = StubbedClient(answering: .text("network")).manager
        other.dummies.mode = .matched
        manager.dummies.mode = .matched
        manager.dummies.register(.get, "/a") { _ in .text("dummy") }
        #expect(try await other.request(String.self).endpoint("/a").send() == "network")
    }
}
