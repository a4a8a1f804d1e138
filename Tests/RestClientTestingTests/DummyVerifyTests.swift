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
        try await manager.request(Void.self).post().endpoint("/orders").values(["item": item]).send()
    }

    @Test
    func `calls are found by method, path, server and conditions, whichever dummy responded`() async throws {
        manager.servers["other"] = "other.example"
        manager.dummies.register(.post, "/orders") { _ in .status(.created) }
        manager.dummies.register(.get, "/{+rest}") { _ in .status(.ok) }
        try await order(7)
        try await order(8)
        try await manager.request(Void.self).server("other").endpoint("/users/kim").query("page", 2).send()
        try manager.dummies.verify(Dummy(.post, "/orders"), times: 2)
        try manager.dummies.verify(Dummy(.post, "/orders").matching(.json(["item": 7])), times: 1)
        try manager.dummies.verify(
            Dummy(.get, "/users/{id}", server: "other").matching(.parameter("id", "kim"), .query("page"))
        )
        try manager.dummies.verify(Dummy(.get, "/users/{id}", server: "store"), times: 0)
        try manager.dummies.verify(Dummy(nil, "/{+rest}"), times: 3)
        let calls = manager.dummies.calls(of: Dummy(.get, "/users/{user}"))
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
        try manager.dummies.verify(Dummy(key).matching(.parameter("id", 7)), times: 1)
        #expect(manager.dummies.calls(of: Dummy(key)).map(\.request.parameters) == [["id": "7"]])
    }

    /// Checks that a range of numbers of calls is met by one and not by another, and returns its words.
    private func words(for times: some RangeExpression<Int>, meets met: Int, not missed: Int) async throws -> String {
        manager.dummies.register(.get, "/a") { _ in .status(.ok) }
        manager.dummies.reset()
        var error: RestClientError?
        for count in 0...max(met, missed) {
            if count > 0 {
                try await manager.request(Void.self).endpoint("/a").send()
            }
            if count == met {
                try manager.dummies.verify(Dummy(.get, "/a"), times: times)
            }
            if count == missed {
                error = #expect(throws: RestClientError.self) {
                    try manager.dummies.verify(Dummy(.get, "/a"), times: times)
                }
            }
        }
        let text = error?.message.prefix { $0 != ";" && $0 != ":" } ?? ""
        return String(text.replacing("'GET /a' was called ", with: ""))
    }

    @Test
    func `any range of numbers may be expected, and the error says which`() async throws {
        #expect(try await words(for: 1..., meets: 1, not: 0) == "never instead of at least once")
        #expect(try await words(for: 2..., meets: 3, not: 1) == "once instead of at least twice")
        #expect(try await words(for: ...2, meets: 2, not: 3) == "3 times instead of at most twice")
        #expect(try await words(for: ..<2, meets: 1, not: 2) == "twice instead of at most once")
        #expect(try await words(for: 2...4, meets: 2, not: 5) == "5 times instead of 2 to 4 times")
        #expect(try await words(for: 0...0, meets: 0, not: 1) == "once instead of never")
        #expect(try await words(for: 5...5, meets: 5, not: 2) == "twice instead of 5 times")
    }

    @Test
    func `too many calls are listed`() async throws {
        manager.dummies.register(.post, "/orders") { _ in .status(.created) }
        try await order(7)
        try await order(8)
        let error = #expect(throws: RestClientError.self) {
            try manager.dummies.verify(Dummy(.post, "/orders"), times: 1)
        }
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
            try manager.dummies.verify(Dummy(.post, "/orders").matching(.json(["item": 8])))
        }
        #expect(
            error?.message
                == "'POST /orders' with a JSON body that is {\"item\":8} was called never instead of at least once; "
                + "nearest calls: #1 POST https://api.example.com/v1/orders ('POST /orders'): body: /item is 7 instead of 8"
        )
    }

    @Test
    func `the error says if there were no calls`() {
        let error = #expect(throws: RestClientError.self) { try manager.dummies.verify(Dummy(.get, "/a")) }
        #expect(error?.message == "'GET /a' was called never instead of at least once; there were no calls")
    }

    @Test
    func `unmatched calls are listed`() async throws {
        manager.dummies.register(.get, "/a") { _ in .status(.ok) }
        try await manager.request(Void.self).endpoint("/a").send()
        try manager.dummies.verifyNoUnmatchedCalls()
        _ = await client.failure { $0.endpoint("/b").query("token", "s3cret") }
        let error = #expect(throws: RestClientError.self) { try manager.dummies.verifyNoUnmatchedCalls() }
        let call = "no dummy matched #2 GET https://api.example.com/v1/b?token=<redacted>; "
        #expect(error?.message.hasPrefix(call) == true)
        #expect(error?.message.contains("'GET /a'") == true)
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
        let error = #expect(throws: RestClientError.self) {
            try manager.dummies.verify(Dummy(.post, "/orders"), times: 2)
        }
        #expect(error?.message.hasSuffix("; 1 older calls were dropped, raise callLimit to keep them") == true)
        #expect(manager.dummies.callLimit == 1)
    }
}
