// SPDX-License-Identifier: MIT

import HTTPTypes
import Testing

@testable import RestClient

@Suite
struct DummySelectionTests {
    private let client = StubbedClient()
    private var manager: RestClientManager { client.manager }

    /// Registers dummies in order, and returns the template of the one that responds.
    private func answering(
        _ path: String,
        among templates: [PathTemplate]
    ) async throws -> String {
        manager.dummies.mode = .strict
        for template in templates {
            manager.dummies.register(.get, template) { _ in .text(template.source) }
        }
        return try await manager.request(String.self).url("https://elsewhere.example.com/v1" + path).send()
    }

    @Test(
        arguments: [
            ("/users/me", ["/v1/users/{id}", "/v1/users/me"], "/v1/users/me"),
            ("/users/me", ["/v1/users/me", "/v1/users/{id}"], "/v1/users/me"),
            ("/users/7", ["/v1/users/{id}", "/v1/users/me"], "/v1/users/{id}"),
            ("/users/7/orders", ["/v1/{+rest}", "/v1/users/{id}/orders"], "/v1/users/{id}/orders"),
            ("/users/7/orders", ["/v1/{a}/{b}/{c}", "/v1/users/{+rest}"], "/v1/users/{+rest}"),
            ("/a.json", ["/v1/{name}", "/v1/{name}.json"], "/v1/{name}.json"),
            ("/a", ["/v1/{first}", "/v1/{second}"], "/v1/{second}"),
            ("/a/b", ["/v1/{x}/b", "/v1/a/{y}"], "/v1/a/{y}"),
            ("/a", ["/v1{/segments*}", "/v1/{x}"], "/v1/{x}"),
            ("/a/b/c", ["/v1{/segments*}", "/v1/{x}"], "/v1{/segments*}"),
            ("/hello/kim", ["/v1/hello/$0"], "/v1/hello/$0"),
            ("/a/", ["/v1/a"], "/v1/a"),
            ("/a?x=1", ["/v1/a{?x}"], "/v1/a{?x}"),
            ("/a?x=1&y=2", ["/v1/a?y=2", "/v1/a"], "/v1/a?y=2"),
            ("/a?y=3", ["/v1/a?y=2", "/v1/a"], "/v1/a"),
            ("/a?y=a%20b", ["/v1/a", "/v1/a?y=a%20b"], "/v1/a?y=a%20b"),
            ("/a?y=1", ["/v1/a", "/v1/a?y"], "/v1/a?y"),
            ("/a%2Fb", ["/v1/{id}", "/v1/a/b"], "/v1/{id}"),
            ("/a%20b", ["/v1/a b"], "/v1/a b"),
        ] as [(String, [PathTemplate], String)]
    )
    func `the most specific dummy responds, of equal ones the last`(
        path: String,
        templates: [PathTemplate],
        answering: String
    ) async throws {
        #expect(try await self.answering(path, among: templates) == answering)
    }

    @Test(
        arguments: [
            ("/a", "/a/{id}"), ("/a/b/c", "/a/{id}"), ("/b/1", "/a/{id}"), ("/A", "/a"), ("/x.json", "/{name}.xml"),
            ("/.json", "/{name}.json"), ("/", "/{id}"), ("/a", "/a{+rest}/b"), ("/rest", "/rest/{+more}"),
        ] as [(String, PathTemplate)]
    )
    func `a path of another shape does not match`(path: String, template: PathTemplate) {
        #expect(PathPattern(template).match(path) == nil)
    }

    @Test(
        arguments: [
            ("/users/7/orders/a%2Fb", "/users/{user}/orders/{id}", ["user": "7", "id": "a/b"]),
            ("/hello/kim", "/hello/$0", ["$0": "kim"]),
            ("/a/b/c", "/a/{+rest}", ["rest": "b/c"]),
            ("/v2.json", "/v{major}.json", ["major": "2"]),
            ("/", "/", [:]),
            ("", "", [:]),
        ] as [(String, PathTemplate, [String: String])]
    )
    func `the values of placeholders are decoded`(
        path: String,
        template: PathTemplate,
        parameters: [String: String]
    ) {
        #expect(PathPattern(template).match(path) == parameters)
    }

    // MARK: - Method and server

    @Test
    func `a dummy responds to its own method only`() async throws {
        manager.dummies.mode = .strict
        manager.dummies.register(.post, "/a") { _ in .status(.created) }
        let response = try await manager.request(Void.self).post().endpoint("/a").response()
        #expect(response.status == .created)
        let error = await #expect(throws: RestClientError.self) {
            try await manager.request(Void.self).endpoint("/a").send()
        }
        #expect(error?.code == .dummyNotFound)
    }

    @Test
    func `a dummy of a server responds for that server only, however it is addressed`() async throws {
        manager.servers["other"] = "other.example/base"
        manager.dummies.mode = .strict
        manager.dummies.register(.get, "/a", server: "other") { _ in .text("other") }
        manager.dummies.register(.get, "/a") { _ in .text("any") }
        let request = manager.request(String.self)
        #expect(try await request.server("other").endpoint("/a").send() == "other")
        #expect(try await request.serverAddress("other.example/base/").endpoint("a").send() == "other")
        #expect(try await request.url("https://other.example/base/a").send() == "other")
        #expect(try await request.endpoint("/a").send() == "any")
    }

    @Test
    func `a dummy of a server takes precedence over one of any server, in any order`() async throws {
        manager.dummies.mode = .strict
        manager.dummies.register(.get, "/a", server: "store") { _ in .text("store") }
        manager.dummies.register(.get, "/a") { _ in .text("any") }
        #expect(try await manager.request(String.self).endpoint("/a").send() == "store")
    }

    @Test
    func `a server whose address only begins alike is another one`() async throws {
        manager.servers["short"] = "https://api.example.com/v"
        manager.dummies.mode = .strict
        manager.dummies.register(.get, "/a", server: "short") { _ in .text("short") }
        let error = await #expect(throws: RestClientError.self) {
            try await manager.request(String.self).endpoint("/a").send()
        }
        #expect(error?.code == .dummyNotFound)
    }

    // MARK: - Strict

    @Test
    func `a strict error names the request and the nearest dummies`() async {
        manager.dummies.mode = .strict
        manager.dummies.register(.get, "/users/{id}") { _ in .status(.ok) }
        manager.dummies.register(.get, "/completely/other/things/{id}") { _ in .status(.ok) }
        let error = await #expect(throws: RestClientError.self) {
            try await manager.request(Void.self).endpoint("/user/7").query(["token": "s3cret"]).send()
        }
        #expect(error?.code == .dummyNotFound)
        #expect(error?.message.contains("GET https://api.example.com/v1/user/7") == true)
        #expect(error?.message.contains("'GET /users/{id}'") == true)
        #expect(error?.message.contains("completely") == false)
        #expect(error?.description.contains("s3cret") == false)
    }

    @Test(
        arguments: [
            (HTTPRequest.Method.post, nil, "/users/{id}", "method: GET instead of POST"),
            (.get, "other", "/users/{id}", "server: not 'other'"),
            (.get, nil, "/user/{id}", "path: '/users/7' instead of '/user/{id}'"),
        ] as [(HTTPRequest.Method, ServerAlias?, PathTemplate, String)]
    )
    func `a strict error says what differs`(
        method: HTTPRequest.Method,
        server: ServerAlias?,
        template: PathTemplate,
        difference: String
    ) async {
        manager.servers["other"] = "other.example"
        manager.dummies.mode = .strict
        let dummy = manager.dummies.register(method, template, server: server) { _ in .status(.ok) }
        let error = await #expect(throws: RestClientError.self) {
            try await manager.request(Void.self).endpoint("/users/7").send()
        }
        #expect(error?.message.contains("'\(dummy)' (\(difference))") == true, "\(error?.message ?? "")")
    }

    @Test
    func `a strict error names the condition that was not met, and all that differ`() async {
        manager.dummies.mode = .strict
        manager.dummies.register(Dummy(.get, "/users").matching(.query("page", 1)))
        manager.dummies.register(Dummy(.post, "/users").matching(.header(.accept, "a"), .json(["id": 1])))
        let error = await client.failure { $0.endpoint("/users").query("page", 2).header(.accept, "b") }
        #expect(
            error?.message
                == "dummies are strict and none matches GET https://api.example.com/v1/users?page=2; nearest: "
                + "'GET /users' (query page: '2' instead of '1'), 'POST /users' (method: GET instead of POST; "
                + "header Accept: 'b' instead of 'a'; body: none, instead of JSON)"
        )
    }

    @Test
    func `a strict error says that a dummy is used up, or waits for another state`() async throws {
        manager.dummies.mode = .strict
        manager.dummies.register(Dummy(.get, "/a").times(1))
        manager.dummies.register(Dummy(.get, "/b").scenario("cart", in: "full"))
        try await manager.request(Void.self).endpoint("/a").send()
        #expect(await client.failure { $0.endpoint("/a") }?.message.contains("(used up after its one call)") == true)
        let other = await client.failure { $0.endpoint("/b") }
        #expect(other?.message.contains("(scenario 'cart': in 'start' instead of 'full')") == true)
    }

    @Test
    func `at most three near ones are listed, the nearest first`() async {
        manager.dummies.mode = .strict
        for page in 1...5 {
            manager.dummies.register(Dummy(.post, "/users").matching(.query("page", page)))
        }
        manager.dummies.register(Dummy(.get, "/users").matching(.query("page", 6)))
        let message = await client.failure { $0.endpoint("/users") }?.message ?? ""
        #expect(message.contains("nearest: 'GET /users' (query page: missing instead of '6'), 'POST /users'"))
        #expect(message.ranges(of: "'POST").count == 2)
    }

    // MARK: - Priority

    @Test
    func `the highest priority takes precedence over specificity`() async throws {
        manager.dummies.mode = .strict
        manager.dummies.register(Dummy(.get, "/users/me").responds(.text("specific")))
        let any = manager.dummies.register(Dummy(nil, "/{+rest}").priority(1).responds(.text("first")))
        manager.dummies.register(Dummy(.get, "/{+rest}").priority(-1).responds(.text("last")))
        let node = manager.request(String.self).endpoint("/users/me")
        #expect(try await node.send() == "first")
        any.remove()
        #expect(try await node.send() == "specific")
        #expect(try await manager.request(String.self).endpoint("/other").send() == "last")
    }

    @Test
    func `of the same path, method, server and conditions make a dummy more specific, in this order`() async throws {
        manager.dummies.mode = .strict
        let node = manager.request(String.self).endpoint("/a").query("page", 2)
        manager.dummies.register(Dummy(.get, "/a", server: "store").responds(.text("server")))
        manager.dummies.register(Dummy(.get, "/a").matching(.query("page", 2)).responds(.text("condition")))
        manager.dummies.register(Dummy(nil, "/a").responds(.text("any")))
        #expect(try await node.send() == "server")
        manager.dummies.all[0].remove()
        #expect(try await node.send() == "condition")
        manager.dummies.all[0].remove()
        #expect(try await node.send() == "any")
    }

    @Test
    func `a dummy whose condition is not met leaves the request to the next one`() async throws {
        manager.dummies.mode = .strict
        manager.dummies.register(Dummy(.get, "/a").responds(.text("all")))
        manager.dummies.register(Dummy(.get, "/a").matching(.query("page", 1)).responds(.text("one")))
        manager.dummies.register(Dummy(.get, "/a").matching("never") { _ in false }.responds(.text("none")))
        let node = manager.request(String.self).endpoint("/a")
        #expect(try await node.query("page", 1).send() == "one")
        #expect(try await node.query("page", 2).send() == "all")
    }

    // MARK: - API operations

    @Test
    func `a dummy of an API responds to the calls that name it, and no others`() async throws {
        manager.dummies.mode = .strict
        manager.apis[APIAlias<String>("user")] = API(.get, "/users/{id}")
        manager.apis[APIAlias<String>("twin")] = API(.get, "/users/{id}")
        manager.dummies.register(APIAlias<String>("user")) { request in
            .text("\(request.parameters["id"] ?? "") for \(request.api ?? "")")
        }
        manager.dummies.register(.get, "/users/{id}") { _ in .text("path") }
        #expect(try await manager.request(APIAlias<String>("user")).parameter("id", 7).send() == "7 for user")
        #expect(try await manager.request(APIAlias<String>("twin")).parameter("id", 7).send() == "path")
        #expect(try await manager.request(String.self).endpoint("/users/7").send() == "path")
    }

    @Test
    func `a dummy of an API responds with the API's model, and follows it to another path`() async throws {
        manager.dummies.mode = .strict
        let key = APIAlias<[String: Int]>("user")
        manager.apis[key] = API(.get, "/users/{id}")
        manager.dummies.register(Dummy(key, responding: ["id": 7]))
        #expect(try await manager.request(key).parameter("id", 7).send() == ["id": 7])
        manager.apis[key] = API(.post, "/v2/user")
        #expect(try await manager.request(key).send() == ["id": 7])
    }

    @Test
    func `a dummy of an API does not respond to the target of a redirect`() async throws {
        manager.dummies.mode = .strict
        let key = APIAlias<String>("a")
        manager.apis[key] = API(.get, "/a")
        manager.dummies.register(key) { _ in .status(.found, headers: [.location: "/v1/b"]) }
        manager.dummies.register(.get, "/b") { _ in .text("there") }
        #expect(try await manager.request(key).send() == "there")
    }

    @Test
    func `a strict error names the API that differs, or is not registered`() async {
        manager.dummies.mode = .strict
        manager.apis[APIAlias<Void>("user")] = API(.get, "/users/{id}")
        manager.dummies.register(APIAlias<Void>("user")) { _ in .status(.ok) }
        let other = await client.failure { $0.endpoint("/users/7") }
        #expect(other?.message.contains("'API user' (API: none instead of 'user')") == true)
        manager.apis[APIAlias<Void>("user")] = nil
        let none = await client.failure { $0.endpoint("/users/7") }
        #expect(none?.message.contains("registered: 'API user'") == true)
    }

    @Test
    func `a strict error without any dummy says so`() async {
        manager.dummies.mode = .strict
        let error = await #expect(throws: RestClientError.self) {
            try await manager.request(Void.self).endpoint("/a").send()
        }
        #expect(error?.message.contains("no dummy is registered") == true)
        #expect(error?.response == nil)
    }
}
