// SPDX-License-Identifier: MIT

import HTTPTypes
import TestSupport
import Testing

@testable import RestClient
@testable import RestClientTesting

@Suite
struct DummyVerifyTests {
    private let client = StubbedClient()
    private var manager: RestClientManager { client.manager }

    init() {
        client.manager.dummies.mode = .strict
    }

    private func order(_ item: Int) async throws {
        try await manager.request(Void.self).post().endpoint("/orders").requestModel(["item": .int(Int64(item))]).send()
    }

    @Test
    func `calls are found by method, path, server and conditions, whichever dummy responded`() async throws {
        manager.servers["other"] = "other.example"
        manager.dummies.register(.post, "/orders") { _ in .status(.created) }
        manager.dummies.register(.get, "/{+rest}") { _ in .status(.ok) }
        try await order(7)
        try await order(8)
        try await manager.request(Void.self).server("other").endpoint("/users/kim").query("page", 2).send()
        try manager.dummies.verify(.post, "/orders", times: 2)
        try manager.dummies.verify(.post, "/orders", matching: [.json(["item": 7])], times: .once)
        try manager.dummies.verify(
            .get,
            "/users/{id}",
            server: "other",
            matching: [.parameter("id", "kim"), .query("page")]
        )
        try manager.dummies.verify(.get, "/users/{id}", server: "store", times: .never)
        try manager.dummies.verify(nil, "/{+rest}", times: 3)
        let calls = manager.dummies.calls(.get, "/users/{user}")
        #expect(calls.map(\.request.parameters) == [["user": "kim"]])
        #expect(calls.map(\.number) == [3])
        #expect(manager.dummies.calls.map(\.request.method) == [.post, .post, .get])
    }

    @Test
    func `calls of an API are found by its alias`() async throws {
        let key = APIAlias<Void>("user")
        manager.apis[key] = API(.get, "/users/{id}")
        manager.dummies.register(.get, "/users/{id}") { _ in .status(.ok) }
        try await manager.request(key).parameter("id", 7).send()
        try await manager.request(Void.self).endpoint("/users/8").send()
        try manager.dummies.verify(key, matching: [.parameter("id", 7)], times: 1)
        #expect(manager.dummies.calls(key).map(\.request.parameters) == [["id": "7"]])
    }

    @Test(
        arguments: [
            (.exactly(0), 0, 1), (.once, 1, 0), (.once, 1, 2), (.atLeast(2), 2, 1), (.atMost(2), 2, 3), (.some, 1, 0),
            (.within(2...3), 3, 4), (.within(2...3), 2, 1), (3, 3, 2), (.exactly(-1), -1, 0),
        ] as [(CallCount, Int, Int)]
    )
    func `a count allows the numbers that it describes`(count: CallCount, allowed: Int, refused: Int) {
        #expect(count.allows(allowed))
        #expect(!count.allows(refused))
    }

    @Test
    func `a count reads like a sentence`() {
        let counts: [CallCount] = [0, 1, 2, 5, .some, .atLeast(2), .atMost(2), .within(2...4)]
        #expect(
            counts.map(\.description) == [
                "never", "once", "twice", "5 times", "at least once", "at least twice", "at most twice", "2 to 4 times",
            ]
        )
    }

    @Test
    func `too many calls are listed`() async throws {
        manager.dummies.register(.post, "/orders") { _ in .status(.created) }
        try await order(7)
        try await order(8)
        let error = #expect(throws: RestClientError.self) { try manager.dummies.verify(.post, "/orders", times: 1) }
        #expect(error?.code == .dummyVerificationFailed)
        #expect(
            error?.message
                == "'POST /orders' was called twice instead of once: "
                + "#1 POST https://api.example.com/v1/orders ('POST /orders'), "
                + "#2 POST https://api.example.com/v1/orders ('POST /orders')"
        )
    }

    @Test
    func `the error of a missing call lists the nearest calls and their differences`() async throws {
        manager.dummies.register(.post, "/orders") { _ in .status(.created) }
        try await order(7)
        let error = #expect(throws: RestClientError.self) {
            try manager.dummies.verify(.post, "/orders", matching: [.json(["item": 8])])
        }
        #expect(
            error?.message
                == "'POST /orders' with a JSON body that is {\"item\":8} was called never instead of at least once; "
                + "nearest calls: #1 POST https://api.example.com/v1/orders ('POST /orders'): body: /item is 7 instead of 8"
        )
    }

    @Test
    func `the error says if there were no calls`() {
        let error = #expect(throws: RestClientError.self) { try manager.dummies.verify(.get, "/a") }
        #expect(error?.message == "'GET /a' was called never instead of at least once; there were no calls")
    }

    @Test
    func `unmatched calls are listed`() async throws {
        manager.dummies.register(.get, "/a") { _ in .status(.ok) }
        try await manager.request(Void.self).endpoint("/a").send()
        try manager.dummies.verifyNoUnmatchedCalls()
        _ = await client.failure { $0.endpoint("/b").query("token", "s3cret") }
        let error = #expect(throws: RestClientError.self) { try manager.dummies.verifyNoUnmatchedCalls() }
        #expect(
            error?.message == "no dummy matched #2 GET https://api.example.com/v1/b?token=<redacted> (no dummy)"
        )
    }

    @Test
    func `unused dummies are listed`() async throws {
        manager.dummies.register(.get, "/a") { _ in .status(.ok) }
        manager.dummies.register(.get, "/b") { _ in .status(.ok) }
        try await manager.request(Void.self).endpoint("/a").send()
        let error = #expect(throws: RestClientError.self) { try manager.dummies.verifyAllCalled() }
        #expect(error?.message == "never called: 'GET /b'")
        try await manager.request(Void.self).endpoint("/b").send()
        try manager.dummies.verifyAllCalled()
    }

    @Test
    func `a check says when it could not see all calls`() async throws {
        manager.dummies.callLimit = 1
        manager.dummies.register(.post, "/orders") { _ in .status(.created) }
        try await order(7)
        try await order(8)
        let error = #expect(throws: RestClientError.self) { try manager.dummies.verify(.post, "/orders", times: 2) }
        #expect(error?.message.hasSuffix("; 1 older calls were dropped, raise callLimit to keep them") == true)
        #expect(manager.dummies.callLimit == 1)
    }
}
