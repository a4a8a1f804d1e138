// SPDX-License-Identifier: MIT

import OrderBook
import RestClient
import Testing

@Suite struct OrderBookTests {
    private let manager = RestClientManager()

    init() {
        manager.servers["shop"] = "https://shop.example.com"
        manager.defaultServerKey = "shop"
        ShopDummies.register(in: manager)
    }

    @Test func `the total covers every page`() async throws {
        let total = try await OrderBook(manager: manager).total(of: "ada")

        #expect(total == 57)
        #expect(manager.dummies.all.map(\.callCount) == [1, 2])
    }

    @Test func `a shop that is down is an error with its status`() async throws {
        manager.dummies.register(.post, "/login") { _ in .status(.serviceUnavailable) }

        let error = await #expect(throws: RestClientError.self) {
            try await OrderBook(manager: manager).total(of: "ada")
        }

        #expect(error?.category == .serverUnavailable)
    }
}
