// SPDX-License-Identifier: MIT

import RestClient
import RestClientTesting
import Testing

@testable import Script

/// No call leaves the process, and one without a dummy fails its test.
@Suite(
    .dummies {
        Dummy(.post, "/login").responds(.text(#"{"token":"t"}"#))
        Dummy(.get, "/users").responds(.text(#"[{"id":1},{"id":2}]"#))
        Dummy(.get, "/users/1/orders?page=2").responds(.text(#"{"orders":[{"total":4}],"next":null}"#))
        Dummy(.get, "/users/1/orders").responds(.text(#"{"orders":[{"total":1},{"total":2}],"next":2}"#))
        Dummy(.get, "/users/2/orders").responds(.text(#"{"orders":[{"total":8}],"next":null}"#))
    }
)
struct OrderTotalsTests {
    private let totals = OrderTotals(
        address: "https://shop.example.com",
        user: "ada",
        password: "secret",
        manager: RestClientManager()
    )

    @Test
    func `the total covers every page of every user`() async throws {
        let run = try await totals.manager.run(totals.graph)

        #expect(try run[totals.total] == 15)
    }

    @Test(.dummies { Dummy(.post, "/login").responds(.status(.forbidden)) })
    func `a login that is refused fails the run`() async throws {
        let run = try await totals.manager.run(totals.graph)

        #expect(throws: RestClientError.self) { try run.check() }
    }
}
