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

    @Test(arguments: [0, 1, 63, 64], [false, true])
    func `an entry that others replace meanwhile is changed as they left it, unless they do not stop`(
        rivals: Int,
        isAll: Bool
    ) async throws {
        let backing = MemoryBacking()
        let cache = ExpiringCache(backing: backing, configuration: .init())
        try await cache.store(entry("m"), for: "k")
        let row = try #require(try backing.rowNow("k", in: .cache))
        let replacement = RowStep.put(key: "k", value: row.value, attributes: row.attributes, condition: .any)
        var calls = 0
        var changed = 0
        var failure: StoreError?
        func change(_ info: inout CacheEntryInfo) -> Bool {
            calls += 1
            if calls <= rivals {
                _ = try? backing.commitNow([replacement], in: .cache) { _ in }
            }
            return mark(&info)
        }
        do throws(StoreError) {
            if isAll {
                changed = try await cache.updateAll(change)
            } else {
                changed = try await cache.update("k", change) == .changed ? 1 : 0
            }
        } catch {
            failure = error
        }

        #expect(changed == (rivals < 64 ? 1 : 0))
        #expect(failure?.code == (rivals < 64 ? nil : .busy))
        #expect(calls == min(rivals + 1, 64))
        let metadata = try #require(try await cache.read("k", now: Self.date).entry).metadata
        #expect(metadata == Data((rivals < 64 ? "m!" : "m").utf8))
    }
}
