// SPDX-License-Identifier: MIT

import HTTPTypes
import SharedStore
import TestSupport
import Testing

@testable import RestClient

/// A failing cache fails no call, and emits no event for anything that did not happen.
@Suite(.timeLimit(.minutes(5)))
struct CacheFailureTests {
    private let cached = CachedClient(headers: [.cacheControl: "max-age=60"])

    @Test(arguments: [
        CachePolicy.http, .elseNetwork(), .networkElseCache(), .staleWhileRevalidate(maxAge: .seconds(60)),
    ])
    func `a failing store is an event, and the server responds`(
        policy: CachePolicy
    ) async throws {
        let log = EventRecorder(cached.manager)
        cached.manager.cache.storage.close()
        let response = try await cached.call(policy).response()

        #expect(response.model == 1)
        #expect(response.cache.outcome == .forwarded(.unreadable))
        #expect(response.cache.storing == .left(.failed))
        #expect(log.names.count { $0 == .cacheFailed } >= 2)
        #expect(!log.names.contains(.cacheStored))
        #expect(log.names.last == .callSucceeded)
    }

    @Test(arguments: [
        CachePolicy.http, .elseNetwork(), .networkElseCache(), .staleWhileRevalidate(maxAge: .seconds(60)),
    ])
    func `when the server fails as well, its failure is the error of the call`(policy: CachePolicy) async throws {
        cached.answer(.status(.internalServerError))
        cached.manager.cache.storage.close()
        let error = await #expect(throws: RestClientError.self) { try await cached.call(policy).send() }

        #expect(error?.code == .unacceptableStatus)
        #expect(error?.response?.status == .internalServerError)
    }

    @Test
    func `a response that is larger than an entry may be is delivered and not stored`() async throws {
        let small = CachedClient(headers: [.cacheControl: "max-age=60"]) { $0.cache.entryByteLimit = 100 }
        let log = EventRecorder(small.manager)
        let response = try await small.call(.http).response()

        #expect(response.cache.storing == .left(.failed))
        #expect(log.lines.contains("cacheFailed entryTooLarge"))
        #expect(!log.names.contains(.cacheStored))
        #expect(try await small.manager.cache.entries().isEmpty)
    }

    @Test
    func `a change that cannot mark what it made invalid succeeds all the same`() async throws {
        _ = try await cached.call(.http).send()
        let log = EventRecorder(cached.manager)
        cached.manager.cache.storage.close()
        cached.answer(.status(.noContent))
        try await cached.manager.run(cached.manager.request(Void.self).put().endpoint("/number"))

        #expect(log.names.contains(.cacheFailed))
        #expect(!log.names.contains(.cacheInvalidated))
    }

    @Test
    func `a failed manual change throws, and emits no event of success`() async throws {
        _ = try await cached.call(.http).send()
        let log = EventRecorder(cached.manager)
        cached.manager.cache.storage.close()
        let manager = cached.manager
        let node = cached.call(.http)

        await #expect(throws: StoreError.self) { try await manager.cache.store(2, for: node) }
        await #expect(throws: StoreError.self) { try await manager.cache.update(node) { $0 += 1 } }
        await #expect(throws: StoreError.self) { try await manager.cache.remove(node) }
        await #expect(throws: StoreError.self) { try await manager.cache.invalidate(.all) }
        await #expect(throws: StoreError.self) { try await manager.cache.remove(.all) }
        #expect(log.lines.isEmpty)
    }

    @Test
    func `each manual change emits one event, and a change of nothing emits none`() async throws {
        _ = try await cached.call(.http).send()
        let log = EventRecorder(cached.manager)
        try await cached.manager.cache.store(2, for: cached.call(.http))
        try await cached.manager.cache.update(cached.call(.http)) { $0 += 1 }
        #expect(try await cached.manager.cache.remove(cached.call(.http)))
        #expect(try await !cached.manager.cache.remove(cached.call(.http)))
        #expect(try await cached.manager.cache.invalidate(.all) == 0)
        #expect(try await cached.manager.cache.remove(.all) == 0)

        #expect(log.names == [.cacheStored, .cacheStored, .cacheRemoved])
    }
}
