// SPDX-License-Identifier: MIT

import Foundation
import SharedStore
import Testing

/// The rules of the cache, on every engine.
@Suite(.timeLimit(.minutes(5)))
struct ExpiringCacheTests {
    let now = Date(timeIntervalSince1970: 1_700_000_000)
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(arguments: CacheEngine.allCases)
    func `an entry comes back as it was stored`(_ engine: CacheEngine) async throws {
        let cache = try engine.make(in: folder)
        let entry = CacheEntry(
            body: Data("body".utf8),
            metadata: Data("etag".utf8),
            storedAt: now,
            expiresAt: now + 10,
            tags: ["a", "é"]
        )

        try await cache.store(entry, for: "key")

        #expect(try await cache.read("key", now: now) == .fresh(entry))
        #expect(try await cache.read("other", now: now) == .miss)
    }

    @Test(arguments: CacheEngine.allCases)
    func `a stale entry is kept for the offline fallback until it is swept`(_ engine: CacheEngine) async throws {
        let cache = try engine.make(in: folder)
        let entry = CacheEntry(body: Data("body".utf8), storedAt: now, expiresAt: now + 10)
        try await cache.store(entry, for: "key")

        #expect(try await cache.read("key", now: now + 10) == .stale(entry))
        #expect(try await cache.sweep(now: now + 9) == 0)
        #expect(try await cache.sweep(now: now + 10) == 1)
        #expect(try await cache.read("key", now: now + 10) == .miss)
    }

    @Test(arguments: CacheEngine.allCases)
    func `the reader's limit and the writer's both count`(_ engine: CacheEngine) async throws {
        let cache = try engine.make(in: folder)
        let entry = CacheEntry(body: Data("body".utf8), storedAt: now, expiresAt: now + 100)
        try await cache.store(entry, for: "key")

        #expect(try await cache.read("key", maxAge: .seconds(60), now: now + 60) == .fresh(entry))
        #expect(try await cache.read("key", maxAge: .seconds(60), now: now + 61) == .stale(entry))
        #expect(try await cache.read("key", maxAge: .zero, now: now + 99) == .fresh(entry))
        #expect(try await cache.read("key", maxAge: .seconds(1000), now: now + 100) == .stale(entry))
    }

    @Test(arguments: CacheEngine.allCases)
    func `after the clock was moved back an entry's age is unknown`(_ engine: CacheEngine) async throws {
        let cache = try engine.make(in: folder)
        let entry = CacheEntry(body: Data("body".utf8), storedAt: now)
        try await cache.store(entry, for: "key")

        #expect(try await cache.read("key", now: now - 1) == .stale(entry))
        #expect(try await cache.sweep(now: now - 1) == 0)
        #expect(try await cache.read("key", now: now) == .fresh(entry))
    }

    @Test(arguments: CacheEngine.allCases)
    func `an update refreshes an entry without its body`(_ engine: CacheEngine) async throws {
        let cache = try engine.make(in: folder)
        try await cache.store(
            CacheEntry(body: Data("body".utf8), metadata: Data("1".utf8), storedAt: now, expiresAt: now, tags: ["t"]),
            for: "key"
        )
        _ = try await cache.read("key", now: now)

        let change = try await cache.update("key") { info in
            info.metadata = Data("2".utf8)
            info.storedAt = now + 5
            info.expiresAt = now + 10
            return true
        }

        let expected = CacheEntry(
            body: Data("body".utf8),
            metadata: Data("2".utf8),
            storedAt: now + 5,
            expiresAt: now + 10,
            tags: ["t"]
        )
        #expect(change == .changed)
        #expect(try await cache.read("key", now: now + 6) == .fresh(expected))
        #expect(try await cache.update("none") { _ in true } == .absent)
        #expect(try await cache.read("none", now: now) == .miss)
    }

    @Test(arguments: CacheEngine.allCases)
    func `an entry over a limit is refused with a reason and nothing is lost`(_ engine: CacheEngine) async throws {
        var configuration = ExpiringCache.Configuration()
        configuration.entryByteLimit = 100
        let cache = try engine.make(in: folder, configuration)
        let small = CacheEntry(body: Data(count: 97), storedAt: now)
        try await cache.store(small, for: "key")

        let error = await #expect(throws: StoreError.self) {
            try await cache.store(CacheEntry(body: Data(count: 98), storedAt: now), for: "key")
        }

        #expect(error?.code == .entryTooLarge)
        #expect(error?.key == "key")
        #expect(error?.description.contains("101 bytes, the limit is 100") == true)
        #expect(try await cache.read("key", now: now) == .fresh(small))
    }

    @Test(arguments: CacheEngine.allCases)
    func `the least recently used entry goes when there are too many`(_ engine: CacheEngine) async throws {
        var configuration = ExpiringCache.Configuration()
        configuration.countLimit = 3
        let cache = try engine.make(in: folder, configuration)
        for (offset, key) in ["a", "b", "c"].enumerated() {
            try await cache.store(CacheEntry(body: Data(), storedAt: now + Double(offset)), for: key)
        }

        _ = try await cache.read("a", now: now + 10)
        try await cache.store(CacheEntry(body: Data(), storedAt: now + 11), for: "d")

        #expect(try await cache.keys() == ["a", "c", "d"])
        #expect(try await cache.read("b", now: now) == .miss)
        #expect(try await cache.statistics().evictions == 1)
    }

    @Test(arguments: CacheEngine.allCases)
    func `entries go when they are too large together`(_ engine: CacheEngine) async throws {
        var configuration = ExpiringCache.Configuration()
        configuration.byteLimit = 1000
        let cache = try engine.make(in: folder, configuration)

        for number in 0..<20 {
            let entry = CacheEntry(body: Data(count: 150), storedAt: now + Double(number))
            try await cache.store(entry, for: "key\(number)")
            #expect(try await cache.statistics().byteCount <= 1000)
        }

        let keys = try await cache.keys()
        #expect(Set(keys).isSubset(of: (14..<20).map { "key\($0)" }))
        #expect(keys.count >= 5)
    }

    @Test(arguments: CacheEngine.allCases)
    func `entries are removed by key, tag, prefix, choice and all`(_ engine: CacheEngine) async throws {
        let cache = try engine.make(in: folder)
        for key in ["a/1", "a/2", "b/1", "b/2", "c"] {
            let tags: Set<String> = key.hasSuffix("1") ? ["one"] : []
            try await cache.store(CacheEntry(body: Data(key.utf8), storedAt: now, tags: tags), for: key)
            _ = try await cache.read(key, now: now)
        }

        #expect(try await cache.remove("c"))
        #expect(try await !cache.remove("c"))
        #expect(try await cache.removeAll(tag: "one") == 2)
        #expect(try await cache.read("a/1", now: now) == .miss)
        #expect(try await cache.keys() == ["a/2", "b/2"])
        #expect(try await cache.removeAll(prefix: "a/") == 1)
        #expect(try await cache.removeAll { $0.key.hasPrefix("x") } == 0)
        #expect(try await cache.removeAll { $0.key == "b/2" } == 1)
        #expect(try await cache.read("b/2", now: now) == .miss)
        try await cache.store(CacheEntry(body: Data(), storedAt: now), for: "d")
        #expect(try await cache.removeAll() == 1)
        #expect(try await cache.read("d", now: now) == .miss)
        #expect(try await cache.statistics().entryCount == 0)
    }

    @Test(arguments: CacheEngine.allCases)
    func `listings show all but the body and do not count as a use`(_ engine: CacheEngine) async throws {
        let cache = try engine.make(in: folder)
        try await cache.store(
            CacheEntry(body: Data(count: 5), metadata: Data("m".utf8), storedAt: now, expiresAt: now + 1, tags: ["t"]),
            for: "key"
        )
        _ = try await cache.read("key", now: now + 7)

        let info = try #require(try await cache.entries(prefix: "k", tag: "t").first)

        #expect(info.key == "key")
        #expect(info.metadata == Data("m".utf8))
        #expect(info.storedAt == now)
        #expect(info.expiresAt == now + 1)
        #expect(info.lastUsedAt == now + 7)
        #expect(info.tags == ["t"])
        #expect(try await cache.statistics().misses == 0)
    }

    @Test(arguments: CacheEngine.allCases)
    func `counters count what happened`(_ engine: CacheEngine) async throws {
        let cache = try engine.make(in: folder)
        try await cache.store(CacheEntry(body: Data(count: 5), storedAt: now, expiresAt: now + 1), for: "key")

        _ = try await cache.read("key", now: now)
        _ = try await cache.read("key", now: now + 1)
        _ = try await cache.read("none", now: now)

        let statistics = try await cache.statistics()
        #expect(statistics.hits == 1)
        #expect(statistics.staleHits == 1)
        #expect(statistics.misses == 1)
        #expect(statistics.stores == 1)
        #expect(statistics.entryCount == 1)
        #expect(statistics.memoryHits == (engine == .fileWithoutMemoryTier ? 0 : 2))
    }

    @Test(arguments: CacheEngine.allCases)
    func `large entries come back whole`(_ engine: CacheEngine) async throws {
        let cache = try engine.make(in: folder)
        let body = Data((0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 10) })
        let entry = CacheEntry(body: body, storedAt: now)

        try await cache.store(entry, for: "large")

        #expect(try await cache.read("large", now: now) == .fresh(entry))
    }

    @Test(arguments: CacheEngine.allCases, ["", "a\0b", "\u{1F9D1}\u{200D}\u{1F680}", "\n\"'%_*"])
    func `any text is a key`(_ engine: CacheEngine, _ key: String) async throws {
        let cache = try engine.make(in: folder)
        let entry = CacheEntry(body: Data("x".utf8), storedAt: now, tags: [key])

        try await cache.store(entry, for: key)
        try await cache.store(entry, for: key + "!")

        #expect(try await cache.read(key, now: now) == .fresh(entry))
        #expect(try await cache.keys(tag: key) == [key, key + "!"])
        #expect(try await cache.removeAll(tag: key) == 2)
    }

    @Test(arguments: CacheEngine.allCases)
    func `readers and writers at once see whole entries only`(_ engine: CacheEngine) async throws {
        let cache = try engine.make(in: folder)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    for round in 0..<100 {
                        let text = "\(writer)-\(round)"
                        let entry = CacheEntry(body: Data(text.utf8), metadata: Data(text.utf8), storedAt: now)
                        try await cache.store(entry, for: "key\(round % 5)")
                        if round % 10 == writer { try await cache.remove("key\(round % 5)") }
                    }
                }
                group.addTask {
                    for round in 0..<300 {
                        guard let entry = try await cache.read("key\(round % 5)", now: now).entry else {
                            continue
                        }
                        #expect(entry.body == entry.metadata)
                    }
                }
            }
            try await group.waitForAll()
        }

        // The memory tier has the same contents as the engine.
        for key in try await cache.keys() {
            let inMemory = try await cache.read(key, now: now).entry
            let info = try await cache.entries(prefix: key, limit: 1).first
            #expect(inMemory?.metadata == info?.metadata)
        }
    }

    @Test
    func `concurrent stores share transactions`() async throws {
        let backing = try SQLiteBacking(file: folder.file().path, kind: .cache)
        let cache = ExpiringCache(backing: backing, configuration: .init())

        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<500 {
                group.addTask {
                    try await cache.store(CacheEntry(body: Data(count: 100), storedAt: now), for: "key\(number)")
                }
            }
            try await group.waitForAll()
        }

        #expect(try await cache.statistics().entryCount == 500)
        #expect(backing.transactionCount < 400)
    }

    @Test
    func `an entry survives the object`() async throws {
        let entry = CacheEntry(body: Data("body".utf8), storedAt: now, tags: ["t"])
        try await ExpiringCache(file: folder.file()).store(entry, for: "key")

        let cache = try ExpiringCache(file: folder.file())

        #expect(try await cache.read("key", now: now) == .fresh(entry))
        #expect(cache.recovery == nil)
    }

    @Test
    func `two caches on one file do not show each other's old entries`() async throws {
        let changed = AsyncStream<Void>.makeStream()
        var configuration = ExpiringCache.Configuration()
        configuration.onEvent = { if $0.name == .changedByAnotherProcess { changed.continuation.yield() } }
        let one = try ExpiringCache(file: folder.file(), configuration: configuration)
        let other = try ExpiringCache(file: folder.file())
        let old = CacheEntry(body: Data("old".utf8), storedAt: now)
        let new = CacheEntry(body: Data("new".utf8), storedAt: now)
        try await one.store(old, for: "key")

        try await other.store(new, for: "key")
        var events = changed.stream.makeAsyncIterator()
        await events.next()

        #expect(try await one.read("key", now: now) == .fresh(new))
    }
}
