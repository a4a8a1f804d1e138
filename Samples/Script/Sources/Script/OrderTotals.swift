// SPDX-License-Identifier: MIT

import RestClient

struct Session: Decodable { let token: String }
struct User: Codable { let id: Int }
struct Order: Codable { let total: Double }
struct OrderPage: Decodable {
    let orders: [Order]
    let next: Int?
}

/// Sums up the orders of all users of a shop.
struct OrderTotals {
    let manager: RestClientManager
    let graph: JobGraph
    let total: JobHandle<Double>

    /// Registers the shop, and makes the graph of what is to be done.
    ///
    /// - Parameters:
    ///   - address: The address of the shop's API.
    ///   - user: The user who signs in.
    ///   - password: The user's password.
    ///   - manager: The manager of the calls.
    init(address: String, user: String, password: String, manager: RestClientManager) {
        // Signs in before the first call, and again when the server rejects the token.
        let session = TokenSource { [weak manager] _ in
            guard let manager else {
                throw CancellationError()
            }
            let login = manager.request(Session.self).post().endpoint("/login")
                .values(["user": user, "password": password])
            return AccessToken(try await login.send().token)
        }
        manager.servers["shop"] = Server(address).bearer(session).timeout(.seconds(30)).retry(3)
        manager.defaultServer = "shop"

        // All pages of the orders of all users, at most four users at once.
        var graph = JobGraph("order totals")
        let users = graph.request("users") { RequestNode([User].self).endpoint("/users") }
        let orders = graph.forEach("orders", in: users, limit: 4) { user in
            RequestNode(OrderPage.self).endpoint("/users/{id}/orders").parameter("id", user.id)
                .pages(.cursor("page", next: \.next), items: \.orders)
        }
        total = graph.local("total", after: orders) { orders in orders.joined().map(\.total).reduce(0, +) }
        self.graph = graph
        self.manager = manager
    }
}
