// SPDX-License-Identifier: MIT

public import RestClient

/// The business code: it requests a customer and the orders, and is independent of servers and dummies.
public struct OrderBook: Sendable {
    private struct Session: Codable, Sendable {
        let token: String
        let user: Int
    }

    private struct Page: Codable, Sendable {
        let orders: [Order]
        let next: Int?
    }

    private struct Order: Codable, Sendable {
        let id: Int
        let total: Double
    }

    private let manager: RestClientManager

    /// Uses a manager that knows the shop's server as its default one.
    public init(manager: RestClientManager) {
        self.manager = manager
    }

    /// Logs in and sums up all orders, page by page.
    ///
    /// - Parameter user: The user who logs in.
    /// - Returns: The total of all orders.
    /// - Throws: The errors of the calls.
    public func total(of user: String) async throws -> Double {
        let session = try await manager.request(Session.self).post().endpoint("/login")
            .values(["user": user])
            .send()
        var total = 0.0
        var next: Int? = 1
        while let number = next {
            let page = try await manager.request(Page.self).endpoint("/users/{id}/orders")
                .parameter("id", session.user)
                .query("page", number)
                .bearer(session.token)
                .send()
            total += page.orders.reduce(0) { $0 + $1.total }
            next = page.next
        }
        return total
    }
}
