// SPDX-License-Identifier: MIT

// snippet.hide
import RestClient

struct Credentials: Encodable { let user: String }
struct Token: Decodable { let value: String }
struct Order: Decodable {
    let id: Int
    let total: Double
}
// snippet.show
extension ServerAlias { static let store: ServerAlias = "store" }
extension APIAlias where Model == Token { static var login: Self { "login" } }
extension APIAlias where Model == [Order] { static var orders: Self { "orders" } }

let manager = RestClientManager.shared
manager.servers[.store] = "https://api.example.com/v1"
manager.defaultServer = .store
manager.apis[.login] = API(.post, "/login")
manager.apis[.orders] = API(.get, "/users/{user}/orders", defaults: ["user": "me"])

func fetchOrders() async throws -> [Order] {
    let token = try await manager.request(.login).body(Credentials(user: "kim")).send()
    return try await manager.request(.orders)
        .bearer(token.value)
        .query(["page": 2])
        .cache(.elseNetwork(maxAge: .seconds(3600)))
        .send()
}
// snippet.hide

// What the README shows is compiled here; against a dummy it also runs.
manager.dummies.mode = .strict
manager.dummies.register(.post, "/login") { _ in .json(["value": "secret"]) }
manager.dummies.register(.get, "/users/{user}/orders") { _ in .text(#"[{"id":1,"total":9.5}]"#) }
print(try await fetchOrders())
