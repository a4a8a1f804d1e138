// SPDX-License-Identifier: MIT

import Foundation
import SharedStore
import Synchronization
import Testing

/// Entries in an engine of the user's own that another clock, or nobody, has numbered.
@Suite(.timeLimit(.minutes(5)))
struct CustomBackingTests {
    /// An engine that only one process uses, and that survives it.
    private final class Shelf: CacheBackend {
        private let entries = Mutex<[String: CacheEntry]>([:])

        let isShared = false

        func entry(for key: String) -> CacheEntry? { entries.withLock { $0[key] } }
        func store(_ entry: CacheEntry, for key: String) { entries.withLock { $0[key] = entry } }
        func remove(_ key: String) -> Bool { entries.withLock { $0.removeValue(forKey: key) != nil } }
        func keys(prefix: String) -> [String] { entries.withLock { $0.keys.filter { $0.hasPrefix(prefix) } } }

        /// Changes the version that precedes the metadata of each entry.
        func renumber(_ change: (UInt64) -> UInt64) {
            entries.withLock { entries in
                for (key, entry) in entries {
                    let version = entry.metadata.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                    let bytes = (0..<8).map { UInt8(truncatingIfNeeded: change(version) >> ($0 * 8)) }
                    entries[key]?.metadata = Data(bytes) + entry.metadata.dropFirst(8)
                }
            }
        }
    }

    private let shelf = Shelf()

    private func entry(_ text: String) -> CacheEntry {
        CacheEntry(body: Data(text.utf8), tags: ["tag"])
    }

    /// Returns a cache of a new process, which has read the entry "key" that was written by a clock a year ahead.
    private func cacheAfterReset() async throws -> ExpiringCache {
        try await ExpiringCache(backend: shelf).store(entry("old"), for: "key")
        let year: UInt64 = 365 * 86_400 * 1_000_000 << 10
        shelf.renumber { $0 + year }
        let cache = ExpiringCache(backend: shelf)
        #expect(try await cache.read("key").entry?.body == Data("old".utf8))
        return cache
    }

    @Test
    func `a store is found after the clock was set back`() async throws {
        let cache = try await cacheAfterReset()

        try await cache.store(entry("new"), for: "key")

        #expect(try await cache.read("key").entry?.body == Data("new".utf8))
    }

    @Test
    func `a changed entry is found after the clock was set back`() async throws {
        let cache = try await cacheAfterReset()

        let change = try await cache.update("key") { info in
            info.metadata = Data([7])
            return true
        }

        #expect(change == .changed)
        #expect(try await cache.read("key").entry?.metadata == Data([7]))
    }

    /// A removal of the entry "key".
    enum Removal: CaseIterable {
        case one
        case tagged
        case all

        func make(in cache: ExpiringCache) async throws {
            switch self {
            case .one: try await cache.remove("key")
            case .tagged: try await cache.removeAll(tag: "tag")
            case .all: try await cache.removeAll()
            }
        }
    }

    @Test(arguments: Removal.allCases)
    func `a removed entry stays away after the clock was set back`(_ removal: Removal) async throws {
        let cache = try await cacheAfterReset()

        try await removal.make(in: cache)

        #expect(try await cache.read("key") == .miss)
    }

    @Test(arguments: [UInt64.max, 1 << 63])
    func `an entry with a damaged version is a miss, and later ones are found`(version: UInt64) async throws {
        let cache = ExpiringCache(backend: shelf)
        try await ExpiringCache(backend: shelf).store(entry("old"), for: "key")
        shelf.renumber { _ in version }

        #expect(try await cache.read("key") == .miss)
        try await cache.store(entry("new"), for: "key")
        #expect(try await cache.read("key").entry?.body == Data("new".utf8))
        #expect(try await cache.remove("key"))
        #expect(try await cache.read("key") == .miss)
    }

    @Test
    func `an engine without leases, uses and sizes excludes nobody, evicts nothing and counts nothing`() async throws {
        var configuration = ExpiringCache.Configuration()
        configuration.countLimit = 1
        let cache = ExpiringCache(backend: shelf, configuration: configuration)

        for key in ["one", "two", "three"] { try await cache.store(entry(key), for: key) }
        let first = try #require(try await cache.acquireLease("lease", for: .seconds(60), now: .now))
        #expect(try await cache.acquireLease("lease", for: .seconds(60), now: .now) != nil)
        cache.dropLease(first, now: .now)

        #expect(try await cache.entries().map(\.key) == ["one", "three", "two"])
        let statistics = try await cache.statistics()
        #expect((statistics.entryCount, statistics.byteCount, statistics.evictions) == (0, 0, 0))
    }
}
