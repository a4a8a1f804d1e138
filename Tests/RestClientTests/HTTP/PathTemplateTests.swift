// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

@Suite
struct PathTemplateTests {
    private func path(
        _ template: PathTemplate,
        _ values: [String: JSONValue] = [:],
        defaults: [String: JSONValue] = [:]
    ) throws -> String {
        try template.expandForRequest(values, defaults: defaults).path
    }

    @Test(
        arguments: [
            ("/a/$0/$1", ["$0": "x", "$1": "y"], "/a/x/y"),
            ("/a/$1/$10", ["$1": "one", "$10": "ten"], "/a/one/ten"),
            ("/a/$10$1", ["$1": "one", "$10": "ten"], "/a/tenone"),
            ("/a/$", [:], "/a/$"),
            ("/a/$x", [:], "/a/$x"),
            ("/users/{user}/orders/{id}", ["user": "kim", "id": 7], "/users/kim/orders/7"),
            ("/{a}{b}", ["a": "x", "b": "y"], "/xy"),
            ("/v{major}.{minor}/x", ["major": 1, "minor": 2], "/v1.2/x"),
            ("{a}", ["a": "x"], "x"),
            ("/list/{ids}", ["ids": [1, 2, 3]], "/list/1,2,3"),
            ("/a{?page,size}", ["page": 2], "/a?page=2"),
            ("/a{?page,size}", [:], "/a"),
            ("/flag/{on}", ["on": true], "/flag/true"),
        ] as [(PathTemplate, [String: JSONValue], String)]
    )
    func `placeholders are filled in one pass, the longest token first`(
        template: PathTemplate,
        values: [String: JSONValue],
        path: String
    ) throws {
        #expect(try self.path(template, values) == path)
    }

    @Test(arguments: [
        ("a/b", "a%2Fb"),
        ("a?b", "a%3Fb"),
        ("a#b", "a%23b"),
        ("50%", "50%25"),
        ("%2F", "%252F"),
        ("a+b", "a%2Bb"),
        ("é", "%C3%A9"),
        ("a b", "a%20b"),
        ("{id}", "%7Bid%7D"),
        ("$1", "%241"),
        ("키", "%ED%82%A4"),
        ("..admin/x", "..admin%2Fx"),
        ("a\nb", "a%0Ab"),
        ("...", "..."),
        (".well-known", ".well-known"),
    ])
    func `a value is one segment, regardless of its contents`(value: String, segment: String) throws {
        #expect(try path("/x/{id}/y", ["id": .string(value)]) == "/x/\(segment)/y")
        #expect(try path("/x/$0/y", ["$0": .string(value)]) == "/x/\(segment)/y")
    }

    @Test
    func `a value that looks like a token is not filled in again`() throws {
        #expect(try path("/$0/$1", ["$0": "$1", "$1": "x"]) == "/%241/x")
        #expect(try path("/{a}/{b}", ["a": "{b}", "b": "x"]) == "/%7Bb%7D/x")
    }

    // MARK: - Defaults

    @Test(
        arguments: [
            ("/api/hello/{name}", ["name": "guest"], "/api/hello/guest"),
            ("/api/hello/$0", ["$0": "guest"], "/api/hello/guest"),
            ("/api/{name}/hello", ["name": "guest"], "/api/guest/hello"),
            ("/api/hello/{name}", ["name": ""], "/api/hello"),
            ("/api/hello/$0", ["$0": ""], "/api/hello"),
            ("/api/{name}/hello", ["name": ""], "/api/hello"),
            ("/{name}/hello", ["name": ""], "/hello"),
            ("/{name}", ["name": ""], ""),
            ("/a/{x}/{y}", ["x": "", "y": ""], "/a"),
            ("/a/{x}/", ["x": ""], "/a/"),
            ("/a/{x}?q=1", ["x": ""], "/a?q=1"),
            ("/a/{x}{?q}", ["x": ""], "/a"),
            ("/a/{x}.json", ["x": ""], "/a/.json"),
            ("/files/{+path}", ["path": ""], "/files"),
            ("/files/{+path}", ["path": "a/b"], "/files/a/b"),
            ("/a/{id}", ["id": 0], "/a/0"),
        ] as [(PathTemplate, [String: JSONValue], String)]
    )
    func `a missing value takes its default; an empty default removes the segment with its slash`(
        template: PathTemplate,
        defaults: [String: JSONValue],
        path: String
    ) throws {
        #expect(try self.path(template, defaults: defaults) == path)
    }

    @Test
    func `a value wins over its default, and null stands for the default`() throws {
        #expect(try path("/a/{id}", ["id": "own"], defaults: ["id": "default"]) == "/a/own")
        #expect(try path("/a/{id}", ["id": .null], defaults: ["id": "default"]) == "/a/default")
    }

    @Test
    func `only values of the request itself count as used`() throws {
        let (_, used) = try PathTemplate("/{a}/{b}{?c}").expandForRequest(["a": 1, "c": 3, "d": 4], defaults: ["b": 2])
        #expect(used == ["a", "c"])
    }

    // MARK: - Refusals

    @Test(arguments: ["/a/{id}", "/a/$0", "/a/{id}/b", "/{+id}", "/a/{x,id}"] as [PathTemplate])
    func `a missing value without a default is an error that names it`(template: PathTemplate) throws {
        let error = #expect(throws: RestClientError.self) { try path(template, ["x": 1]) }
        #expect(error?.code == .missingPathParameter)
        let name = try #require(template.variableNames.last)
        #expect(error?.message.contains("'\(name)'") == true)
    }

    @Test(
        arguments: [
            ("/a/{id}", ["id": ""]),
            ("/a/$0/b", ["$0": ""]),
            ("/a/{x}{y}", ["x": "", "y": ""]),
            ("/a/{+id}", ["id": ""]),
        ] as [(PathTemplate, [String: JSONValue])]
    )
    func `an empty value is refused where it would drop a segment`(
        template: PathTemplate,
        values: [String: JSONValue]
    ) {
        let error = #expect(throws: RestClientError.self) { try path(template, values) }
        #expect(error?.code == .missingPathParameter)
        #expect(error?.message.contains("empty") == true)
    }

    @Test(
        arguments: [
            ("/a/{id}", ["id": ".."]),
            ("/a/{id}", ["id": "."]),
            ("/a/{id}", ["id": "../admin"]),
            ("/a/{id}/b", ["id": ".."]),
            ("/a/$0/b", ["$0": ".."]),
            ("/a/{x}{y}/b", ["x": ".", "y": "."]),
            ("/a/.{x}/b", ["x": "."]),
            ("/a/{x}.", ["x": "."]),
            ("/a/{+path}", ["path": "b/../../c"]),
            ("/a/{+path}", ["path": "%2e%2E/c"]),
            ("/a/{+path}", ["path": "..?x"]),
            ("/a{/path*}", ["path": ["b", "..", "c"]]),
            ("/a/{.ext}", ["ext": "."]),
        ] as [(PathTemplate, [String: JSONValue])]
    )
    func `a value that makes a dot segment is refused`(template: PathTemplate, values: [String: JSONValue]) {
        let error = #expect(throws: RestClientError.self) { try path(template, values) }
        #expect(error?.code == .invalidPathParameter)
        #expect(error?.message.contains("dot segment") == true)
    }

    @Test(arguments: [
        ("/a/{id", "never closed"),
        ("/a/id}", "never opened"),
        ("/a/{}", "names no variable"),
        ("/a/{i d}", "not a variable name"),
        ("/a/{id:0}", "prefix length"),
        ("/a/{id:10000}", "prefix length"),
        ("/a/{=id}", "reserves"),
        ("/a|b", "percent-encoded"),
        ("/a\nb", "control character"),
    ])
    func `a template that cannot be read is reported with its reason`(source: String, reason: String) {
        let error = #expect(throws: RestClientError.self) { try path(PathTemplate(source)) }
        #expect(error?.code == .invalidPathTemplate)
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }

    @Test
    func `a prefix of a list is an error, not a trap`() {
        let error = #expect(throws: RestClientError.self) { try path("/a/{id:3}", ["id": [1, 2]]) }
        #expect(error?.code == .invalidPathTemplate)
    }

    @Test
    func `text around placeholders keeps its reserved characters and is encoded otherwise`() throws {
        #expect(try path("/a b/é/{id}", ["id": 1]) == "/a%20b/%C3%A9/1")
        #expect(try path("/a:b@c;d=e/{id}", ["id": 1]) == "/a:b@c;d=e/1")
    }

    @Test
    func `an empty default never makes a filled-in slash disappear from under its check`() throws {
        #expect(try path("/{+a}{b}", ["a": "x/"], defaults: ["b": ""]) == "/x")
    }

    @Test
    func `the names of the placeholders come in order, each once`() {
        #expect(PathTemplate("/{b}/{a}{?b,c}/$0").variableNames == ["b", "a", "c", "$0"])
        #expect(PathTemplate("/{b").variableNames.isEmpty)
    }
}
