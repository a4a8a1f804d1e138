// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// Stored responses chosen by what they have in common.
@Suite(.timeLimit(.minutes(5)))
struct CacheSelectionTests {
    private let cached = CachedClient()

    /// Stores the responses of four requests.
    private func fill() async throws {
        let manager = cached.manager
        manager.apis[APIAlias<Int>(rawValue: "orders")] = API(.get, "/users/{user}/orders").cache(.elseNetwork())
        manager.apis[APIAlias<Int>(rawValue: "user")] = API(.get, "/users/{user}").cache(.elseNetwork())
        for user in [7, 70] {
            _ = try await manager.request(APIAlias<Int>(rawValue: "orders")).parameter("user", user)
                .cacheTags("user \(user)").send()
            _ = try await manager.request(APIAlias<Int>(rawValue: "user")).parameter("user", user).send()
        }
    }

    /// The paths that need no confirmation.
    private func valid() async throws -> [String] {
        try await cached.manager.cache.entries().filter { !$0.isInvalidated }.map { String($0.path) }.sorted()
    }

    private static let all = ["/v1/users/7", "/v1/users/7/orders", "/v1/users/70", "/v1/users/70/orders"]

    static let selections: [(CacheSelection, [String])] = [
        (.all, all),
        (.api(APIAlias<Int>(rawValue: "orders")), ["/v1/users/7/orders", "/v1/users/70/orders"]),
        (.api(APIAlias<Int>(rawValue: "order")), []),
        (.tag("user 7"), ["/v1/users/7/orders"]),
        (.path("/v1/users/7"), ["/v1/users/7", "/v1/users/7/orders"]),
        (.path("v1/users/7/"), ["/v1/users/7", "/v1/users/7/orders"]),
        (.path("/v1"), all),
        (.path("/users"), []),
        (.matching { $0.url.hasSuffix("orders") && $0.tags.contains("user 70") }, ["/v1/users/70/orders"]),
    ]

    @Test(arguments: selections.indices)
    func `what is chosen is marked as stale, and nothing else`(index: Int) async throws {
        try await fill()
        let (selection, paths) = Self.selections[index]

        #expect(try await cached.manager.cache.invalidate(selection) == paths.count)
        #expect(try await valid() == Self.all.filter { !paths.contains($0) })
        #expect(try await cached.manager.cache.entries().count == 4)
        // Responses that are already marked are not counted again.
        #expect(try await cached.manager.cache.invalidate(selection) == 0)
    }

    @Test(arguments: selections.indices)
    func `what is chosen is removed, and nothing else`(index: Int) async throws {
        try await fill()
        let (selection, paths) = Self.selections[index]

        #expect(try await cached.manager.cache.remove(selection) == paths.count)
        #expect(try await valid() == Self.all.filter { !paths.contains($0) })
        #expect(try await cached.manager.cache.entries().count == 4 - paths.count)
    }

    @Test
    func `what was marked as stale is asked about, and used again once it is confirmed`() async throws {
        let cached = CachedClient(headers: [.eTag: "\"a\"", .cacheControl: "max-age=60"])
        _ = try await cached.call(.http).send()
        try await cached.manager.cache.invalidate(.api(APIAlias<Int>(rawValue: "number")))
        let second = try await cached.call(.http).response()
        let third = try await cached.call(.http).response()

        #expect(second.cache.outcome == .confirmed(.invalidated))
        #expect(third.cache.outcome == .fresh)
        #expect(cached.requests.count == 2)
    }

    @Test
    func `a successful write marks what its API declares, and a failed one does not`() async throws {
        try await fill()
        cached.manager.apis[APIAlias<Void>(rawValue: "order")] = API(
            .post,
            "/orders"
        )
        .invalidates(.api(APIAlias<Int>(rawValue: "orders")), .path("/v1/users/7"))
        let log = EventRecorder(cached.manager)
        cached.answer(.status(.internalServerError))
        await #expect(throws: RestClientError.self) {
            try await cached.manager.request(APIAlias<Void>(rawValue: "order")).send()
        }
        #expect(try await valid() == Self.all)

        cached.answer(.status(.created))
        log.clear()
        try await cached.manager.request(APIAlias<Void>(rawValue: "order")).send()
        #expect(try await valid() == ["/v1/users/70"])
        #expect(log.lines.suffix(3) == ["cacheInvalidated", "modelLoaded", "callSucceeded 201 network"])
    }

    @Test
    func `a response that was asked for before the write is not stored`() async throws {
        let gate = Gate()
        let cached = CachedClient(gate: gate)
        let call = cached.call(.elseNetwork())
        let read = Task { try await call.send() }
        try await cached.client.transport.waitForRequests(count: 1)
        try await cached.manager.cache.invalidate(.tag("whatever"))
        gate.open()

        _ = try await read.value
        #expect(try await cached.manager.cache.entries().isEmpty)
    }

    // MARK: - Looking at it

    @Test
    func `the list of stored responses shows no secret`() async throws {
        let headers: HTTPFields = [.setCookie: "session=s3cret", .eTag: "\"a\""]
        let cached = CachedClient(headers: headers)
        _ = try await cached.call(.reload).query(["access_token": "s3cret", "page": 2]).bearer("s3cret").send()
        let answer = try #require(try await cached.manager.cache.entries().first)

        #expect(!"\(answer)".contains("s3cret"))
        #expect(answer.url.contains("page=2"))
        #expect(answer.api == "number")
        #expect(answer.method == .get)
        #expect(answer.status == .ok)
        #expect(answer.headers[.eTag] == "\"a\"")
        #expect(answer.tags.isEmpty)
    }
}
