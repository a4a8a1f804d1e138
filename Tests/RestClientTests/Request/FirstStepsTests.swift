// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import Testing

@testable import RestClient

@Suite
struct FirstStepsTests {
    private enum Sort: String, JSONValueConvertible { case name, date }

    private let text = "a b"
    private let page = 2
    private let missing: String? = nil

    @Test
    func `a dictionary takes literals and variables of several types`() async throws {
        let since = Date(timeIntervalSince1970: 0)
        let request = try await sent { node in
            node.endpoint("/a")
                .values(
                    ["page": 1, "q": text, "none": missing, "since": since, "sort": Sort.date, "n": page]
                )
        }
        #expect(
            request.url
                == "https://api.example.com/v1/a?n=2&page=1&q=a%20b&since=1970-01-01T00%3A00%3A00Z&sort=date"
        )
        let nested = try await sent { $0.endpoint("/a").values(["l": [1, 2], "o": ["a": 1, "b": "x"] as JSONValue]) }
        #expect(nested.query == "l=1&l=2&o%5Ba%5D=1&o%5Bb%5D=x")
    }

    @Test
    func `a body takes literals and variables of several types`() async throws {
        let request = try await sent { $0.post().endpoint("/a").body(["q": text, "page": 1, "none": missing]) }
        #expect(request.bodyText == #"{"none":null,"page":1,"q":"a b"}"#)
        let nested = try await sent { node in
            node.post().endpoint("/a").values(["page": page, "o": ["q": text.jsonValue, "n": 2] as JSONValue])
        }
        #expect(nested.bodyText == #"{"o":{"n":2,"q":"a b"},"page":2}"#)
    }

    @Test
    func `a method takes the path`() async throws {
        let id = "a/b"
        let made: [(HTTPRequest.Method, @Sendable (RequestNode<Void>) -> RequestNode<Void>)] = [
            (.get, { $0.get("/a/\(id)") }), (.head, { $0.head("/a/\(id)") }), (.post, { $0.post("/a/\(id)") }),
            (.put, { $0.put("/a/\(id)") }), (.patch, { $0.patch("/a/\(id)") }), (.delete, { $0.delete("/a/\(id)") }),
        ]
        for (method, make) in made {
            let request = try await sent(make)
            #expect(request.method == method)
            #expect(request.url == "https://api.example.com/v1/a/a%2Fb")
        }
        #expect(try await sent { $0.endpoint("/b").post() }.url == "https://api.example.com/v1/b")
    }

    @Test
    func `a dummy takes literals and variables of several types`() {
        let literal = DummyResponse.json([["id": 7, "name": "Kim"], ["id": 8, "name": nil]])
        #expect(literal.body == Data(#"[{"id":7,"name":"Kim"},{"id":8,"name":null}]"#.utf8))
        #expect(literal.headers[.contentType] == "application/json")
        let mixed = DummyResponse.json(["q": text, "page": page, "none": missing], status: .created)
        #expect(mixed.body == Data(#"{"none":null,"page":2,"q":"a b"}"#.utf8))
        #expect(mixed.status == .created)
        let text = DummyResponse.json("{}")
        #expect(text.body == Data(#""{}""#.utf8))
    }

    @Test
    func `the URL of a model is a target`() async throws {
        let url = try #require(URL(string: "https://files.example.com/a%20b?v=1"))
        let request = try await sent { $0.url(url) }
        #expect(request.url == "https://files.example.com/a%20b?v=1")
    }

    @Test
    func `query items take literals and variables of several types in their order`() async throws {
        let identifier = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        let request = try await sent { node in
            node.endpoint("/a").query(["q": text, "page": 1, "id": identifier, "none": missing])
        }
        #expect(request.query == "q=a%20b&page=1&id=E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
        let literal = try await sent { $0.endpoint("/a").query(["b": 1, "a": "x", "c": [1, 2]]) }
        #expect(literal.query == "b=1&a=x&c=1&c=2")
    }

    @Test
    func `a value in a path given as a literal is one segment`() async throws {
        let request = try await sent { $0.endpoint("/orders/\(page)/items/\("a/b ?{x}$0")/{id}").parameter("id", text) }
        #expect(request.url == "https://api.example.com/v1/orders/2/items/a%2Fb%20%3F%7Bx%7D%240/a%20b")
    }

    @Test(arguments: ["", ".", ".."])
    func `a value that would change the shape of a path is refused`(value: String) async {
        let error = await failure { $0.endpoint("/orders/\(value)") }
        #expect(error?.code == .invalidPathTemplate)
    }
}
