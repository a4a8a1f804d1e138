// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

@Suite
struct RegistryLintTests {
    private let manager = StubbedClient().manager

    @Test
    func `sound registries have no issues`() async {
        manager.apis[APIAlias<Void>("orders")] = API(.get, "/users/{user}/orders", defaults: ["user": "me"])
        manager.pathTemplates["/hello/$0"] = ["$0": "guest"]
        #expect(await manager.lint().isEmpty)
    }

    @Test
    func `every fault is listed at once`() async throws {
        manager.defaultServer = "stor"
        manager.defaultDogma = "jsn"
        manager.servers["broken"] = "ftp://example.com"
        manager.apis[APIAlias<Void>("a")] = API(.get, "/a", server: "stroe").dogma("xml")
        manager.apis[APIAlias<Void>("b")] = API(.get, "/b/{open", server: "store")
        manager.apis[APIAlias<Void>("c")] = API(.get, "/c/{id}", server: "store", defaults: ["idd": 1])
        manager.pathTemplates["/hello/$0"] = ["$1": "guest"]

        let issues = await manager.lint()

        #expect(
            issues.map(\.kind) == [
                .unknownAlias, .unknownAlias, .invalidServerAddress, .unknownAlias, .unknownAlias, .invalidPathTemplate,
                .unusedDefault, .unusedDefault,
            ]
        )
        let texts = issues.map(\.description)
        try #require(texts.count == 8)
        #expect(texts[0] == "manager.defaultServer names the unknown server 'stor'; did you mean 'store'?")
        #expect(texts[1].contains("unknown dogma 'jsn'; did you mean 'json'"))
        #expect(texts[2].contains("'broken'"))
        #expect(texts[3].contains("the API 'a' names the unknown server 'stroe'"))
        #expect(texts[4].contains("the API 'a' names the unknown dogma 'xml'"))
        #expect(texts[5].contains("'/b/{open'"))
        #expect(texts[6].contains("default for 'idd'"))
        #expect(texts[6].contains("did you mean 'id'?"))
        #expect(texts[7].contains("default for '$1'"))
    }

    @Test
    func `strategies that a property list does not have are reported where they are set`() async {
        manager.dogmas["plist"] = PropertyListDogma()
        manager.servers["store"] = Server("https://api.example.com").dogma("plist").coding(dates: .iso8601)
        manager.apis[APIAlias<Void>("a")] = API(.get, "/a", server: "store").coding(keys: .snakeCase)
        manager.apis[APIAlias<Void>("b")] = API(.get, "/b", server: "store")

        let issues = await manager.lint()

        #expect(issues.map(\.kind) == [.ineffectiveOption, .ineffectiveOption])
        #expect(issues.first?.message.contains("the server 'store' sets a strategy for keys or dates") == true)
        #expect(issues.first?.message.contains("'plist'") == true)
        #expect(issues.last?.message.contains("the API 'a'") == true)
        manager.defaultDogma = "plist"
        manager.options = manager.options.coding(keys: .snakeCase)
        #expect(await manager.lint().map(\.kind) == [.ineffectiveOption, .ineffectiveOption, .ineffectiveOption])
    }

    @Test
    func `strategies are no fault where a dogma has them, or a narrower level names one that does`() async {
        manager.dogmas["plist"] = PropertyListDogma()
        manager.options = manager.options.coding(keys: .snakeCase)
        manager.servers["store"] = Server("https://api.example.com").dogma("plist").coding(dates: .iso8601)
        manager.apis[APIAlias<Void>("a")] = API(.get, "/a", server: "store").dogma(.json).coding(keys: .snakeCase)

        #expect(await manager.lint().isEmpty)
    }

    @Test
    func `an API without any server is reported`() async {
        manager.defaultServer = nil
        manager.apis[APIAlias<Void>("a")] = API(.get, "/a")
        let messages = await manager.lint().map(\.message)
        #expect(messages == ["the API 'a' names no server and manager.defaultServer is not set"])
    }

    @Test
    func `an issue shows no password of an address`() async {
        manager.servers["broken"] = "https://kim:s3cret@example.com"
        manager.servers["other"] = "example.com/?token=s3cret"
        let issues = await manager.lint()
        #expect(issues.count == 2)
        #expect(!issues.contains { $0.message.contains("s3cret") })
    }
}
