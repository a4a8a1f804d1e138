// SPDX-License-Identifier: MIT

import Foundation
import SharedStore
import Testing

/// Changes of what stands beside a body.
@Suite(.timeLimit(.minutes(5)))
struct ExpiringCacheChangingTests {
    private static let date = Date(timeIntervalSince1970: 1_800_000_000)

    private func entry(_ metadata: String) -> CacheEntry {
        CacheEntry(
            body: Data("body".utf8),
            metadata: Data(metadata.utf8),
            storedAt: Self.date,
            tags: ["t"]
        )
    }

    private func mark(_ info: inout CacheEntryInfo) -> Bool {
        info.metadata.append(Data("!".utf8))
        info.storedAt += 5
        info.expiresAt = Self.date + 10
        return true
    }

    @Test(arguments: CacheEngine.allCases)
    func `what stands beside a body is changed, and the body stays`(engine: CacheEngine) async throws {
        let folder = try TemporaryFolder()
        let cache = try engine.make(in: folder)
        try await cache.store(entry("m"), for: "k")
        try await cache.store(entry("other"), for: "k2")
        #expect(try await cache.update("k", mark) == .changed)
        let changed = try #require(try await cache.read("k", now: Self.date).entry)
        #expect(changed.metadata == Data("m!".utf8))
        #expect(changed.body == Data("body".utf8))
        #expect(changed.storedAt == Self.date + 5)
        #expect(changed.expiresAt == Self.date + 10)
        #expect(changed.tags == ["t"])
        #expect(try await cache.read("k2", now: Self.date).entry == entry("other"))
    }

    @Test(arguments: CacheEngine.allCases)
    func `a change that the closure declines, or of a missing entry, writes nothing`(engine: CacheEngine) async throws {
        let folder = try TemporaryFolder()
        let cache = try engine.make(in: folder)
        try await cache.store(entry("m"), for: "kk")
        #expect(try await cache.update("k", mark) == .absent)
        #expect(try await cache.update("kk") { _ in false } == .left)
        #expect(try await cache.read("kk", now: Self.date).entry == entry("m"))
    }

    @Test(arguments: CacheEngine.allCases)
    func `entries are changed by prefix and by tag`(engine: CacheEngine) async throws {
        let folder = try TemporaryFolder()
        let cache = try engine.make(in: folder)
        for key in ["a.1", "a.2", "b.1"] {
            try await cache.store(entry(key), for: key)
        }
        #expect(try await cache.updateAll(prefix: "a.", mark) == 2)
        #expect(try await cache.updateAll(tag: "t") { $0.metadata.last == UInt8(ascii: "!") } == 2)
        #expect(try await cache.updateAll(tag: "none", mark) == 0)
        #expect(try await cache.read("b.1", now: Self.date).entry == entry("b.1"))
    }
}
