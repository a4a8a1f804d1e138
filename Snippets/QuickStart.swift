// SPDX-License-Identifier: MIT

// snippet.show
import RestClient

struct User: Decodable {
    let id: Int
    let name: String
}

extension ServerAlias { static let shop: ServerAlias = "shop" }
extension APIAlias where Model == [User] { static var users: Self { "users" } }
extension APIAlias where Model == User { static var user: Self { "user" } }

let manager = RestClientManager.shared
let address = CommandLine.arguments.dropFirst().first ?? "https://jsonplaceholder.typicode.com"
manager.servers[.shop] = Server(address).bearer("token-of-ada").timeout(.seconds(10)).retry(3)  // three attempts
manager.defaultServer = .shop
manager.apis[.users] = API(.get, "/users").cache(.elseNetwork(maxAge: .seconds(3600)))
manager.apis[.user] = API(.get, "/users/{id}", defaults: ["id": 1])

let users = try await manager.request(.users).send()
let (one, two) = try await manager.concurrently(manager.request(.user), manager.request(.user).parameter("id", 2))
print(users.count, one.name, two.name)
// snippet.hide
