// SPDX-License-Identifier: MIT

// snippet.hide
import RestClient
import RestClientTesting
import Testing

struct Order: Codable, Equatable { let id: Int }
extension APIAlias where Model == [Order] { static var orders: Self { "orders" } }

/// The code under test, which is independent of tests.
struct OrderBook {
    var manager = RestClientManager.shared

    func ids() async throws -> [Int] {
        try await manager.request(.orders).send().map(\.id)
    }
}
// snippet.show
@Suite(.dummies { Dummy(.orders, responding: [Order(id: 7)]) })
struct OrderTests {
    @Test func `orders are read once`() async throws {
        #expect(try await OrderBook().ids() == [7])
        try RestClientManager.shared.dummies.verify(Dummy(.orders), times: 1)
    }

    @Test(.dummies { Dummy(.orders).responds(.status(.unauthorized)) })
    func `an expired session is an error`() async {
        await #expect(throws: RestClientError.self) { try await OrderBook().ids() }
    }
}
// snippet.hide
struct RecordedTests {
    // snippet.show
    @Test(.fixture("Fixtures/orders.har", reporting: [.unusedExchanges]) { $0.rules.bodyFields = .only(["id"]) })
    func `recorded orders are replayed`() async throws {
        #expect(try await OrderBook().ids() == [7, 8])
    }
    // snippet.hide
}

struct TimeAndOrderTests {
    // snippet.show
    @Test func `a slow response is waited for`() async throws {
        let clock = ManualClock()
        var configuration = RestClientManager.Configuration()
        configuration.clock = clock
        let manager = RestClientManager(configuration: configuration)
        manager.dummies.mode = .strict
        manager.dummies.register(.get, "/slow", delay: .seconds(20)) { _ in .text("at last") }
        let events = EventRecorder(manager)

        async let text = manager.request(String.self).url("https://api.example.com/slow").send()
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(20))

        #expect(try await text == "at last")
        events.expect([
            "callStarted", "attemptStarted 1", "dummyMatched", "attemptFinished 1 200", "modelLoaded",
            "callSucceeded 200 dummy",
        ])
    }
    // snippet.hide
}
