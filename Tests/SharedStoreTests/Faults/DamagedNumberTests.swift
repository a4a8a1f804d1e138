// SPDX-License-Identifier: MIT

import Foundation
import SharedStore
import Testing

/// Damaged numbers in files that SQLite finds in order: nothing traps, and the store stays usable.
@Suite(.timeLimit(.minutes(5)))
struct DamagedNumberTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private static let numbers = [
        "9223372036854775807", "-9223372036854775808", "-1", "0", "1e300", "-9e999", "'text'", "x'00'",
    ]

    /// Each column with a number, by the name of its table without that of the collection.
    private static let columns = [
        "collections.count", "collections.bytes", "collections.version", "collections.writer", "rows.size",
        "rows.version", "rows.stored_at", "rows.expires_at", "rows.digest", "uses.size", "uses.used_at",
        "uses.expires_at", "leases.expires_at",
    ]

    private func damage(_ column: String, _ number: String, of collection: String) throws {
        let parts = column.split(separator: ".")
        let isOfCollection = ["rows", "uses", "feed"].contains(parts[0])
        let table = isOfCollection ? "\(parts[0])_\(collection)" : "\(parts[0])"
        // A position is unique.
        let place = column == "feed.position" ? " WHERE position = 1" : ""
        try RawDatabase.execute(folder.file(), "UPDATE \(table) SET \(parts[1]) = \(number)\(place)")
    }

    @Test(arguments: columns, numbers)
    func `a cache with a damaged number stays usable, and within its limit`(column: String, number: String) async throws
    {
        var configuration = ExpiringCache.Configuration()
        configuration.byteLimit = 40_000
        let cache = try ExpiringCache(file: folder.file(), configuration: configuration)
        for size in [0, 100, 9_000, 10_000] {
            let entry = CacheEntry(
                body: Data(repeating: 1, count: size),
                expiresAt: Date(timeIntervalSinceNow: 60),
                tags: ["tag"]
            )
            try await cache.store(entry, for: "key\(size)")
        }
        _ = try await cache.acquireLease("lease", for: .seconds(1), now: Date())
        cache.close()
        try damage(column, number, of: "cache")
        let again = try ExpiringCache(file: folder.file(), configuration: configuration)

        _ = try await again.entries()
        _ = try await again.read("key100")
        _ = try await again.update("key9000") { info in
            info.metadata = Data([1])
            return true
        }
        try await again.store(CacheEntry(body: Data([1])), for: "key0")
        try await again.sweep()
        try await again.remove("key10000")
        for number in 0..<20 {
            try await again.store(CacheEntry(body: Data(repeating: 2, count: 9_000)), for: "new\(number)")
        }
        try await again.removeAll(tag: "tag")
        if let lease = try await again.acquireLease("lease", for: .seconds(1), now: Date(timeIntervalSinceNow: 9)) {
            again.dropLease(lease, now: Date())
        }

        #expect(try await again.read("new19").entry?.body.count == 9_000)
        let names = try await again.keys()
        #expect(names.contains("new19"))
        #expect(names.count <= 8)
        try await again.removeAll()
        #expect(try await again.keys().isEmpty)
        again.close()
    }

    @Test(
        arguments: columns.filter { !$0.hasPrefix("leases") } + ["feed.position", "feed.version", "feed.kind"],
        numbers
    )
    func `shared data with a damaged number do not trap, and take new values`(column: String, number: String) throws {
        let data = try SharedData(file: folder.file())
        try data.set(1, for: .count)
        try data.set("text", for: SharedKey<String>("other"))
        data.close()
        // A position is a number.
        try? damage(column, number, of: "shared")

        guard let again = try? SharedData(file: folder.file()) else {
            #expect(column == "collections.version")
            return
        }
        _ = try? again.value(for: .count)
        again.catchUp()
        _ = try again.names()
        try again.set(2, for: .count)
        let fresh = try SharedData(file: folder.file())
        #expect(try fresh.value(for: .count) == 2)
        fresh.close()
        try again.remove(SharedKey<String>("other"))
        #expect(try again.names() == ["count"])
        try again.removeExpired()
        #expect(try again.removeAll() >= 0)
        #expect(try again.names().isEmpty)
        again.close()
    }
}
