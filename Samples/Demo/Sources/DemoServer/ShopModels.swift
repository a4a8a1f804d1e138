// SPDX-License-Identifier: MIT

/// The body of a login request.
struct Login: Decodable {
    let user: String
}

/// The body of the response to a login.
struct Session: Encodable {
    let token: String
    let user: Int
}

/// A customer of the shop.
struct User: Encodable {
    let id: Int
    let name: String

    static let all = [
        User(id: 1, name: "Ada"), User(id: 2, name: "Grace"), User(id: 3, name: "Edsger"), User(id: 4, name: "Barbara"),
    ]
}

/// A page of a customer's orders.
struct OrderPage: Encodable {
    struct Order: Encodable {
        let id: Int
        let total: Double
    }

    let orders: [Order]
    let next: Int?

    /// Every customer has five orders, two on a page; other pages than these three are empty.
    static func of(_ user: User, number: Int) -> OrderPage {
        let all = (1...5).map { Order(id: user.id * 100 + $0, total: Double(user.id * $0) * 9.5) }
        guard (1...3).contains(number) else {
            return OrderPage(orders: [], next: nil)
        }
        return OrderPage(orders: Array(all.dropFirst((number - 1) * 2).prefix(2)), next: number < 3 ? number + 1 : nil)
    }
}

/// The body of a response that is an error (RFC 9457).
struct Problem: Encodable {
    let status: Int
    let title: String
}
