// SPDX-License-Identifier: MIT
import Foundation
import SharedStore
import Testing

/// The rules of the cache, on every engine.
@Suite(.timeLimit(.minutes(1)))
struct ExpiringCacheTests {
    let now = Date(timeIntervalSince1970: 1_700_000_000)

    @Test(arguments: CacheEngine.allCases)
    func `an entry comes back as it was stored`(_ engine: CacheEngine) async throws {
        let cache = try engine.make()
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
        let cache = try engine.make()
        let entry = CacheEntry(body: Data("body".utf8), storedAt: now, expiresAt: now + 10)
        try await cache.store(entry, for: "key")

        #expect(try await cache.read("key", now: now + 10) == .stale(entry))
        #expect(try await cache.sweep(now: now + 9) == 0)
        #expect(try await cache.sweep(now: now + 10) == 1)
        #expect(try await cache.read("key", now: now + 10) == .miss)
    }
}

/// What a cache under test stands on.
enum CacheEngine: CaseIterable, CustomTestStringConvertible {
    case memory
    case file
    case fileWithoutMemoryTier

    var testDescription: String { "\(self)" }

    func make(_ configuration: ExpiringCache.Configuration = .init()) throws -> ExpiringCache {
        var configuration = configuration
        switch self {
        case .memory: return ExpiringCache(configuration: configuration)
        case .file: break
        case .fileWithoutMemoryTier: configuration.memoryByteLimit = 0
        }
        // The file outlives its name: SQLite goes on with what it has open.
        let folder = FileManager.default.temporaryDirectory.appending(path: "SharedStoreTests-\(UUID().uuidString)")
        return try ExpiringCache(file: folder.appending(path: "cache.sqlite"), configuration: configuration)
    }
}
