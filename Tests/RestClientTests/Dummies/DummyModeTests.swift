// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

/// Where it is said which requests dummies answer, and who has the last word.
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
        try await manager.send(describe(RequestNode(String.self)))
    }

    @Test
    func `a server's mode wins over the general one`() async throws {
        manager.dummies.mode = .strict
        manager.dummies.setMode(.off, forServer: "other")
        #expect(try await answer { $0.endpoint("/a") } == "dummy")
        #expect(try await answer { $0.server("other").endpoint("/a") } == "network")
        manager.dummies.mode = .off
        manager.dummies.setMode(.matched, forServer: "other")
        #expect(try await answer { $0.endpoint("/a") } == "network")
        #expect(try await answer { $0.server("other").endpoint("/a") } == "dummy")
        manager.dummies.setMode(nil, forServer: "other")
        #expect(try await answer { $0.server("other").endpoint("/a") } == "network")
    }

    @Test
    func `an API's mode wins over its server's`() async throws {
        manager.dummies.mode = .strict
        manager.dummies.setMode(.strict, forServer: "other")
        manager.dummies.setMode(.off, forAPI: Self.api)
        #expect(try await manager.request(Self.api).send() == "network")
        #expect(try await answer { $0.server("other").endpoint("/user") } == "dummy")
        manager.dummies.mode = .off
        manager.dummies.setMode(.off, forServer: "other")
        manager.dummies.setMode(.strict, forAPI: Self.api)
        #expect(try await manager.request(Self.api).send() == "dummy")
        manager.dummies.setMode(nil, forAPI: Self.api)
        #expect(try await manager.request(Self.api).send() == "network")
    }

    @Test
    func `a call's own mode wins over all`() async throws {
        manager.dummies.setMode(.off, forAPI: Self.api)
        #expect(try await manager.request(Self.api).dummies(.matched).send() == "dummy")
        #expect(try await answer { $0.endpoint("/a").dummies(.strict) } == "dummy")
        manager.dummies.mode = .strict
        manager.dummies.setMode(.strict, forAPI: Self.api)
        #expect(try await manager.request(Self.api).dummies(.off).send() == "network")
    }

    @Test(arguments: [DummyMode.matched, .strict])
    func `what no dummy matches goes to the network, or fails when strict`(mode: DummyMode) async throws {
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
    func `a change concerns the calls that begin afterwards`() async throws {
        manager.dummies.mode = .strict
        manager.dummies.register(.get, "/switch") { [manager] _ in
            manager.dummies.mode = .off
            return .status(.found, headers: [.location: "/v1/after"])
        }
        #expect(try await answer { $0.endpoint("/switch") } == "dummy")
        #expect(try await answer { $0.endpoint("/switch") } == "network")
    }

    @Test
    func `a call that no dummy may answer has no plan, and passes the fewest stages`() throws {
        func stages(_ node: RequestNode<Void>) throws -> Int {
            let call = try manager.runner.resolve(node.specification, id: .next(), groupID: nil, start: .zero).request
                .call
            #expect((call.policy.dummies == nil) == (call.policy.dummies?.mode == nil))
            return manager.runner.pipeline.stages(for: call.method, call.policy).stages.count
        }
        let node = RequestNode(Void.self).endpoint("/a")
        let few = try stages(node)
        #expect(try stages(node.dummies(.strict)) > few)
        manager.dummies.mode = .strict
        #expect(try stages(node) > few)
        #expect(try stages(node.dummies(.off)) == few)
        manager.dummies.mode = .off
        manager.dummies.setMode(.strict, forServer: "other")
        #expect(try stages(node) == few)
    }
}
