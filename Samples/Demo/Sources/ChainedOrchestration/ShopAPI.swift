// SPDX-License-Identifier: MIT

import RestClient
import SharedStore

// The client's view of the shop's API: its models and its aliases.

struct Session: Codable, Sendable {
    let token: String
    let user: Int
}

struct User: Codable, Sendable {
    let id: Int
    let name: String
}

struct Order: Codable, Sendable {
    let id: Int
    let total: Double
}

struct OrderPage: Codable, Sendable {
    let orders: [Order]
    let next: Int?
}

extension ServerAlias {
    static let shop: ServerAlias = "shop"
}

extension APIAlias where Model == Session {
    static var login: Self { "login" }
}

extension APIAlias where Model == [User] {
    static var users: Self { "users" }
}

extension APIAlias where Model == User {
    static var user: Self { "user" }
}

extension APIAlias where Model == OrderPage {
    static var orders: Self { "orders" }
}

extension APIAlias where Model == String {
    static var slow: Self { "slow" }
    static var failing: Self { "failing" }
}

extension RestClientManager {
    /// Registers the shop under its aliases.
    func registerShop(at address: String) {
        servers[.shop] = Server(address)
        defaultServer = .shop
        apis[.login] = API(.post, "/login")
        apis[.users] = API(.get, "/users")
        apis[.user] = API(.get, "/users/{id}")
        apis[.orders] = API(.get, "/users/{id}/orders").cache(.elseNetwork(maxAge: .seconds(600)))
        apis[.slow] = API(.get, "/slow")
        apis[.failing] = API(.get, "/failing")
    }
}
