// SPDX-License-Identifier: MIT

// snippet.hide
import RestClient

struct Token: Decodable { let value: String }
struct User: Decodable { let name: String }
struct Item: Decodable {
    let id: Int
    let name: String
}
struct Detail: Decodable { let id: Int }

let manager = RestClientManager()
manager.defaultServer = "store"
manager.dummies.mode = .strict
manager.dummies.register(.post, "/login") { _ in .text(#"{"value":"t"}"#) }
manager.dummies.register(.get, "/me") { _ in .text(#"{"name":"Kim"}"#) }
manager.dummies.register(.get, "/items") { _ in .text(#"[{"id":1,"name":"lamp"},{"id":2,"name":"desk"}]"#) }
manager.dummies.register(.get, "/items/{id}") { request in .text("{\"id\":\(request.parameters["id"] ?? "0")}") }

func signIn() async throws -> AccessToken {
    AccessToken(try await manager.request(Token.self).post().endpoint("/login").authentication(.anonymous).send().value)
}

func orchestrate() async throws {
    // snippet.show
    // Tokens come from a source, not from a node: it signs in for the first call, and after a rejection.
    let session = TokenSource { _ in try await signIn() }
    manager.servers["store"] = Server("https://api.example.com").authentication(.bearer(session))

    var graph = JobGraph("nightly")
    let me = graph.request("me") { RequestNode(User.self).endpoint("/me") }
    let items = graph.request("items", options: [.retry(3), .timeout(.seconds(10))]) {
        RequestNode([Item].self).endpoint("/items")
    }
    let details = graph.forEach("detail", in: items, limit: 8, label: \.name) { item in
        RequestNode(Detail.self).endpoint("/items/{id}").parameter("id", item.id)
    }
    let summary = graph.local("summary", after: me, details) { me, details in
        "\(me.name) has \(details.count) items"
    }

    let run = try await manager.run(graph, options: [.timeout(.seconds(60))])
    print(try run[summary])
    // snippet.hide
}

try await orchestrate()
