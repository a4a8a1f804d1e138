// SPDX-License-Identifier: MIT

import HTTPTypes
import Testing

@testable import RestClient

@Suite
struct DummyMatcherTests {
    private let manager = StubbedClient().manager

    /// Registers dummies in order, and gives the template of the one that answers.
    private func answering(
        _ path: String,
        among templates: [PathTemplate]
    ) async throws -> String {
        manager.dummies.mode = .strict
        for template in templates {
            manager.dummies.register(.get, template) { _ in .text(template.source) }
        }
        return try await manager.request(String.self).url("https://api.example.com/v1" + path).send()
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
            ("/a?x=1", ["/v1/a?y=2"], "/v1/a?y=2"),
            ("/a%2Fb", ["/v1/{id}", "/v1/a/b"], "/v1/{id}"),
            ("/a%20b", ["/v1/a b"], "/v1/a b"),
        ] as [(String, [PathTemplate], String)]
    )
    func `the most specific dummy answers, of equal ones the last`(
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
    func `a path of another shape does not fit`(path: String, template: PathTemplate) {
        #expect(DummyPathPattern(template).match(path) == nil)
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
    func `what stands in the placeholders is given decoded`(
        path: String,
        template: PathTemplate,
        parameters: [String: String]
    ) {
        #expect(DummyPathPattern(template).match(path) == parameters)
    }

    // MARK: Method and server

    @Test
    func `a dummy answers its own method only`() async throws {
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
    func `a dummy of a server answers for that server only, whatever names it`() async throws {
        manager.servers["other"] = "other.example/base"
        manager.dummies.mode = .strict
        manager.dummies.register(.get, "/a", server: "other") { _ in .text("other") }
        manager.dummies.register(.get, "/a") { _ in .text("any") }
        let request = manager.request(String.self)
        #expect(try await request.serverKey("other").endpoint("/a").send() == "other")
        #expect(try await request.serverAddress("other.example/base/").endpoint("a").send() == "other")
        #expect(try await request.url("https://other.example/base/a").send() == "other")
        #expect(try await request.endpoint("/a").send() == "any")
    }

    @Test
    func `a dummy of a server wins over one of any server, in whatever order`() async throws {
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

    // MARK: Strict

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
            (HTTPRequest.Method.post, nil, "/users/{id}", "another method"),
            (.get, "other", "/users/{id}", "another server"),
            (.get, nil, "/user/{id}", "another path"),
        ] as [(HTTPRequest.Method, ServerKey?, PathTemplate, String)]
    )
    func `a strict error says what differs`(
        method: HTTPRequest.Method,
        server: ServerKey?,
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
    func `a strict error without any dummy says so`() async {
        manager.dummies.mode = .strict
        let error = await #expect(throws: RestClientError.self) {
            try await manager.request(Void.self).endpoint("/a").send()
        }
        #expect(error?.message.contains("no dummy is registered") == true)
        #expect(error?.response == nil)
    }
}
