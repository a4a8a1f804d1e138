// SPDX-License-Identifier: MIT

// snippet.hide
import RestClient

struct Token: Decodable { let value: String }
struct User: Decodable { let name: String }
struct Item: Decodable { let id: Int }
struct Detail: Decodable { let id: Int }

let manager = RestClientManager()
manager.servers["store"] = "https://api.example.com"
manager.defaultServer = "store"
manager.dummies.mode = .strict
manager.dummies.register(.get, "/login") { _ in .text(#"{"value":"t"}"#) }
manager.dummies.register(.get, "/me") { _ in .text(#"{"name":"Kim"}"#) }
manager.dummies.register(.get, "/items") { _ in .text(#"[{"id":1},{"id":2}]"#) }
manager.dummies.register(.get, "/items/{id}") { request in .text("{\"id\":\(request.parameters["id"] ?? "0")}") }

func orchestrate() async throws {
    // snippet.show
    var graph = JobGraph("nightly")
    let login = graph.request("login") { RequestNode(Token.self).endpoint("/login") }
    let me = graph.request("me", after: login) { token in
        RequestNode(User.self).endpoint("/me").bearer(token.value)
    }
    let items = graph.request("items", after: login, options: [.retry(3), .timeout(.seconds(10))]) { token in
        RequestNode([Item].self).endpoint("/items").bearer(token.value)
    }
    let details = graph.forEach("detail", in: items, limit: 8) { item in
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
