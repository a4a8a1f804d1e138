// SPDX-License-Identifier: MIT

import Foundation
import SharedStore
import Testing

/// Synchronous reads of the cache.
@Suite(.timeLimit(.minutes(5)))
struct ExpiringCacheReadNowTests {
    let now = Date(timeIntervalSince1970: 1_700_000_000)
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(arguments: CacheEngine.allCases)
    func `a read that does not wait gives what one that waits gives`(_ engine: CacheEngine) async throws {
        let cache = try engine.make(in: folder)
        let entry = CacheEntry(body: Data("body".utf8), storedAt: now, expiresAt: now + 100, tags: ["t"])
        try await cache.store(entry, for: "key")

        #expect(try cache.readNow("key", maxAge: .seconds(60), now: now + 60) == .fresh(entry))
        #expect(try cache.readNow("key", maxAge: .seconds(60), now: now + 61) == .stale(entry))
        #expect(try cache.readNow("key", now: now + 100) == .stale(entry))
        #expect(try cache.readNow("other", now: now) == .miss)
        let statistics = try await cache.statistics()
        #expect(statistics.hits == 1)
        #expect(statistics.staleHits == 2)
        #expect(statistics.misses == 1)
    }

    @Test
    func `a large entry is read on the calling thread, a small one from memory`() async throws {
        let large = Data((0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        let first = try ExpiringCache(file: folder.file())
        try await first.store(CacheEntry(body: large), for: "large")
        try await first.store(CacheEntry(body: Data("small".utf8)), for: "small")
        first.close()

        let cache = try ExpiringCache(file: folder.file())
        #expect(try cache.readNow("large").entry?.body == large)
        for _ in 0..<3 { #expect(try cache.readNow("small").entry?.body == Data("small".utf8)) }
        #expect(try await cache.statistics().memoryHits == 2)
    }

    @Test
    func `a damaged row is a miss, is removed and reported`() async throws {
        let first = try ExpiringCache(file: folder.file())
        try await first.store(CacheEntry(body: Data("body".utf8)), for: "key")
        first.close()
        try RawDatabase.execute(folder.file(), "UPDATE rows_cache SET value = value || x'00'")
        let events = Recorder<CacheEvent>()
        var configuration = ExpiringCache.Configuration()
        configuration.onEvent = { events.record($0) }

        let cache = try ExpiringCache(file: folder.file(), configuration: configuration)

        #expect(try cache.readNow("key") == .miss)
        #expect(events.all.map(\.name) == [.entryDiscarded])
        #expect(try await cache.statistics().entryCount == 0)
    }

    @Test
    func `a file that is damaged as a whole is replaced`() async throws {
        var configuration = ExpiringCache.Configuration()
        configuration.memoryByteLimit = 0
        let cache = try ExpiringCache(file: folder.file(), configuration: configuration)
        for number in 0..<50 {
            try await cache.store(CacheEntry(body: Data(count: 5000)), for: "key\(number)")
        }
        cache.close()
        let again = try ExpiringCache(file: folder.file(), configuration: configuration)
        let handle = try FileHandle(forWritingTo: folder.file())
        let size = try handle.seekToEnd()
        for offset in stride(from: 4096, to: size, by: 64) {
            try handle.seek(toOffset: offset)
            handle.write(Data(repeating: 0xA5, count: 64))
        }
        try handle.close()

        for number in 0..<50 { #expect(try again.readNow("key\(number)") == .miss) }
        #expect(again.recovery?.name == .rebuilt)
        try await again.store(CacheEntry(body: Data("new".utf8)), for: "new")
        #expect(try again.readNow("new").entry?.body == Data("new".utf8))
    }
}
