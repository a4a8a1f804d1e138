// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SharedStore

/// Damaged files whose tables do not belong together, although SQLite finds each in order.
@Suite(.timeLimit(.minutes(5)))
struct DamagedUsesTests {
    let folder: TemporaryFolder
    /// More than one transaction of a bulk removal removes.
    private static let count = 600

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Makes a cache whose entries expire at the reference date, and damages it.
    private func damagedCache(
        _ statements: String...,
        configuration: ExpiringCache.Configuration = .init()
    ) async throws -> ExpiringCache {
        let backing = try SQLiteBacking(file: folder.file().path, kind: .cache)
        let steps = (0..<Self.count)
            .map { RowStep.put("key\($0)", "value", at: Double($0), expires: 1_000, tags: ["tag"]) }
        _ = try await backing.commit(steps, in: .cache)
        backing.close()
        for statement in statements { try RawDatabase.execute(folder.file(), statement) }
        return try ExpiringCache(file: folder.file(), configuration: configuration)
    }

    /// A removal of all entries.
    enum Removal: CaseIterable {
        case eachKey
        case prefix
        case tag
        case expired
        case listed
        case all

        func make(in cache: ExpiringCache, count: Int) async throws {
            switch self {
            case .eachKey: for number in 0..<count { try await cache.remove("key\(number)") }
            case .prefix: try await cache.removeAll(prefix: "key")
            case .tag: try await cache.removeAll(tag: "tag")
            case .expired: try await cache.sweep()
            case .listed: try await cache.removeAll { _ in true }
            case .all: try await cache.removeAll()
            }
        }
    }

    @Test(arguments: Removal.allCases.filter { $0 != .expired })
    func `entries whose use is not listed are removed`(_ removal: Removal) async throws {
        let cache = try await damagedCache("DELETE FROM uses_cache")
        #expect(try await cache.keys().count == Self.count)

        try await removal.make(in: cache, count: Self.count)

        #expect(try await cache.keys().isEmpty)
        #expect(try await cache.statistics().entryCount == 0)
        #expect(try await cache.statistics().byteCount == 0)
    }

    @Test(arguments: Removal.allCases)
    func `removals end when entries are listed that do not exist`(_ removal: Removal) async throws {
        let cache = try await damagedCache("DELETE FROM rows_cache")

        try await removal.make(in: cache, count: Self.count)
        try await cache.store(CacheEntry(body: Data([1]), tags: ["tag"]), for: "new")

        #expect(try await cache.keys() == ["new"])
        #expect(try await cache.removeAll(tag: "tag") == 1)
    }

    @Test(arguments: [
        "DELETE FROM uses_cache", "DELETE FROM uses_cache WHERE id > 300", "DELETE FROM rows_cache WHERE id > 300",
        "UPDATE collections SET count = 900, bytes = 100000000", "UPDATE uses_cache SET id = id + 1000000",
    ])
    func `an eviction ends, keeps the limit, and keeps what is within it`(damage: String) async throws {
        var configuration = ExpiringCache.Configuration()
        configuration.countLimit = 200
        let cache = try await damagedCache(damage, configuration: configuration)

        try await cache.store(CacheEntry(body: Data([1])), for: "new")

        #expect(try await cache.statistics().entryCount == 200)
        let keys = try await cache.keys()
        #expect(keys.count == 200)
        #expect(keys.contains("new"))
        try await cache.store(CacheEntry(body: Data([2])), for: "newer")
        #expect(try await cache.keys().count == 200)
        #expect(try await cache.read("newer").entry?.body == Data([2]))
    }

    @Test
    func `a size that was too small is counted again once it shows`() async throws {
        let cache = try await damagedCache("UPDATE collections SET count = 10, bytes = 10")

        try await cache.remove("key0")

        #expect(try await cache.statistics().entryCount == Self.count - 1)
    }
}
