// SPDX-License-Identifier: MIT

import OrderBook
import RestClient
import RestClientTesting
import Testing

/// Every test has the shop's dummies for itself, and all tests run concurrently.
@Suite(.dummies { ShopDummies.all })
struct OrderBookTests {
    private let manager = RestClientManager()
    private let book: OrderBook

    init() {
        manager.servers["shop"] = "https://shop.example.com"
        manager.defaultServer = "shop"
        book = OrderBook(manager: manager)
    }

    @Test
    func `the total covers every page`() async throws {
        let total = try await book.total(of: "ada")

        #expect(total == 57)
        try manager.dummies.verify(Dummy(.post, "/login").matching(.json(["user": "ada"])), times: 1)
        try manager.dummies.verify(Dummy(.get, "/users/{id}/orders").matching(.parameter("id", 1)), times: 2)
    }

    @Test(.dummies { Dummy(.post, "/login").responds(.status(.serviceUnavailable)) })
    func `a shop that is down is an error with its status`() async throws {
        let error = await #expect(throws: RestClientError.self) { try await book.total(of: "ada") }

        #expect(error?.failureClass == .serverUnavailable)
    }

    @Test
    func `a page that is cut off is an error, and no smaller total`() async throws {
        manager.dummies.register(
            Dummy(.get, "/users/{id}/orders").matching(.query("page", 2)).priority(1)
                .responds(.text(#"{"orders":[],"next":null}"#).truncated())
        )

        let error = await #expect(throws: RestClientError.self) { try await book.total(of: "ada") }

        #expect(error?.code == .connectionClosed)
    }

    @Test
    func `the book asks for one page after the other`() async throws {
        let events = EventRecorder(manager)
        _ = try await book.total(of: "ada")

        let call = [
            "callStarted", "attemptStarted 1", "dummyMatched", "attemptFinished 1 200", "modelLoaded",
            "callSucceeded 200 dummy",
        ]
        events.expectCalls([call, call, call])
    }

    @Test
    func `over a real socket the total is the same`() async throws {
        let dummies = DummyRegistry()
        dummies.register { ShopDummies.all }
        let total = try await LoopbackServer.with(.http1) { server in
            server.respond(with: dummies)
            manager.servers["shop"] = Server(server.url)
            manager.dummies.mode = .off
            return try await book.total(of: "ada")
        }

        #expect(total == 57)
        try dummies.verify(Dummy(nil, "/{+rest}"), times: 3)
    }
}
