// SPDX-License-Identifier: MIT

import Hummingbird

/// The body of a login request.
struct Login: Decodable {
    let user: String
}

/// The body of the response to a login.
struct Session: ResponseEncodable {
    let token: String
    let user: Int
}

/// A customer of the shop.
struct User: ResponseEncodable {
    let id: Int
    let name: String

    static let all = [
        User(id: 1, name: "Ada"), User(id: 2, name: "Grace"), User(id: 3, name: "Edsger"), User(id: 4, name: "Barbara"),
    ]
}

/// A page of a customer's orders.
struct OrderPage {
    struct Order {
        let id: Int
        let total: Double
    }

    let orders: [Order]
    let next: Int?

    /// Every customer has five orders, two on a page.
    static func of(user: Int, number: Int) -> OrderPage {
        let all = (1...5).map { Order(id: user * 100 + $0, total: Double(user * $0) * 9.5) }
        let page = Array(all.dropFirst((number - 1) * 2).prefix(2))
        return OrderPage(orders: page, next: number * 2 < all.count ? number + 1 : nil)
    }

    var json: String {
        let items = orders.map { #"{"id":\#($0.id),"total":\#($0.total)}"# }.joined(separator: ",")
        return #"{"orders":[\#(items)],"next":\#(next.map(String.init) ?? "null")}"#
    }
}
