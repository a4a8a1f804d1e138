// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

/// The requests that nodes put on the wire, as a server receives them.
@Suite(.timeLimit(.minutes(5)))
struct RequestTests {
    private struct User: Codable, Equatable {
        var name: String
        var age: Int
        var tags: [String]
    }

    @Test(arguments: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE", "PROPFIND"])
    func `every method arrives`(name: String) async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .status(204) }
            let method = try #require(HTTPRequest.Method(rawValue: name))
            let response = try await client.request(method, "/").response()
            #expect(response.status == .noContent)
            #expect(client.server.requests.map(\.method.rawValue) == [name])
            #expect(client.server.requests.map(\.text) == [""])
        }
    }

    @Test
    func `a method of one's own arrives`() async throws {
        // Over HTTP/2, as the parser of the server knows no others in HTTP/1.1.
        try await LoopbackClient.with(.http2(try TestIdentity())) { client in
            client.server.onAny { _ in .status(204) }
            let method = try #require(HTTPRequest.Method(rawValue: "x-Custom"))
            _ = try await client.request(method, "/").send()
            #expect(client.server.requests.map(\.method.rawValue) == ["x-Custom"])
        }
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE"])
    func `a model arrives as JSON, and the response becomes a model`(name: String) async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { request in .json(request.text, status: 201) }
            let method = try #require(HTTPRequest.Method(rawValue: name))
            let user = User(name: "Zoë \"Z\" O'Hara", age: 41, tags: ["a/b", "c"])
            let answer = try await client.request(User.self, method, "/users").body(user).send()
            #expect(answer == user)
            let request = try #require(client.server.requests.first)
            #expect(request.headers.values("Content-Type") == ["application/json"])
            #expect(request.headers.values("Accept") == ["application/json"])
            #expect(try JSONDecoder().decode(User.self, from: Data(request.body)) == user)
        }
    }

    @Test
    func `a dictionary is the body of a POST and the query of a GET`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .status(204) }
            let model: [String: JSONValue] = ["b": true, "a": "x&y", "list": [1, 2]]
            _ = try await client.request(.post, "/").values(model).send()
            _ = try await client.request(.get, "/").values(model).send()
            let requests = client.server.requests
            #expect(try JSONDecoder().decode(JSONValue.self, from: Data(requests[0].body)) == .object(model))
            #expect(requests[0].query == nil)
            #expect(requests[1].query == "a=x%26y&b=true&list=1&list=2")
            #expect(requests[1].body.isEmpty)
            #expect(requests[1].headers["Content-Type"] == nil)
        }
    }

    @Test
    func `a form arrives as a form`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .json(#"{"ok": true}"#) }
            let answer = try await client.request([String: Bool].self, .post, "/form")
                .values(["user": "a b&c=d", "note": "50 % ü", "n": 3])
                .dogma(.form)
                .send()
            #expect(answer == ["ok": true])
            let request = try #require(client.server.requests.first)
            #expect(request.headers.values("Content-Type") == ["application/x-www-form-urlencoded"])
            #expect(request.text == "n=3&note=50%20%25%20%C3%BC&user=a%20b%26c%3Dd")
        }
    }

    @Test(arguments: [0, 1, 255, 100_000])
    func `raw bytes arrive as they are`(count: Int) async throws {
        let bytes = Data((0..<count).map { UInt8(truncatingIfNeeded: $0) })
        try await LoopbackClient.with { client in
            client.server.onAny { request in .bytes(request.body) }
            let answer = try await client.request(.put, "/").body(bytes, contentType: "image/png").send()
            #expect(answer == bytes)
            let request = try #require(client.server.requests.first)
            #expect(request.headers.values("Content-Type") == ["image/png"])
            #expect(request.headers.values("Content-Length") == [String(count)])
        }
    }

    @Test
    func `bytes without a media type bear none`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .status(204) }
            _ = try await client.request(.post, "/").body(Data("x".utf8), contentType: nil).send()
            _ = try await client.request(.post, "/").body(Data("x".utf8)).send()
            let types = client.server.requests.map { $0.headers["Content-Type"] }
            #expect(types == [nil, "application/octet-stream"])
        }
    }

    @Test
    func `a body that was insisted on goes along with a GET`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .status(204) }
            _ = try await client.request(.get, "/search").body(["match": "all"]).send()
            #expect(client.server.requests.map(\.text) == [#"{"match":"all"}"#])
        }
    }

    @Test
    func `values of the path stay one segment, and the query arrives intact`() async throws {
        try await LoopbackClient.with { client in
            client.server.on(.get, "/files/{name}/{part}") { request in .text(request.parameters["name"] ?? "") }
            let names = ["a/b", "c d", "ü%41", "?q#f", "x;y=1", "\u{1F600}"]
            for name in names {
                let answer = try await client.request(String.self, .get, "/files/{name}/{part}")
                    .parameter("name", name).parameter("part", 7)
                    .query(["q": name, "empty": "", "none": nil as Int?])
                    .send()
                #expect(answer == name)
            }
            for (request, name) in zip(client.server.requests, names) {
                #expect(request.queryItems.map(\.name) == ["q", "empty"])
                #expect(request.queryItems.map(\.value) == [name, ""])
            }
        }
    }

    @Test
    func `lists and truth values are written as the call wants`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .status(204) }
            let node = client.request(.get, "/").query(["k": [1, 2], "on": true])
            _ = try await node.send()
            _ = try await node.queryEncoding(QueryEncoding(lists: .brackets, bools: .digits)).send()
            _ = try await node.queryEncoding(QueryEncoding(lists: .commas)).send()
            let queries = client.server.requests.map(\.query)
            #expect(queries == ["k=1&k=2&on=true", "k%5B%5D=1&k%5B%5D=2&on=1", "k=1,2&on=true"])
        }
    }

    @Test
    func `a whole URL is sent as it is`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .status(204) }
            let target = "/a%2fb/%7euser/;v=1?x=%5b1%5d&y=a+b&&z"
            _ = try await client.manager.request().url(client.server.url + target + "#part").send()
            #expect(client.server.requests.map(\.target) == [target])
        }
    }

    @Test(arguments: ["", "/", "/api", "/api/"])
    func `exactly one slash stands between the address and the endpoint`(base: String) async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .status(204) }
            for endpoint in ["items", "/items"] {
                _ = try await client.manager.request().serverAddress(client.server.url + base)
                    .endpoint(PathTemplate(endpoint))
                    .send()
            }
            let path = base.hasPrefix("/api") ? "/api/items" : "/items"
            #expect(client.server.requests.map(\.target) == [path, path])
        }
    }

    @Test
    func `an address without a scheme is plain HTTP on this machine`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .text("hello") }
            let answer = try await client.manager.request(String.self)
                .serverAddress("127.0.0.1:\(client.server.port)")
                .endpoint("/hello")
                .send()
            #expect(answer == "hello")
        }
    }

    @Test
    func `an operation's alias is looked up when it is sent, and can be pointed elsewhere`() async throws {
        try await LoopbackClient.with { client in
            try await LoopbackServer.with { other in
                client.server.on(.get, "/users/{id}") { _ in .json(#"{"from": "first"}"#) }
                other.on(.get, "/users/{id}") { _ in .json(#"{"from": "second"}"#) }
                let key: APIAlias<[String: String]> = "user"
                client.manager.apis[key] = API(.get, "/users/{id}", defaults: ["id": "me"])
                let node = client.manager.request(key)
                let first = try await node.send()
                client.manager.servers[.loopback] = Server(other.url)
                let second = try await node.parameter("id", 7).send()
                #expect([first, second] == [["from": "first"], ["from": "second"]])
                #expect(client.server.requests.map(\.path) == ["/users/me"])
                #expect(other.requests.map(\.path) == ["/users/7"])
            }
        }
    }
}
