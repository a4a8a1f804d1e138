// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

@Suite
struct RegistryTests {
    @Test
    func `a value is found under its key, and assigning nil removes it`() {
        let registry = Registry<ServerKey, Server>()
        registry["store"] = "example.com"
        #expect(registry["store"]?.address == "example.com")
        registry["store"] = nil
        #expect(registry["store"] == nil)
        #expect(registry.all.isEmpty)
    }

    @Test
    func `merging replaces keys that exist and keeps the others`() {
        let registry = Registry<String, Int>(["a": 1, "b": 2])
        registry.merge(["b": 3, "c": 4])
        #expect(registry.all == ["a": 1, "b": 3, "c": 4])
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
        apis[APIKey<String>("hello")] = API(.get, "/hello")
        #expect(apis[APIKey<Int>("hello")]?.path.source == "/hello")
        #expect(apis.all.keys.sorted() == ["hello"])
        apis[APIKey<Void>("hello")] = nil
        #expect(apis.all.isEmpty)
    }

    @Test
    func `a template's defaults are found with and without its leading slash`() {
        let templates = PathTemplateRegistry()
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
        first.defaultDogmaKey = .raw
        #expect(second.servers["only-here"] == nil)
        #expect(second.defaultDogmaKey == .json)
    }
}
