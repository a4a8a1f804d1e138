// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore
import TestSupport
import Testing

@testable import RestClient

/// Found by `Scripts/simulate --seed 1153`.
@Suite(.timeLimit(.minutes(5)))
struct WritesUnderWayTests {
    @Test
    func `an invalidation waits for the writes of its URLs that began before it`() {
        var writes = WritesUnderWay()
        let (first, second, other) = (writes.begin("a"), writes.begin("a"), writes.begin("b"))

        let invalidation = writes.wait(for: "a")
        let later = writes.begin("a")

        #expect(invalidation != nil)
        #expect(writes.wait(for: "c") == nil)
        #expect(writes.end(other) == [])
        #expect(writes.end(first) == [])
        #expect(writes.end(later) == [])
        #expect(writes.end(second) == [invalidation])
        #expect(writes.wait(for: nil) == nil)
    }

    @Test
    func `an invalidation of everything waits for all writes`() {
        var writes = WritesUnderWay()
        let (first, second) = (writes.begin("a"), writes.begin("b"))

        let (one, two) = (writes.wait(for: nil), writes.wait(for: "b"))

        #expect(writes.end(second) == [two])
        #expect(writes.end(first) == [one])
    }

    @Test
    func `a response that is being written while its resource changes is invalidated`() async throws {
        let gate = Gate()
        let client = StubbedClient(StubTransport { _ in .text("1", headers: [.cacheControl: "max-age=60"]) })
        let responses = client.manager.core.cache.responses
        let node = client.manager.request(Int.self).endpoint("/a").cache()
        _ = try await node.send()
        let entry = try #require(try await client.manager.cache.storage.entries(after: nil, limit: 1).first)
        let key = CacheKey(ofRow: entry.key)
        let moment = responses.moment

        let writing = Task {
            try await responses.write(key, askedAt: moment) {
                try await gate.wait()
                return try await node.cache(.reload).send()
            }
        }
        try await gate.waitForWaiters(count: 1)
        async let count = responses.invalidate(.all, at: Date())
        gate.open()

        #expect(try await writing.value == 1)
        #expect(try await count == 1)
        #expect(try await client.manager.cache.entries().allSatisfy(\.isInvalidated))
    }
}
