// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

@Suite
struct RegistryTests {
    @Test
    func `a value is found under its key, and assigning nil removes it`() {
        let registry = Registry<ServerAlias, Server>()
        registry["store"] = "example.com"
        #expect(registry["store"]?.address == "example.com")
        registry["store"] = nil
        #expect(registry["store"] == nil)
        #expect(registry.all.isEmpty)
    }

    @Test
    func `removing all leaves nothing`() {
        let registry = Registry<String, Int>(["a": 1, "b": 2])
        registry["b"] = 3
        #expect(registry.all == ["a": 1, "b": 3])
        registry.removeAll()
        #expect(registry.all.isEmpty)
    }

    @Test
    func `many tasks may change a registry at once`() async {
        let registry = Registry<Int, Int>()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask { registry[number] = number }
            }
        }
        #expect(registry.all.count == 100)
    }

    @Test
    func `API aliases of different models share one table`() {
        let apis = APIRegistry()
        apis[APIAlias<String>("hello")] = API(.get, "/hello")
        #expect(apis[APIAlias<Int>("hello")]?.path.source == "/hello")
        #expect(apis.all.keys.sorted() == ["hello"])
        apis[APIAlias<Void>("hello")] = nil
        #expect(apis.all.isEmpty)
    }

    @Test
    func `a template's defaults are found with and without its leading slash`() {
        let templates = StubbedClient().manager.pathTemplates
        templates["api/hello/$0"] = ["$0": "guest"]
        #expect(templates["/api/hello/$0"] == ["$0": "guest"])
        templates["/api/hello/$0"] = nil
        #expect(templates.all.isEmpty)
    }

    @Test
    func `managers do not share their registries`() {
        let first = StubbedClient().manager
        let second = StubbedClient().manager
        first.servers["only-here"] = "example.com"
        first.defaultDogma = .raw
        #expect(second.servers["only-here"] == nil)
        #expect(second.defaultDogma == .json)
    }

    @Test
    func `every change of a registry is seen by the next request`() async throws {
        let client = StubbedClient(answering: .text("1"))
        let manager = client.manager
        let node = manager.request(APIAlias<Int>("a"))
        let agent = "swift-rest-client/1"
        func sent() async throws -> String {
            // The raw dogma decodes no number.
            _ = try? await node.send()
            let request = try #require(client.requests.last)
            return
                "\(request.method) \(request.url) \(request.headers[.accept] ?? "-") \(request.headers[.userAgent] ?? "-")"
        }

        manager.apis[APIAlias<Int>("a")] = API(.get, "/{x}/a", defaults: ["x": "api"])
        #expect(try await sent() == "GET https://api.example.com/v1/api/a application/json \(agent)")
        manager.apis[APIAlias<Int>("a")] = API(.put, "/{x}/a")
        manager.pathTemplates["/{x}/a"] = ["x": "template"]
        #expect(try await sent() == "PUT https://api.example.com/v1/template/a application/json \(agent)")
        manager.pathTemplates["/{x}/a"] = ["x": "other"]
        manager.defaultDogma = .raw
        #expect(try await sent() == "PUT https://api.example.com/v1/other/a - \(agent)")
        manager.dogmas[.raw] = JSONDogma()
        let plain = manager.options
        manager.options = plain.header(.userAgent, "one")
        #expect(try await sent() == "PUT https://api.example.com/v1/other/a application/json one")
        manager.updateOptions { $0.header(.userAgent, "two") }
        manager.servers["store"] = "one.example"
        #expect(try await sent() == "PUT https://one.example/other/a application/json two")
        manager.options = plain
        manager.servers["second"] = "two.example"
        manager.defaultServer = "second"
        #expect(try await sent() == "PUT https://two.example/other/a application/json \(agent)")

        manager.pathTemplates.removeAll()
        let missing = await #expect(throws: RestClientError.self) { try await node.send() }
        #expect(missing?.code == .missingPathParameter)
        manager.servers.removeAll()
        let unknown = await #expect(throws: RestClientError.self) { try await node.send() }
        #expect(unknown?.code == .unknownServer)
        manager.apis.removeAll()
        let gone = await #expect(throws: RestClientError.self) { try await node.send() }
        #expect(gone?.code == .unknownAPI)
    }

    @Test
    func `requests and changes at once see whole values only`() async {
        let client = StubbedClient()
        let manager = client.manager
        manager.servers["other"] = "other.example"
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask { manager.defaultServer = number.isMultiple(of: 2) ? "store" : "other" }
                group.addTask { _ = try? await manager.request(Void.self).endpoint("/a").send() }
            }
        }
        #expect(client.requests.count == 200)
        let urls: Set = ["https://api.example.com/v1/a", "https://other.example/a"]
        #expect(urls.isSuperset(of: client.requests.map(\.url)))
    }
}
