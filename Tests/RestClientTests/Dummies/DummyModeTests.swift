// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

/// The levels of modes, and their precedence.
@Suite
struct DummyModeTests {
    private static let api = APIAlias<String>("user")

    private let client = StubbedClient(answering: .text("network"))
    private var manager: RestClientManager { client.manager }

    init() {
        client.manager.servers["other"] = "other.example"
        client.manager.apis[Self.api] = API(.get, "/user", server: "other")
        client.manager.dummies.register(nil, "/{+rest}") { _ in .text("dummy") }
    }

    private func answer(_ describe: (RequestNode<String>) -> RequestNode<String>) async throws -> String {
        try await manager.run(describe(RequestNode(String.self)))
    }

    @Test
    func `a server's mode takes precedence over the general one`() async throws {
        manager.dummies.mode = .strict
        manager.servers["other"] = Server("other.example").dummies(.off)
        #expect(try await answer { $0.endpoint("/a") } == "dummy")
        #expect(try await answer { $0.server("other").endpoint("/a") } == "network")
        manager.dummies.mode = .off
        manager.servers["other"] = Server("other.example").dummies(.matched)
        #expect(try await answer { $0.endpoint("/a") } == "network")
        #expect(try await answer { $0.server("other").endpoint("/a") } == "dummy")
        manager.servers["other"] = "other.example"
        #expect(try await answer { $0.server("other").endpoint("/a") } == "network")
    }

    @Test
    func `an API's mode takes precedence over its server's`() async throws {
        manager.dummies.mode = .strict
        manager.servers["other"] = Server("other.example").dummies(.strict)
        manager.apis[Self.api] = API(.get, "/user", server: "other").dummies(.off)
        #expect(try await manager.request(Self.api).send() == "network")
        #expect(try await answer { $0.server("other").endpoint("/user") } == "dummy")
        manager.dummies.mode = .off
        manager.servers["other"] = Server("other.example").dummies(.off)
        manager.apis[Self.api] = API(.get, "/user", server: "other").dummies(.strict)
        #expect(try await manager.request(Self.api).send() == "dummy")
        manager.apis[Self.api] = API(.get, "/user", server: "other")
        #expect(try await manager.request(Self.api).send() == "network")
    }

    @Test
    func `a call's own mode takes precedence over all`() async throws {
        manager.apis[Self.api] = API(.get, "/user", server: "other").dummies(.off)
        #expect(try await manager.request(Self.api).dummies(.matched).send() == "dummy")
        #expect(try await answer { $0.endpoint("/a").dummies(.strict) } == "dummy")
        manager.dummies.mode = .strict
        manager.apis[Self.api] = API(.get, "/user", server: "other").dummies(.strict)
        #expect(try await manager.request(Self.api).dummies(.off).send() == "network")
    }

    @Test(arguments: [DummyMode.matched, .strict])
    func `an unmatched request goes to the network, or fails in strict mode`(mode: DummyMode) async throws {
        manager.dummies.removeAll()
        let node = manager.request(String.self).endpoint("/a").dummies(mode)
        if mode == .matched {
            #expect(try await node.send() == "network")
        } else {
            let error = await #expect(throws: RestClientError.self) { try await node.send() }
            #expect(error?.code == .dummyNotFound)
        }
    }

    @Test
    func `a change applies to calls that begin afterwards`() async throws {
        manager.dummies.mode = .strict
        manager.dummies.register(.get, "/switch") { [manager] _ in
            manager.dummies.mode = .off
            return .status(.found, headers: [.location: "/v1/after"])
        }
        #expect(try await answer { $0.endpoint("/switch") } == "dummy")
        #expect(try await answer { $0.endpoint("/switch") } == "network")
    }

    @Test
    func `a call that no dummy may respond to has no lookup, and passes the fewest stages`() throws {
        func stages(_ node: RequestNode<Void>) throws -> Int {
            let beginning = CallContext.Beginning(id: .next(), start: .zero)
            let call = try manager.runner.prepare(node.specification, beginning)
            #expect((call.policy.dummies == nil) == (call.policy.dummies?.mode == nil))
            return manager.runner.pipeline.stages(for: call).stages.count
        }
        let node = RequestNode(Void.self).endpoint("/a")
        let few = try stages(node)
        #expect(try stages(node.dummies(.strict)) > few)
        manager.dummies.mode = .strict
        #expect(try stages(node) > few)
        #expect(try stages(node.dummies(.off)) == few)
        manager.dummies.mode = .off
        manager.servers["other"] = Server("other.example").dummies(.strict)
        #expect(try stages(node) == few)
    }
}
